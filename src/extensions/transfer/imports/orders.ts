// Orders of a file, known by their number, from before the store moved in.
import type { Db, Tx } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { choice, integer, money, text, time } from '../../../kit/declare/scalars.ts'
import { createBody } from '../../../kit/declare/shape.ts'
import { ApiError, conflict } from '../../../kit/values/errors.ts'
import { fault, generalFaults, type Fault } from '../../../kit/values/faults.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { Decimal } from '../../../kit/values/money.ts'
import { isShipped } from '../../../commerce/catalog/shipped.ts'
import { variant } from '../../../commerce/catalog/variant.ts'
import { fulfillPastOrder } from '../../../commerce/fulfillments/operations.ts'
import { changedPastOrders, recordPastOrder, removePastOrders } from '../../../commerce/orders/history.ts'
import type { LineInput } from '../../../commerce/orders/item.ts'
import { areAnyShipped } from '../../../commerce/orders/load.ts'
import type { OrderLine } from '../../../commerce/orders/lines.ts'
import { newOrder, order } from '../../../commerce/orders/order.ts'
import { channels } from '../../../commerce/orders/source.ts'
import { fulfillmentStatuses, statuses, type OrderStatus } from '../../../commerce/orders/states.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { importFaults } from './errors.ts'
import { addressParts, billingParts, itemParts } from './fields.ts'
import type { Match, RecordKind, RemoveCall, ImportWrite } from './kind.ts'
import { remark, rowNotes } from './notes.ts'
import { addedTax, computeGoodsTotal, matchTotal, putFees } from './ordersums.ts'
import { putMethods } from './ordermethods.ts'
import { getFirstValue, isExported, put, type Draft, type MappedRow } from './record.ts'

export const orders: RecordKind = {
  prefix: 'ord',
  draft,
  body: { ...order, create: newOrder },
  faults,
  keysOf: (input) => [...listIdentities(input), `digits ${input.past.order_number}`],
  identityOf: listIdentities,
  find,
  create,
  remove,
}

const past = {
  order_number: integer({ min: 1, max: Number.MAX_SAFE_INTEGER }).required(),
  order_status: choice(statuses),
  created_at: time(),
  cancelled_at: time(),
  fulfillment_status: choice(fulfillmentStatuses),
  total: money(),
  taxes: money(),
  refunded_amount: money().describe('Amount refunded'),
  tip: money(),
  duties: money(),
  fees: money(),
  goods_total: money(),
  paid_at: time(),
  fulfilled_at: time(),
  carrier: text({ min: 1, max: 100 }),
  tracking_number: text({ min: 1, max: 100 }),
  channel: choice(channels),
  agent: text({ min: 1, max: 200 }),
  discount_code: order.fields.discount_code,
}

/** Numbers of two shops can have the same digits: `EU1001`, `US1001`. */
function listIdentities({ past: { order_number }, reference }: Record<string, any>): string[] {
  return [`number ${reference ?? order_number}`]
}

/** The fields that the API does not accept for a new order. */
const pastBody = createBody(past)

function draft(rows: readonly MappedRow[]): Draft {
  const made: Draft = { input: { past: {} }, places: new Map(), notes: [] }
  const { input } = made
  for (const field of [...Object.keys(order.fields), ...Object.keys(past)]) {
    const cell = getFirstValue(rows, field)
    if (cell) put(made, field, cell, cell.number, field in past ? input.past : input)
  }
  noteHistory(made, rows)
  input.past.order_number = numberIn(input.past.order_number)
  input.items = []
  for (const row of rows) putItem(made, row)
  putFees(made)
  matchTotal(made)
  putMethods(made, rows)
  putContact(made, rows)
  putAddress(made, rows, 'shipping_address', addressParts)
  putAddress(made, rows, 'billing_address', billingParts)
  if (isSamePlace(input)) delete input.billing_address
  return made
}

