// Packing slips and invoices of one or more orders, each printed on its own page.
import { nameOfCountry } from '../../../kit/values/countries.ts'
import { html } from 'hono/html'
import { sql } from '../../../kit/database/sql.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { formatDay } from '../../../kit/values/day.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import type { Language } from '../../../kit/values/language.ts'
import { priceIn } from '../../../kit/values/prices.ts'
import { findCustomsFacts, type CustomsFacts } from '../../../commerce/catalog/customs.ts'
import { findUnsentParts, listUnsentParts } from '../../../commerce/fulfillments/unsentparts.ts'
import { order, type Order } from '../../../commerce/orders/order.ts'
import { addressWith } from '../../../platform/pages/address.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import type { Html, Screen, PageContext } from '../../framework/screen.ts'
import { dashboardTranslator } from '../../framework/messages.ts'
import { invoice } from './invoice.ts'
import { type OrderDocument, type Seller, methodName, printAnswers } from './document.ts'
import { readSelection } from './bulk/selection.ts'
import { emptyState } from '../../framework/parts.ts'
import { orders } from './orders.ts'
import { placeBelow } from '../../framework/placement.ts'
import type { Item } from '../../../commerce/orders/item.ts'
import { unshipped, unsentUnits } from '../../../commerce/orders/unsent.ts'
import { formatItemTitle, addressLines, partsLine } from './address.ts'

const maxOrders = 250
const documents = { slip: packingSlip, invoice } as const
type DocumentKind = keyof typeof documents
const kinds = ['picklist', ...(Object.keys(documents) as DocumentKind[])] as const

export const printScreen: Screen = {
  path: '/orders/print',
  ...placeBelow(orders),
  title: 'print',
  isUnlisted: true,
  async show(context) {
    const { t, here, query } = context
    const kind = kinds.find((one) => one === query.what) ?? 'slip'
    const { orders: selection, wrong } = await readSelection(context, maxOrders)
    const ids = selection.map(({ id }) => toUuid('ord', id)!)
    const papers =
      kind === 'picklist' && ids.length > 0
        ? [html`<article class="paper">${await pickList(context, ids)}</article>`]
        : kind === 'picklist'
          ? []
          : await renderPapers(context, kind, ids)
    const links = kinds.map(
      (what) =>
        html`<li><a href="${addressWith(here, { what })}"${attributes({
          'aria-current': what === kind && 'page',
        })}>${t(`print_${what}`)}</a></li>`,
    )
    const none = emptyState(t, 'print_none', 'print_none_text')
    return {
      title: kind === 'picklist' ? t('print_picklist') : t(`print_${kind}s`, { count: ids.length }),
      buttons: html`<print-page label="${t('print')}"></print-page>`,
      content: html`${wrong}<nav class="pages" aria-label="${t('print')}"><ul>${links}</ul></nav>
${papers.length === 0 ? none : papers}`,
    }
  },
}

async function renderPapers(context: PageContext, kind: DocumentKind, ids: readonly string[]): Promise<Html[]> {
  if (ids.length === 0) return []
  const { db, store } = context
  const query = { page: 1, per_page: maxOrders, sort: 'order_number', order: 'asc' } as const
  const [{ data }, seller, unsent] = await Promise.all([
    entityPage(db, order, store, query, sql`orders.id = any(${ids}::uuid[])`),
    findSeller(context),
    kind === 'slip' ? findUnsentParts(db, store.id, ids) : new Map<string, number[]>(),
  ])
  const customs = kind === 'slip' ? await findCustomsByOrder(context, data) : new Map<Order, (CustomsFacts | null)[]>()
  return data.map((one) => {
    const facts = customs.get(one) ?? []
    const paper = { ...documentFormat(context, one.locale), order: one, seller, customs: facts, unsent }
    return html`<article class="paper" lang="${paper.language}">${documents[kind](paper)}</article>`
  })
}

/** Reads the customs facts of all items of orders that go abroad at once. */
async function findCustomsByOrder(
  { db, store }: PageContext,
  orders: readonly Order[],
): Promise<Map<Order, (CustomsFacts | null)[]>> {
  const abroad = orders.filter(({ country_code: country }) => country !== null && country !== store.country_code)
  if (abroad.length === 0) return new Map()
  const facts = await findCustomsFacts(
    db,
    store.id,
    abroad.flatMap(({ items }) => items),
  )
  let at = 0
  return new Map(abroad.map((one) => [one, facts.slice(at, (at += one.items.length))]))
}

async function findSeller({ db, store }: PageContext): Promise<Seller> {
  const seller = await db.one<Seller>(sql`
    select name, country_code, legal_name, contact_address, contact_email, contact_phone, tax_id, (
      select coalesce(json_object_agg(code, own.name), '{}')
      from (
        select code, name from payment_methods where store_id = ${store.id} and name is not null
        union all
        select code, name from shipping_rates where store_id = ${store.id} and name is not null) as own) as names
    from stores
    where id = ${store.id}`)
  return seller!
}

/** Uses the order's language, or the person's if it has none. */
function documentFormat(
  { language, store }: PageContext,
  locale: Language | null,
): Omit<OrderDocument, 'order' | 'seller' | 'customs' | 'unsent'> {
  const paperLanguage = locale ?? language
  const format = new Intl.DateTimeFormat(paperLanguage, { dateStyle: 'long', timeZone: store.timezone })
  return {
    language: paperLanguage,
    t: dashboardTranslator(paperLanguage),
    price: priceIn(paperLanguage, store),
    formatDate: (moment) => format.format(new Date(moment)),
  }
}

