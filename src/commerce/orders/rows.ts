// The rows of a new order.
import { RetryTransaction } from '../../kit/database/errors.ts'
import type { Tx } from '../../kit/database/database.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { newUuid, publicId } from '../../kit/values/ids.ts'
import { sum, toNumber } from '../../kit/values/money.ts'
import { buildSelectList } from '../../kit/declare/columns.ts'
import { derive } from '../../kit/declare/field.ts'
import { integer } from '../../kit/declare/scalars.ts'
import { insertInto, type RecordOf } from '../../kit/declare/resource.ts'
import { insertRows } from '../../kit/declare/row.ts'
import { parseProvinceCode } from '../../kit/values/provinces.ts'
import { searchable } from '../../kit/values/slug.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { countNewOrder } from '../../tenancy/plans/plan.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { MoneyMoves } from './paidamounts.ts'
import { readDiscountCodes } from '../discounts/codes.ts'
import { checkTaxId } from '../tax/taxid.ts'
import { completeAddress, addressCountry } from './address.ts'
import { item } from './item.ts'
import { order, type NewOrder, type Order, type OrderBump } from './order.ts'
import { toItemParts } from './parts.ts'
import { buildItemAdjustments, toAppliedDiscountViews, listDiscountRules } from './pricing.ts'
import type { OrderPrice } from './pricing.ts'
import type { OrderQuote } from './quote.ts'
import { digitalRate, rateNow, type QuotedTerms } from './rate.ts'
import { toOrderSource, type OrderSource } from './source.ts'
import { buildOrderTaxLines, toSoldTaxTerms } from './taxes.ts'

// Nothing of a new item is fulfilled or refunded, and a server that writes a row cannot look this up.
const newItemColumns = buildSelectList('order_items', {
  ...item.fields,
  fulfillable_quantity: derive(integer(), sql`order_items.quantity`),
})

type OrderParts = OrderQuote & { paid: MoneyMoves; quotedRate?: QuotedTerms | undefined }

export async function insertOrder(
  tx: Tx,
  store: Store,
  id: string,
  input: NewOrder,
  parts: OrderParts,
): Promise<RecordOf<Order>> {
  const rows = itemRows(parts, tx.now)
  const source = input.source ?? toOrderSource(tx.cause)
  const values = { id, ...orderValues(store, input, { ...parts, rows, source }, tx.now) }
  const countedAs = { isArchived: input.is_archived === true, hasNewCustomer: parts.buyer.isNew }
  const insertion = tx.texts(
    sql`
    ${insertNumbered(tx, store.id, input, values, countNewOrder(store.id, countedAs))}
    returning ${order.columns}`,
    {
      // The customer was deleted meanwhile: a given ID is a fault, a matched customer is created again.
      orders_customer: () =>
        input.customer_id ? invalid(fault('customer_id', generalFaults.does_not_exist)) : new RetryTransaction(),
    },
  )
  const itemsInserted = tx.texts(sql`
    ${insertItems(store.id, id, rows)}
    returning ${newItemColumns}`)
  const [[row], items] = await Promise.all([insertion, itemsInserted])
  return order.record(row!, { items: new Map([[id, items]]) })
}

/**
 * Takes the next number from the counters, so that numbers have no gaps and no duplicates. One statement does it on one
 * server; a distributed database inserts no result of a subselect as a value.
 */
function insertNumbered(tx: Tx, storeId: string, input: NewOrder, values: object, counting: Sql): Sql {
  if (!tx.isDistributed) {
    const order_number = sql`(select order_number from counted)`
    return sql`
    with counted as (${counting} returning order_number)
    ${insertInto(order, input, { store_id: storeId, ...values, order_number })}`
  }
  tx.later(counting)
  const counters = { store_id: raw('store_counters.store_id'), order_number: raw('store_counters.order_number') }
  return insertInto(order, input, { ...values, ...counters }, sql`from store_counters where store_id = ${storeId}`)
}

type ItemRows = { rows: ReturnType<typeof itemRows> }

