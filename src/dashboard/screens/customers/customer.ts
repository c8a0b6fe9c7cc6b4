// One customer: who they are, what they bought and where it went, and what is noted of them.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { etagOf } from '../../../kit/declare/conditions.ts'
import { entityPage, findRecord } from '../../../kit/declare/page.ts'
import { customer, type Customer } from '../../../commerce/customers/customer.ts'
import { townLine } from '../../../commerce/orders/address.ts'
import { order, type Order } from '../../../commerce/orders/order.ts'
import { field } from '../../../platform/pages/form.ts'
import { endpoint } from '../../framework/api.ts'
import { form } from '../../framework/form.ts'
import { facts, mark, panel, paymentMark, tones } from '../../framework/parts.ts'
import type { Action, Html, Screen, Visit } from '../../framework/page.ts'
import { customerInputs } from './customers.ts'

const change = endpoint('PATCH /customers/{id}')
// A name that was emptied is no name that was left as it is.
const save: Action = {
  route: change,
  inputs: customerInputs,
  body: ({ form: sent }) => (field(sent, 'name') === '' ? { name: '' } : {}),
  done: 'saved',
}
const notes: Action = {
  route: change,
  inputs: [{ name: 'notes', as: 'area', label: 'customer_notes_own' }],
  done: 'saved',
}

export const customerScreen: Screen = {
  path: '/customers/{id}',
  scope: 'read:customers',
  title: 'customers',
  section: 'customers',
  within: { path: '/customers', title: 'customers' },
  params: { id: customer },
  actions: { save, notes },
  async show(visit) {
    const { db, store, ids, say, base, params, role } = visit
    const { entity, json } = await findRecord(db, customer, store.id, ids.id!)
    const orders = mayUse(role, 'read:orders') ? await ordersOf(visit) : []
    const isOpen = mayUse(role, 'write:customers')
    const editing = isOpen ? await forms(visit, entity, etagOf(json)) : contact(visit, entity)
    return {
      title: entity.name,
      buttons: html`<a class="button quiet" href="${base}/customers/${params.id!}/data">${say('personal_data')}</a>`,
      content: html`${sums(visit, entity)}
<div class="columns"><div>${latest(visit, entity, orders)}${editing}</div>
<div>${about(visit, entity)}${addresses(visit, orders)}</div></div>`,
    }
  },
}

async function forms(visit: Visit, values: Customer, version: string): Promise<Html> {
  const { say } = visit
  const data = await form(visit, { act: 'save', action: save, button: 'save', values, version })
  const noted = await form(visit, { act: 'notes', action: notes, button: 'save', values, version, isQuiet: true })
  return html`${panel(say('customer_data'), data)}${panel(say('notes'), noted)}`
}

const mostOrders = 50

async function ordersOf({ db, store, params }: Visit): Promise<Order[]> {
  const query = { page: 1, per_page: mostOrders, sort: 'created_at', order: 'desc', customer_id: params.id } as const
  return (await entityPage(db, order, store, query)).data
}

function sums({ say, price, day }: Visit, { orders_count, total_spent, last_order_at, created_at }: Customer): Html {
  const average = orders_count > 0 ? total_spent / orders_count : 0
  const figure = (term: string, value: string) => html`<div><dt>${term}</dt><dd><strong>${value}</strong></dd></div>`
  return html`<section class="panel" aria-label="${say('customer_sums')}"><dl class="figures">
${figure(say('total_spent'), price(total_spent))}${figure(say('orders_count'), String(orders_count))}
${figure(say('average_order'), price(average))}
${figure(say(last_order_at ? 'last_order_at' : 'customer_since'), day(last_order_at ?? created_at))}</dl></section>`
}

const shownOrders = 10

function latest({ say, base, price, day, params }: Visit, { orders_count }: Customer, orders: Order[]): Html {
  if (orders.length === 0) return panel(say('orders'), html`<p>${say('customer_no_orders')}</p>`)
  const rows = orders.slice(0, shownOrders).map(
    (record) => html`<tr>
<td><a class="main whole" href="${base}/orders/${record.id}">#${record.order_number}</a>
<small class="hint">${day(record.created_at)}</small></td>
<td>${mark(say(`status_${record.status}`), tones[record.status])}
<span class="wide">${paymentMark(say, record)}</span></td><td class="number">${price(record.total)}</td></tr>`,
  )
  const all = html`<a href="${base}/orders?customer_id=${params.id!}">${say('their_orders')}</a>`
  const table = html`<table class="plain" aria-label="${say('orders')}"><tbody>${rows}</tbody></table>`
  return panel(say('orders'), table, orders_count > shownOrders || orders.length > shownOrders ? all : '')
}

function contact({ say }: Visit, { email, phone, tax_id, notes: noted }: Customer): Html {
  return panel(
    say('customer_data'),
    facts([
      [say('email'), email],
      [say('phone'), phone],
      [say('tax_id'), tax_id],
      [say('notes'), noted],
    ]),
  )
}

function about({ say, day }: Visit, one: Customer): Html {
  const { email, phone, accepts_marketing, marketing_changed_at, tax_exempt, created_at } = one
  const news = accepts_marketing
    ? mark(say('accepts_marketing_yes'), 'good')
    : mark(say('accepts_marketing_no'), 'plain')
  const since = marketing_changed_at
    ? html` <small>${say('since_day', { day: day(marketing_changed_at) })}</small>`
    : ''
  return panel(
    say('customer_contact'),
    facts([
      [say('email'), email && html`<a href="mailto:${email}">${email}</a>`],
      [say('phone'), phone && html`<a href="tel:${phone.replaceAll(/[^+\d]/g, '')}">${phone}</a>`],
      [say('accepts_marketing'), html`${news}${since}`],
      [say('tax_exempt'), tax_exempt ? say('yes') : null],
      [say('customer_since'), day(created_at)],
    ]),
  )
}

/** Where their latest orders went, each place once. */
function addresses({ say }: Visit, orders: Order[]): Html | '' {
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
  const drawn = [...places.values()].map(
    ({ lines, count }) => html`<li><address>${lines.map((line) => html`${line}<br>`)}</address>
<span class="hint">${say('address_used', { count })}</span></li>`,
  )
  return panel(say('customer_addresses'), html`<ul class="rows">${drawn}</ul>`)
}