/** What an order of the past has no field for is in its internal notes, as is a number with more than digits. */
function noteHistory({ input }: Draft, rows: readonly MappedRow[]): void {
  const number = String(input.past.order_number ?? '')
  const lines = rows.flatMap(({ values }) => [values.get('history')?.value ?? []].flat())
  if (number !== '' && !/^#?\d+$/.test(number)) {
    input.reference = number
    lines.unshift(`${referenceLabel}${number}`)
  }
  const { fulfillment_status, carrier, tracking_number } = input.past
  if (tracking_number && fulfillment_status !== 'fulfilled') {
    lines.push(`Tracking number: ${[carrier, tracking_number].filter(Boolean).join(' ')}`)
  }
  if (lines.length > 0) input.internal_notes = [input.internal_notes ?? [], lines].flat().join('\n').slice(0, maxNotes)
}

const referenceLabel = 'Order number: '

const maxNotes = Number(order.fields.internal_notes.spec.schema.maxLength)

/** `#1001`, `SHOP-1001`: the digits at the end. */
function numberIn(name: unknown): unknown {
  const digits = String(name ?? '')
    .match(/\d+/g)
    ?.at(-1)
  return digits && digits.length <= 15 ? Number(digits) : name
}

function putItem(draft: Draft, { number, values }: MappedRow): void {
  const [name, price] = [values.get('item_name'), values.get('item_price')]
  if (!name && !price) return
  const { items } = draft.input
  const at = `items.${items.length}`
  const item: Record<string, unknown> = { quantity: 1 }
  for (const [field, part] of Object.entries(itemParts)) {
    const cell = values.get(field)
    if (cell) put(draft, `${at}.${part}`, cell, number, item)
  }
  draft.places.set(at, { number, column: (name ?? price)!.column })
  items.push(item)
}

function putContact(draft: Draft, rows: readonly MappedRow[]): void {
  const { input } = draft
  const names = ['first_name', 'last_name'].flatMap((field) => getFirstValue(rows, field) ?? [])
  if (input.customer_name === undefined && names.length > 0) {
    const value = names.map((one) => String([one.value].flat()[0])).join(' ')
    put(draft, 'customer_name', { value, column: names[0]!.column }, names[0]!.number)
  }
  const phone = getFirstValue(rows, 'phone')
  if (input.customer_phone === undefined && phone) {
    put(draft, 'customer_phone', { ...phone, value: [phone.value].flat()[0] }, phone.number)
  }
}

/** An export has all parts of an address: a missing part is not taken from the buyer. */
function putAddress(
  draft: Draft,
  rows: readonly MappedRow[],
  name: 'shipping_address' | 'billing_address',
  parts: Readonly<Record<string, string>>,
): void {
  const address: Record<string, unknown> = {}
  for (const [field, part] of Object.entries(parts)) {
    const cell = getFirstValue(rows, field)
    if (cell) put(draft, `${name}.${part}`, cell, cell.number, address)
  }
  if (Object.keys(address).length === 0) return
  const absent = isExported(rows) ? Object.values(parts).map((part) => [part, null]) : []
  draft.input[name] = { ...Object.fromEntries(absent), ...address }
}

/** Other systems repeat the shipping address for the invoice, and have the name of the buyer there. */
function isSamePlace({ shipping_address: shipping, billing_address: billing }: Record<string, any>): boolean {
  const places = ['address', 'address_2', 'city', 'province', 'postal_code', 'country', 'company', 'tax_id']
  const filled = places.filter((part) => billing?.[part])
  const write = (text: unknown) =>
    String(text ?? '')
      .trim()
      .toLowerCase()
  return filled.every((part) => write(billing[part]) === write(shipping?.[part]))
}

function faults(input: Record<string, any>, store: Store): Fault[] {
  try {
    const { agent, channel } = pastBody.read(input.past, store)
    if (agent !== undefined && channel !== 'agent') return [fault('agent', importFaults.agent_without_channel)]
  } catch (error) {
    if (error instanceof ApiError) return [...error.faults]
    throw error
  }
  const unfinished = itemFaults(input)
  return unfinished.length > 0 ? unfinished : sumFaults(input)
}