// A pick list: the items to collect for some orders, by product, variant and SKU.

type PickLine = {
  product_name: string
  variant_name: string | null
  sku: string | null
  quantity: number
  orders: string
}

/** Sums up the open items of the orders, which are given by UUID. A bundle is collected as its parts. */
async function pickList({ db, store, t }: PageContext, ids: readonly string[]): Promise<Html> {
  const ofPart = unsentUnits({ part: sql`part.position - 1`, in_one: sql`part.quantity` })
  const lines = await db.rows<PickLine>(sql`
    select packed.product_name, packed.variant_name, packed.sku, sum(packed.units)::int as quantity,
      string_agg('#' || order_number, ', ' order by order_number) as orders
    from order_items
    cross join lateral (
      select product_id, variant_id, product_name, variant_name, sku, ${ofPart} as units
      from rows from (
        jsonb_to_recordset(order_items.parts) as (product_id uuid, variant_id uuid, product_name text,
          variant_name text, sku text, quantity int, requires_shipping boolean)
      ) with ordinality as part (product_id, variant_id, product_name, variant_name, sku, quantity, requires_shipping,
        position)
      where requires_shipping is not false
      union all
      select order_items.product_id, order_items.variant_id, order_items.product_name, order_items.variant_name,
        order_items.sku, ${unshipped}
      where order_items.parts is null) as packed
    join orders on orders.store_id = ${store.id}
      and orders.id = order_items.order_id
    where order_items.store_id = ${store.id}
      and order_items.order_id = any(${ids}::uuid[])
      and packed.units > 0
      and order_items.requires_shipping
      and orders.status not in ('cancelled', 'returned')
    group by packed.product_id, packed.variant_id, packed.product_name, packed.variant_name, packed.sku
    order by packed.product_name, packed.variant_name, packed.sku`)
  const rows = lines.map(
    (line) => html`<tr><td class="box" aria-hidden="true">☐</td><td><strong>${formatItemTitle(line)}</strong>
<small>${line.orders}</small></td><td>${line.sku ?? ''}</td><td class="number">${line.quantity}</td></tr>`,
  )
  return html`<header><h2>${store.name}</h2><p>${t('print_picklist')}</p></header>
<table class="plain"><thead><tr><td></td><th scope="col">${t('items')}</th><th scope="col">${t('sku')}</th>
<th scope="col" class="number">${t('quantity')}</th></tr></thead><tbody>${rows}</tbody></table>`
}

// A packing slip: the items to ship and the address.

/** The parts of an item that are still to be sent, and how many of its bundles they are for. */
function toBeSent({ unsent }: OrderDocument, { id, parts, fulfillable_quantity }: Item) {
  if (!parts) return { parts, count: fulfillable_quantity }
  const counts = parts.map((part, index) => (part.requires_shipping === false ? 0 : (unsent.get(id)?.[index] ?? 0)))
  const bundles = parts.map(({ quantity }, index) => Math.ceil(counts[index]! / quantity))
  return { parts: listUnsentParts(parts, counts), count: Math.max(0, ...bundles) }
}

function packingSlip(paper: OrderDocument): Html {
  const { t, formatDate, language, order, seller } = paper
  const { items, order_number, created_at, shipping_method, shipping_address, customer_notes } = order
  const rows = items.map((item, index) => {
    const { sku, quantity, fulfilled_quantity, available_on: day, requires_shipping } = item
    if (!requires_shipping) return ''
    const ships = day ? html`<br><small>${t('ships_from', { date: formatDay(day, language) })}</small>` : ''
    const note = fulfilled_quantity > 0 ? html`<small>${t('pieces_sent', { count: fulfilled_quantity })}</small>` : ''
    const facts = customsLine(paper, paper.customs[index] ?? null)
    const { parts, count } = toBeSent(paper, item)
    const title = html`<strong>${formatItemTitle(item)}</strong> ${note}${partsLine(parts)}`
    return html`<tr><td class="box" aria-hidden="true">☐</td><td>${title}${ships}${facts}</td>
<td>${sku ?? ''}</td><td class="number">${count} / ${quantity}</td></tr>`
  })
  const notes = [customer_notes, shipping_address?.notes].filter(Boolean)
  const lines = notes.map((note) => html`<p>${note}</p>`)
  return html`<header><h2>${seller.name}</h2>
<p>${t('order_title', { number: order_number })}<br>${formatDate(created_at)}</p></header>
<div class="parties"><section><h3>${t('ship_to')}</h3><p>${addressLines(order, language)}</p></section>
<section><h3>${t('shipping_method')}</h3>
<p>${methodName(paper, shipping_method)}</p></section></div>
<table class="plain"><thead><tr><td></td><th scope="col">${t('items')}</th><th scope="col">${t('sku')}</th>
<th scope="col" class="number">${t('to_send')}</th></tr></thead><tbody>${rows}</tbody></table>
${printAnswers(paper)}${notes.length > 0 ? html`<h3>${t('notes')}</h3>${lines}` : ''}`
}

/** The facts that a customs declaration needs. */
function customsLine({ t, language }: OrderDocument, facts: CustomsFacts | null): Html | '' {
  if (!facts) return ''
  const { hs_code, country_of_origin: origin, weight } = facts
  const parts = [
    hs_code && `${t('hs_code')}: ${hs_code}`,
    origin && `${t('country_of_origin')}: ${nameOfCountry(language, origin)}`,
    weight !== null && `${t('weight')}: ${weight}`,
  ].filter(Boolean)
  return parts.length > 0 ? html`<br><small>${parts.join(' · ')}</small>` : ''
}
