// One customer: contact, orders, addresses and notes.
import { html } from 'hono/html'
import { historyLink } from '../audit/history.ts'
import { addressPanel } from './addresses.ts'
import { Decimal } from '../../../kit/values/money.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { customer, type Customer } from '../../../commerce/customers/customer.ts'
import { townLine } from '../../../commerce/orders/address.ts'
import { order, type Order } from '../../../commerce/orders/order.ts'
import { field } from '../../../platform/pages/form.ts'
import { endpoint } from '../../framework/api.ts'
import { form, button } from '../../framework/form.ts'
import { mark, panel, paymentMark, tones } from '../../framework/parts.ts'
import { record } from '../../framework/record.ts'
import type { ScreenAction, Html, PageContext } from '../../framework/screen.ts'
import { customFieldChanges } from '../../framework/customfields.ts'
import { customerFieldInputs, customerInputs, customers } from './customers.ts'
import { placeBelow } from '../../framework/placement.ts'
import { customerGroup } from '../../../commerce/customers/groups/group.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { groupChoices } from './groupchoices.ts'
import { duplicatesPanel } from './merge.ts'
import { noteActions, notesPanel } from './notes.ts'

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
  body: async (context) => ({
    ...(field(context.form, 'name') === '' ? { name: '' } : {}),
    ...(await customFieldChanges(context, 'customer')),
  }),
  done: 'saved',
}
const notes: ScreenAction = {
  route: change,
  inputs: [{ name: 'notes', as: 'area', label: 'customer_notes_own' }],
  done: 'saved',
}

// prettier-ignore
export const customerScreen = record({
  path: '/customers/{id}', ...placeBelow(customers), resource: customer, more: withOrders,
  metadata: 'PATCH /customers/{id}',
  actions: { save, notes, ...noteActions, ...groupActions },
  name: ({ name }) => name,
  buttons: [historyLink,
    { to: ({ id }) => `/customers/${id}/merge`, text: 'merge_customers', scope: 'write:customers' },
    { to: ({ id }) => `/customers/${id}/data`, text: 'personal_data' }],
  lead: [sums],
  main: [
    { title: 'orders', head: allOrdersLink, content: latestOrders },
    { title: 'customer_data', scope: 'write:customers', form: {
      act: 'save', edits: true, more: (context, one) => customerFieldInputs(context, 'save', save, one),
    } },
    { title: 'notes', scope: 'write:customers', form: { act: 'notes', edits: true, isQuiet: true } },
    notesPanel,
    { title: 'customer_data', when: (_, { role }) => !mayUse(role, 'write:customers'),
      facts: ['email', 'phone', 'tax_id', 'notes'] },
  ],
  side: [
    { title: 'customer_contact', facts: [
      ['email', ({ email }) => email && html`<a href="mailto:${email}">${email}</a>`],
      ['phone', ({ phone }) => phone && html`<a href="tel:${phone.replaceAll(/[^+\d]/g, '')}">${phone}</a>`],
      ['accepts_marketing', marketing],
      'tax_exempt',
      ['customer_since', ({ created_at }, { formatDate }) => formatDate(created_at)],
    ] },
    duplicatesPanel, groupsPanel, addressPanel, usedAddresses,
  ],
})

const maxOrders = 50

type ShownCustomer = Customer & { orders: Order[] }

async function withOrders({ db, store, role }: PageContext, one: Customer): Promise<ShownCustomer> {
  if (!mayUse(role, 'read:orders')) return { ...one, orders: [] }
  const query = { page: 1, per_page: maxOrders, sort: 'created_at', order: 'desc', customer_id: one.id } as const
  return { ...one, orders: (await entityPage(db, order, store, query)).data }
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

function allOrdersLink({ t, base }: PageContext, { id, orders, orders_count }: ShownCustomer): Html | '' {
  const hasMore = orders.length > 0 && Math.max(orders_count, orders.length) > shownOrders
  return hasMore ? html`<a href="${base}/orders?customer_id=${id}">${t('their_orders')}</a>` : ''
}

function latestOrders({ t, base, price, formatDate }: PageContext, { orders }: ShownCustomer): Html {
  if (orders.length === 0) return html`<p>${t('customer_no_orders')}</p>`
  const rows = orders.slice(0, shownOrders).map(
    (one) => html`<tr><td><a class="main whole" href="${base}/orders/${one.id}">#${one.order_number}</a>
<small class="hint">${formatDate(one.created_at)}</small></td>
<td>${mark(t(`status_${one.status}`), tones[one.status])}
<span class="wide">${paymentMark(t, one)}</span></td><td class="number">${price(one.total)}</td></tr>`,
  )
  return html`<table class="plain" aria-label="${t('orders')}"><tbody>${rows}</tbody></table>`
}

/** Where and when they agreed, or withdrew that, and the words that they saw. */
function marketing(one: Customer, context: PageContext): Html {
  const { accepts_marketing, marketing_consent: consent, marketing_changed_at } = one
  const { t, formatDate } = context
  const answer = accepts_marketing ? mark(t('accepts_marketing_yes'), 'good') : mark(t('accepts_marketing_no'), 'plain')
  // Older answers have no record of their source.
  const { source = 'other', text = null } = consent ?? {}
  if (!marketing_changed_at) return answer
  const state = accepts_marketing ? 'subscribed' : 'unsubscribed'
  const day = formatDate(marketing_changed_at)
  const sentence = t(`consent_${state}`, { day, source: t(`consent_source_${source}`) })
  return html`${answer} <small>${sentence}${text ? html` <q>${text}</q>` : ''}</small>`
}

/** The distinct shipping addresses of the latest orders. */
function usedAddresses({ t }: PageContext, { orders }: ShownCustomer): Html | '' {
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