const maxSku = Number(variant.fields.sku.spec.schema.maxLength)

/** Sold items keep their name and price of that time. */
function itemFaults({ items }: Record<string, any>): Fault[] {
  return items.flatMap(({ product_name, unit_price, sku, ...item }: Record<string, unknown>, index: number) => [
    ...(typeof item.requires_shipping === 'string'
      ? [fault(`items.${index}.requires_shipping`, generalFaults.wrong_type, { type: 'true or false' })]
      : []),
    ...(product_name === undefined ? [fault(`items.${index}.product_name`, generalFaults.required)] : []),
    ...(unit_price === undefined ? [fault(`items.${index}.unit_price`, generalFaults.required)] : []),
    ...(String(sku ?? '').length > maxSku
      ? [fault(`items.${index}.sku`, generalFaults.too_long, { limit: maxSku })]
      : []),
  ])
}

/** The total of the file has to be the sum of its parts, with the tax added or included. */
function sumFaults(input: Record<string, any>): Fault[] {
  const { total } = input.past
  if (total === undefined || addedTax(input) !== null) return []
  return [
    fault('total', importFaults.total_differs, {
      total,
      sum: String(computeGoodsTotal(input).plus(input.past.taxes ?? 0)),
    }),
  ]
}

type KnownOrder = { order_number: number; id: string; internal_notes: string | null }

/** By number; one whose digits another order has already is known by its whole number and its time. */
async function find(db: Db, store: Store, drafts: readonly Draft[]): Promise<(Match | null)[]> {
  const numbers = drafts.map(({ input }) => input.past.order_number).filter((one) => Number.isSafeInteger(one))
  const times = drafts.flatMap(({ input: { reference, past } }) => {
    const isTime = reference !== undefined && !Number.isNaN(Date.parse(past.created_at))
    return isTime ? new Date(past.created_at) : []
  })
  const rows = await db.rows<KnownOrder>(sql`
    select order_number, id, internal_notes
    from orders
    where store_id = ${store.id}
      and order_number = any(${numbers}::bigint[])
    union all
    select order_number, id, internal_notes
    from orders
    where store_id = ${store.id}
      and created_at = any(${times}::timestamptz[])`)
  const orders = new Map(rows.map((one) => [readReference(one), one.id]))
  const numbersTaken = new Set(rows.map(({ order_number }) => order_number))
  return drafts.map(({ input: { past, reference }, notes, places }) => {
    const name = String(reference ?? past.order_number)
    const id = orders.get(name)
    if (id) return { id, by: 'number', value: name }
    if (numbersTaken.has(past.order_number)) {
      notes.push(remark(places.get('order_number')!, rowNotes.number_taken, { number: past.order_number }))
      past.is_number_taken = true
    }
    return null
  })
}

/** The number in the system that an order came from. */
function readReference({ order_number, internal_notes }: KnownOrder): string {
  const line = (internal_notes ?? '').split('\n').find((one) => one.startsWith(referenceLabel))
  return line?.slice(referenceLabel.length) ?? String(order_number)
}

async function create({ tx, store }: ImportWrite, { past: pastFacts, ...input }: Record<string, any>): Promise<string> {
  const { items, ...body } = newOrder.read(input, store)
  const past = pastBody.read(pastFacts, store)
  const lines = await buildPastOrderLines(tx, store.id, input.items, items)
  const id = await recordPastOrder(
    tx,
    store,
    {
      ...body,
      items: [],
      ...readTaxes({ ...input, past: pastFacts }),
      source: { channel: past.channel ?? null, agent: past.agent ?? null },
    },
    {
      order_number: pastFacts.is_number_taken ? null : past.order_number,
      created_at: past.created_at ?? tx.now,
      paid_at: past.paid_at ?? null,
      cancelled_at: past.cancelled_at ?? null,
      status: deriveOrderStatus(past, body.payment_status),
      fulfillment_status: past.fulfillment_status ?? 'unfulfilled',
      discount_code: past.discount_code ?? null,
      lines,
      refunded_amount: past.refunded_amount ?? 0,
    },
  )
  if (past.fulfillment_status === 'fulfilled') {
    const { carrier = null, tracking_number = null } = past
    const at = past.fulfilled_at ?? past.created_at ?? tx.now
    fulfillPastOrder(tx, store.id, id, { at, carrier, tracking_number })
  }
  return publicId('ord', id)
}

