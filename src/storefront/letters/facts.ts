// Data for emails about an order.
import type { Db } from '../../kit/database/database.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { toNumber } from '../../kit/values/money.ts'
import type { Language } from '../../kit/values/language.ts'
import { sql } from '../../kit/database/sql.ts'
import type { Fulfillment } from '../../commerce/fulfillments/fulfillment.ts'
import type { NamedPart } from '../../commerce/orders/parts.ts'
import type { Order } from '../../commerce/orders/order.ts'
import { findOrderRate, type OrderRate } from '../../commerce/orders/rate.ts'
import type { Refund } from '../../commerce/orders/refunds/refund.ts'
import type { Return } from '../../commerce/returns/return.ts'
import type { Image } from './letter.ts'
import type { LetterStore } from './store.ts'

/** The store's current payment method, and the rate as it was when the order was placed. */
export type Methods = { method: { name: string | null; instructions: string | null } | null; rate: OrderRate | null }

export async function findMethods(db: Db, storeId: string, order: LetterOrder): Promise<Methods> {
  const { payment_method: code } = order
  const [method, rate] = await Promise.all([
    code &&
      db.one<NonNullable<Methods['method']>>(sql`
    select name, instructions
    from payment_methods
    where store_id = ${storeId}
      and code = ${code}`),
    findOrderRate(db, storeId, { id: toUuid('ord', order.id), code: order.shipping_method }),
  ])
  return { method: method || null, rate }
}

/** The fields of an order in emails. */
// prettier-ignore
export type LetterOrder = Pick<Order,
  | 'id' | 'currency' | 'payment_status' | 'payment_method' | 'shipping_method' | 'shipping_address' | 'billing_address'
  | 'country_code'
  | 'customer_name' | 'customer_phone' | 'customer_email' | 'customer_notes' | 'custom_fields' | 'order_bumps'
  | 'captured_amount' | 'refunded_amount'
  | 'subtotal' | 'discount_amount' | 'discount_code' | 'discounts' | 'shipping_cost' | 'tax_amount' | 'included_tax'
  | 'tax_lines'
  | 'total' | 'amount_due'
> & {
  /** Null without an order. */
  order_number: number | null
  /** Undefined without an order. */
  created_at?: Date
  /** Only for draft orders. */
  draft_number?: string
  link_expires_at?: Date | null
  items: (Pick<
    Order['items'][number],
    'id' | 'product_id' | 'variant_id' | 'product_name' | 'variant_name' | 'quantity' | 'total_price'
  > & {
    parts?: readonly NamedPart[] | null
    available_on?: string | null
    requires_shipping?: boolean
  })[]
}

/** The fields of a fulfillment that emails show. */
export type LetterParcel = Pick<Fulfillment, 'carrier' | 'tracking_number' | 'tracking_url' | 'items'>

export type LetterRefund = Pick<Refund, 'amount' | 'tax_amount' | 'reason' | 'by_hand'> & {
  items: Pick<Refund['items'][number], 'item_id' | 'quantity'>[]
}

export type LetterReturn = Pick<Return, 'id' | 'instructions' | 'decline_reason'> & {
  items: Pick<Return['items'][number], 'item_id' | 'quantity' | 'reason' | 'note'>[]
}

export type OrderFacts = Methods & {
  order: LetterOrder
  parcel: LetterParcel | null
  refund: LetterRefund | null
  returned: LetterReturn | null
  refunds: LetterRefunds | null
  store: LetterStore
  language: Language
  url: string
  /** The URL that unsubscribes from such emails. */
  unsubscribeUrl: string | null
  /** The image of the first line. */
  image: Image | null
}

/** Amounts of an order that were refunded, are being refunded, and were recorded as paid back outside the provider. */
export type LetterRefunds = { refunded: number; refunding: number; by_hand: number }

export async function findRefunds(db: Db, storeId: string, order: Pick<LetterOrder, 'id'>): Promise<LetterRefunds> {
  const sums = await db.one<Record<keyof LetterRefunds, string>>(sql`
    select coalesce(sum(amount) filter (where status = 'succeeded' and session_id is not null), 0) as refunded,
      coalesce(sum(amount) filter (where status = 'pending'), 0) as refunding,
      coalesce(sum(amount) filter (where status = 'succeeded' and session_id is null), 0) as by_hand
    from refunds
    where store_id = ${storeId}
      and order_id = ${toUuid('ord', order.id)}`)
  const { refunded, refunding, by_hand } = sums!
  return { refunded: toNumber(refunded), refunding: toNumber(refunding), by_hand: toNumber(by_hand) }
}

/** The image of a line, as the shop shows it. */
export async function findImage(
  db: Db,
  storeId: string,
  line: Pick<LetterOrder['items'][number], 'product_id' | 'variant_id'> | undefined,
): Promise<string | null> {
  const productId = line?.product_id && toUuid('prod', line.product_id)
  if (!productId) return null
  const row = await db.one<{ image: string | null }>(sql`
    select coalesce(variants.image, products.main_image) as image
    from products
    left join variants on variants.store_id = products.store_id
      and variants.product_id = products.id
      and variants.id = ${line.variant_id}::uuid
    where products.store_id = ${storeId}
      and products.id = ${productId}::uuid`)
  return row?.image ?? null
}