function orderValues(store: Store, input: NewOrder, parts: OrderParts & ItemRows & { source: OrderSource }, now: Date) {
  const { lines, buyer, billing_address: billing, price, paid, rows, source, quotedRate } = parts
  const discount = mainDiscount(price, input)
  const { name, email, phone } = buyer.contact
  const { country_code } = resolveDestination(store, input)
  const address = input.shipping_address && completeAddress(input.shipping_address, { name, phone }, country_code)
  const items = rows.map(({ id }) => publicId('item', id))
  const bumps = (input.order_bumps ?? []).map(({ bump_id }) => bump_id)
  return {
    currency: store.currency,
    customer_id: buyer.id,
    customer_name: name,
    customer_email: email,
    customer_phone: phone,
    subtotal: price.subtotal,
    discount_amount: price.discount_amount,
    shipping_cost: price.shipping_cost,
    tax_amount: price.tax_amount,
    total: price.total,
    captured_amount: paid.captured,
    refunded_amount: paid.refunded,
    included_tax: price.taxes.included,
    tax_lines: JSON.stringify(buildOrderTaxLines(price, { items, bumps })),
    tax_terms: jsonOrNull(toSoldTaxTerms(price)),
    tax_id: buyer.tax_id,
    tax_id_status: buyer.tax_id && checkTaxId(buyer.tax_id, billing?.country_code ?? country_code).status,
    discount_id: discount?.id ?? null,
    discount_code: discount?.code ?? null,
    discounts: JSON.stringify(toAppliedDiscountViews(price)),
    discount_rules: jsonOrNull(listDiscountRules(price)),
    free_shipping: price.free_shipping || input.free_shipping === true,
    shipping_address: address && JSON.stringify(address),
    billing_address: billing && JSON.stringify(billing),
    country_code,
    item_count: lines.reduce((count, { quantity }) => count + quantity, 0),
    order_bumps: bumpsJson(input.order_bumps ?? []),
    shipping_rate: input.shipping_method ? rateNow(store.id, input.shipping_method, quotedRate) : null,
    completed_at: input.status === 'completed' ? now : null,
    archived_at: input.is_archived ? now : null,
    ...source,
    search_text: buildOrderSearchText(name, email),
    created_at: now,
    updated_at: now,
  }
}

/** The country and the province that a new order goes to. */
export function resolveDestination(
  store: Store,
  { country_code, shipping_address: address, shipping_method, billing_address }: NewOrder,
): { country_code: string; province_code: string | null } {
  const namedCountry = addressCountry(address)
  // What is collected goes to the store's own country.
  const isBilled = !shipping_method || shipping_method === digitalRate.code
  const billedCountry = isBilled ? addressCountry(billing_address) : null
  const country = country_code ?? namedCountry ?? billedCountry ?? store.country_code
  return { country_code: country, province_code: parseProvinceCode(namedCountry ?? country, address?.province) }
}

/** The discount of the first code that applies, otherwise the first automatic one. */
function mainDiscount({ applied }: OrderPrice, input: NewOrder) {
  const discounts = applied.map(({ discount }) => discount)
  const ofCodes = (readDiscountCodes(input) ?? []).map((code) => discounts.find((one) => one.code === code))
  return ofCodes.find((one) => one !== undefined) ?? discounts[0]
}

/** Limited to the length that the index accepts. The end of a long name is dropped before the email. */
function buildOrderSearchText(name: string | null, email: string | null): string {
  const address = searchable(email).slice(0, maxSearchText)
  return `${searchable(name).slice(0, Math.max(0, maxSearchText - 1 - address.length))} ${address}`.trim()
}

const maxSearchText = 200

function bumpsJson(items: OrderBump[]): string | null {
  return items.length === 0 ? null : JSON.stringify({ total: toNumber(sum(items.map(({ price }) => price))), items })
}

/** IDs generated in sequence keep the order of the lines. */
function itemRows({ lines, price }: OrderParts, now: Date) {
  return lines.map((line, index) => ({
    ...line,
    id: newUuid(),
    created_at: now,
    total_price: line.total,
    parts: line.parts && toItemParts(line.parts),
    adjustments: buildItemAdjustments(price, index, now),
  }))
}

/** Each has its category, which an edit needs. */
export function insertItems(storeId: string, orderId: string, rows: readonly Record<string, any>[]): Sql {
  return insertRows(item, [...item.row.names, 'category_id'], rows, {
    same: { store_id: storeId, order_id: orderId },
    types: { order_id: 'uuid', category_id: 'uuid' },
  })
}

export function jsonOrNull(value: object | null): string | null {
  return value && JSON.stringify(value)
}
