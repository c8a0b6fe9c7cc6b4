// One customer: contact, orders, addresses and notes.
import { html } from 'hono/html'
import { historyLink } from '../audit/history.ts'
import { addressPanel } from './addresses.ts'
import { Decimal } from '../../../kit/values/money.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { buildEtag } from '../../../kit/declare/conditions.ts'
import { entityPage, findRecord } from '../../../kit/declare/page.ts'
import { customer, type Customer } from '../../../commerce/customers/customer.ts'
import { townLine } from '../../../commerce/orders/address.ts'
import { order, type Order } from '../../../commerce/orders/order.ts'
import { field } from '../../../platform/pages/form.ts'
import { endpoint } from '../../framework/api.ts'
import { form, button } from '../../framework/form.ts'
import { facts, mark, panel, paymentMark, tones } from '../../framework/parts.ts'
import type { ScreenAction, Html, Screen, PageContext } from '../../framework/screen.ts'
import { customerInputs, customers } from './customers.ts'
import { placeBelow } from '../../framework/placement.ts'
import { customerGroup } from '../../../commerce/customers/groups/group.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { groupChoices } from './groupchoices.ts'

// The groups of a customer: those whose rules match, and those that the customer was added to by hand.

const groupActions = {
  join: {
    route: endpoint('POST /customer-groups/{id}/members'),
    idFrom: { id: 'group_id' },
    body: ({ params }) => ({ customer_ids: [params.id] }),
    done: 'saved',
  },
  leave: {
    route: endpoint('DELETE /customer-groups/{id}/members/{customer_id}'),
    idFrom: { id: 'group_id', customer_id: 'id' },
    done: 'group_removed',
  },
} satisfies Record<string, ScreenAction>

async function groupsPanel(context: PageContext, { id, group_ids }: Customer): Promise<Html | ''> {
  const { db, store, t, base, role } = context
  const query = { page: 1, per_page: 100, sort: 'name', order: 'asc', customer_id: id } as const
  const [{ data }, all] = await Promise.all([entityPage(db, customerGroup, store, query), groupChoices(context)])
  if (all.length === 0) return ''
  const mayWrite = mayUse(role, 'write:customers')
  const rows = data.map(({ id: group_id, name }) => {
    const isAdded = group_ids.includes(group_id)
    const leave = { act: 'leave', fixed: { group_id }, text: 'remove', kind: 'link', about: name } as const
    const way =
      isAdded && mayWrite ? button(context, leave) : mark(t(isAdded ? 'group_by_hand' : 'group_by_rules'), 'plain')
    return html`<li><a class="main" href="${base}/customer-groups/${group_id}">${name}</a> ${way}</li>`
  })
  const list = rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : html`<p class="hint">${t('group_in_none')}</p>`
  const open = all.filter(([group]) => !group_ids.includes(group))
  const add =
    mayWrite && open.length > 0
      ? await form(context, {
          act: 'join',
          action: groupActions.join,
          button: 'group_add',
          isQuiet: true,
          isLoose: true,
          more: renderGroupChoice(context, open),
        })
      : ''
  return panel(t('customer_groups'), html`${list}${add}`)
}

function renderGroupChoice({ t }: PageContext, choices: Awaited<ReturnType<typeof groupChoices>>): Html {
  const options = choices.map(([id, name]) => html`<option${attributes({ value: id })}>${name}</option>`)
  return html`<p class="field"><label for="join-group">${t('customer_group')}</label>
<select id="join-group" name="group_id">${options}</select></p>`
}

const change = endpoint('PATCH /customers/{id}')
// An emptied name is sent as an empty text, so that the API rejects it.
const save: ScreenAction = {
  route: change,
  inputs: customerInputs,
  body: ({ form: input }) => (field(input, 'name') === '' ? { name: '' } : {}),
  done: 'saved',
}
const notes: ScreenAction = {
  route: change,
  inputs: [{ name: 'notes', as: 'area', label: 'customer_notes_own' }],
  done: 'saved',
}

export const customerScreen: Screen = {
  path: '/customers/{id}',
  ...placeBelow(customers),
  params: { id: customer },
  actions: { save, notes, ...groupActions },
  async show(context) {
    const { db, store, ids, t, base, params, role } = context
    const { entity, json } = await findRecord(db, customer, store.id, ids.id!)
    const orders = mayUse(role, 'read:orders') ? await listCustomerOrders(context) : []
    const isOpen = mayUse(role, 'write:customers')
    const dataPanels = isOpen ? await forms(context, entity, buildEtag(json)) : contact(context, entity)
    return {
      title: entity.name,
      buttons: html`${historyLink(context)}
<a class="button quiet" href="${base}/customers/${params.id!}/data">${t('personal_data')}</a>`,
      content: html`${sums(context, entity)}
<div class="columns"><div>${latestOrders(context, entity, orders)}${dataPanels}</div>
<div>${about(context, entity)}${await groupsPanel(context, entity)}${addressPanel(context, entity)}
${usedAddresses(context, orders)}</div></div>`,
    }
  },
}