/** A tax that is not added to the prices is included in them. */
function readTaxes(input: Record<string, any>) {
  const added = addedTax(input) ?? 0
  const included = added === 0 ? (input.past.taxes ?? 0) : 0
  if (included === 0) return { tax_amount: added }
  const amounts = { added: new Decimal(0), included: new Decimal(included) }
  return { tax_amount: 0, taxes: { treatment: null, lines: [], ...amounts } }
}

/** An order that was changed since then stays. */
async function remove({ tx, store }: RemoveCall, id: string): Promise<void> {
  const [number] = await changedPastOrders(tx, store.id, [id])
  if (number !== undefined) throw conflict(`Order ${number} was changed since`)
  await removePastOrders(tx, store.id, [id])
}

function deriveOrderStatus(
  { order_status, cancelled_at, fulfillment_status }: NonNullable<typeof pastBody.type>,
  payment: string,
): OrderStatus {
  if (order_status) return order_status
  if (cancelled_at) return 'cancelled'
  const isDone = fulfillment_status === 'fulfilled' && (payment === 'paid' || payment === 'refunded')
  return isDone ? 'completed' : 'confirmed'
}

/**
 * A line with the SKU of a product is of that product; any other line is as custom as one sold by hand. An amount
 * beside the items has null for `requires_shipping`: it goes with them.
 */
async function buildPastOrderLines(
  tx: Tx,
  storeId: string,
  inputs: readonly { sku?: string; requires_shipping?: boolean | null }[],
  items: readonly LineInput[],
): Promise<OrderLine[]> {
  const skus = inputs.flatMap(({ sku }) => sku ?? [])
  const soldRows = await tx.rows<{
    sku: string
    product_id: string
    variant_id: string | null
    category_id: string | null
    requires_shipping: boolean
  }>(sql`
    select sku, id as product_id, null::uuid as variant_id, category_id, ${isShipped.product} as requires_shipping
    from products
    where store_id = ${storeId}
      and variant_count = 0
      and sku = any(${skus})
    union all
    select variants.sku, variants.product_id, variants.id, products.category_id,
      coalesce(${isShipped.variant}, products.requires_shipping)
    from variants
    join products on products.store_id = ${storeId}
      and products.id = variants.product_id
    where variants.store_id = ${storeId}
      and variants.sku = any(${skus})`)
  const bySku = new Map(soldRows.map((one) => [one.sku, one]))
  const lines = items.map(({ product_name, variant_name = null, quantity, unit_price }, index): OrderLine => {
    const { sku = null, requires_shipping } = inputs[index]!
    const found = (sku && bySku.get(sku)) || undefined
    const { product_id = null, variant_id = null, category_id = null } = found ?? {}
    const price = new Decimal(unit_price!)
    return {
      product_id,
      variant_id,
      product_name: product_name!,
      variant_name,
      sku,
      category_id,
      weight: null,
      available_on: null,
      requires_shipping: requires_shipping ?? found?.requires_shipping ?? true,
      quantity,
      unit_price: price,
      total: price.times(quantity),
      parts: null,
      is_tracked: false,
      left: null,
      external_id: null,
      metadata: {},
      is_few: false,
    }
  })
  const isBeside = (_: OrderLine, index: number) => inputs[index]!.requires_shipping === null
  const isAnyShipped = areAnyShipped(lines.filter((line, index) => !isBeside(line, index)))
  return lines.map((line, index) => (isBeside(line, index) ? { ...line, requires_shipping: isAnyShipped } : line))
}
