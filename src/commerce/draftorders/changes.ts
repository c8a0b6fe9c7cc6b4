// A draft order at current prices, and what has changed since it was last priced.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { complete, list } from '../../kit/declare/composites.ts'
import { resource, type Json } from '../../kit/declare/resource.ts'
import { json } from '../../kit/declare/route.ts'
import { pick } from '../../kit/declare/row.ts'
import { flag, money, text } from '../../kit/declare/scalars.ts'
import { inWords, notFound } from '../../kit/values/errors.ts'
import { fault, type Fault } from '../../kit/values/faults.ts'
import { Decimal, toNumber } from '../../kit/values/money.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { listCheckedDiscounts, toCheckedDiscountViews } from '../orders/checkeddiscounts.ts'
import { toDraftContent } from './content.ts'
import { draftOrder, type DraftItem, type DraftOrderRow } from './draftorder.ts'
import { draftOrderFaults } from './errors.ts'
import { quoteDraft, type DraftQuote } from './quote.ts'

const amountNames = ['subtotal', 'discount_amount', 'shipping_cost', 'tax_amount', 'total'] as const
const { fields } = draftOrder

// prettier-ignore
export const draftQuoteSchema = resource('draft_orders', {
  items:        fields.items.readonly(),
  ...pick(fields, [...amountNames, 'included_tax', 'currency']),
  discounts:    fields.discounts,
  is_payable:   flag().readonly().describe('Whether the order could be placed now'),
  changes:      list(complete({
    field:   text().describe('Field that differs, or stands in the way'),
    message: text().describe('Explanation of the change'),
    from:    money().nullable().describe('Amount when the draft was last priced; null if no amount has changed'),
    to:      money().nullable().describe('Current amount; null if no amount has changed'),
  }), { max: 2000 }).readonly().describe('Prices that have changed since the draft was last priced, and obstacles'),
}, {}, { noun: 'Draft order', title: 'Draft order quote' }).entity

export type DraftChange = Fault & { from: number | null; to: number | null }

export async function findDraftQuote(db: Db, store: Store, id: string): Promise<Json<object>> {
  const row = await db.one<DraftOrderRow>(sql`
    select ${draftOrder.row.columns}
    from draft_orders
    where store_id = ${store.id}
      and id = ${id}`)
  if (!row) throw notFound(draftOrder.noun)
  const quote = await quoteRow(db, store, row)
  const { price, items, faults } = quote
  const changes = listDraftChanges(row, quote).map((change) => ({
    ...inWords(change),
    from: change.from,
    to: change.to,
  }))
  const amounts = Object.fromEntries(amountNames.map((name) => [name, toNumber(price[name])]))
  const is_payable = faults.length === 0 && row.completed_at === null
  const included_tax = toNumber(price.taxes.included)
  const discounts = toCheckedDiscountViews(listCheckedDiscounts(price))
  return json({ items, ...amounts, included_tax, discounts, currency: row.currency, is_payable, changes })
}

export function quoteRow(db: Db, store: Store, row: DraftOrderRow): Promise<DraftQuote> {
  return quoteDraft(db, store, toDraftContent(row), { now: db.clock.now(), existing: row.items as DraftItem[] })
}

/** The changes since the draft was last priced. */
export function listDraftChanges(row: DraftOrderRow, { items, price, faults }: DraftQuote): DraftChange[] {
  const prices = (row.items as DraftItem[]).map((item, index) =>
    buildDraftChange(`items.${index}.price`, item.price, items[index]!.price),
  )
  const sums = amountNames.map((name) => buildDraftChange(name, row[name], price[name]))
  const obstacles = faults.map((one): DraftChange => ({ ...one, from: null, to: null }))
  return [...prices, ...sums, ...obstacles].filter((change) => change !== null)
}

function buildDraftChange(field: string, before: Decimal.Value, now: Decimal.Value): DraftChange | null {
  if (new Decimal(before).equals(now)) return null
  const [from, to] = [toNumber(new Decimal(before)), toNumber(new Decimal(now))]
  return { ...fault(field, draftOrderFaults.total_changed, { from, to }), from, to }
}