async function forms(context: PageContext, values: Customer, version: string): Promise<Html> {
  const { t } = context
  const dataForm = await form(context, { act: 'save', action: save, button: 'save', values, version })
  const notesForm = await form(context, { act: 'notes', action: notes, button: 'save', values, version, isQuiet: true })
  return html`${panel(t('customer_data'), dataForm)}${panel(t('notes'), notesForm)}`
}

const maxOrders = 50

async function listCustomerOrders({ db, store, params }: PageContext): Promise<Order[]> {
  const query = { page: 1, per_page: maxOrders, sort: 'created_at', order: 'desc', customer_id: params.id } as const
  return (await entityPage(db, order, store, query)).data
}

function sums(
  { t, price, formatDate }: PageContext,
  { orders_count, total_spent, last_order_at, created_at }: Customer,
): Html {
  const average = orders_count > 0 ? new Decimal(total_spent).div(orders_count).toNumber() : 0
  const dateLabel = last_order_at ? 'last_order_at' : 'customer_since'
  const figure = (term: string, value: string) => html`<div><dt>${term}</dt><dd><strong>${value}</strong></dd></div>`
  return html`<section class="panel" aria-label="${t('customer_sums')}"><dl class="figures">
${figure(t('total_spent'), price(total_spent))}${figure(t('orders_count'), String(orders_count))}
${figure(t('average_order'), price(average))}
${figure(t(dateLabel), formatDate(last_order_at ?? created_at))}</dl></section>`
}

const shownOrders = 10

function latestOrders(
  { t, base, price, formatDate, params }: PageContext,
  { orders_count }: Customer,
  orders: Order[],
): Html {
  if (orders.length === 0) return panel(t('orders'), html`<p>${t('customer_no_orders')}</p>`)
  const rows = orders.slice(0, shownOrders).map(
    (record) => html`<tr>
<td><a class="main whole" href="${base}/orders/${record.id}">#${record.order_number}</a>
<small class="hint">${formatDate(record.created_at)}</small></td>
<td>${mark(t(`status_${record.status}`), tones[record.status])}
<span class="wide">${paymentMark(t, record)}</span></td><td class="number">${price(record.total)}</td></tr>`,
  )
  const all = html`<a href="${base}/orders?customer_id=${params.id!}">${t('their_orders')}</a>`
  const table = html`<table class="plain" aria-label="${t('orders')}"><tbody>${rows}</tbody></table>`
  return panel(t('orders'), table, orders_count > shownOrders || orders.length > shownOrders ? all : '')
}

function contact({ t }: PageContext, { email, phone, tax_id, notes: noted }: Customer): Html {
  return panel(
    t('customer_data'),
    facts([
      [t('email'), email],
      [t('phone'), phone],
      [t('tax_id'), tax_id],
      [t('notes'), noted],
    ]),
  )
}

function about({ t, formatDate }: PageContext, one: Customer): Html {
  const { email, phone, accepts_marketing, marketing_changed_at, tax_exempt, created_at } = one
  const marketing = accepts_marketing
    ? mark(t('accepts_marketing_yes'), 'good')
    : mark(t('accepts_marketing_no'), 'plain')
  const since = marketing_changed_at
    ? html` <small>${t('since_day', { day: formatDate(marketing_changed_at) })}</small>`
    : ''
  return panel(
    t('customer_contact'),
    facts([
      [t('email'), email && html`<a href="mailto:${email}">${email}</a>`],
      [t('phone'), phone && html`<a href="tel:${phone.replaceAll(/[^+\d]/g, '')}">${phone}</a>`],
      [t('accepts_marketing'), html`${marketing}${since}`],
      [t('tax_exempt'), tax_exempt ? t('yes') : null],
      [t('customer_since'), formatDate(created_at)],
    ]),
  )
}

/** The distinct shipping addresses of the latest orders. */
function usedAddresses({ t }: PageContext, orders: Order[]): Html | '' {
  const places = new Map<string, { lines: string[]; count: number }>()
  for (const { shipping_address: to, country_code } of orders) {
    if (!to) continue
    const town = townLine(to, country_code)
    const lines = [to.name, to.company, to.address, to.address_2, town, to.country ?? country_code]
      .filter((line) => typeof line === 'string')
      .filter(Boolean)
    const key = lines.join('\n').toLowerCase()
    if (key === '') continue
    const place = places.get(key) ?? { lines, count: 0 }
    places.set(key, { ...place, count: place.count + 1 })
  }
  if (places.size === 0) return ''
  const items = [...places.values()].map(
    ({ lines, count }) => html`<li><address>${lines.map((line) => html`${line}<br>`)}</address>
<span class="hint">${t('address_used', { count })}</span></li>`,
  )
  return panel(t('addresses_used'), html`<ul class="rows">${items}</ul>`)
}
