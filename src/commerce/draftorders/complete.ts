// A draft becomes an order: by hand, or when its link is paid.
import type { Tx } from '../../kit/database/database.ts'
import type { RecordOf } from '../../kit/declare/resource.ts'
import type { Actor } from '../../kit/declare/route.ts'
import type { Create } from '../../kit/declare/field.ts'
import { choice, flag } from '../../kit/declare/scalars.ts'
import { createBody } from '../../kit/declare/shape.ts'
import { toUuid } from '../../kit/values/ids.ts'
import type { Decimal } from '../../kit/values/money.ts'
import { findCustomer } from '../customers/matching.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { createOrder } from '../orders/operations.ts'
import { order, type NewOrder, type Order } from '../orders/order.ts'
import { toDraftContent, toOrderInput } from './content.ts'
import type { DraftItem, DraftOrderRow } from './draftorder.ts'
import { lockDraft, requireNone, requireOpen, writeDraft } from './operations.ts'
import { quoteDraft, type DraftQuote } from './quote.ts'

// prettier-ignore
const fields = {
  payment_status:  choice(['pending', 'paid']).default('pending').describe('Whether the order is paid already'),
  payment_method:  order.fields.payment_method.describe('Payment method of the order; defaults to that of the draft'),
  notify_customer: flag().default(false).describe('Whether the customer gets emails about the order'),
}

export const completion = createBody(fields)
export type DraftCompletion = Create<typeof fields>

/** Creates the order at once. Its link ends: money that still arrives through it is refunded. */
export async function completeDraftOrder(
  tx: Tx,
  store: Store,
  id: string,
  input: DraftCompletion,
  actor: Actor,
): Promise<RecordOf<Order>> {
  const row = await lockDraft(tx, store.id, id)
  requireOpen(row)
  const quote = await quoteDraft(tx, store, toDraftContent(row), { now: tx.now, existing: row.items as DraftItem[] })
  requireNone(quote.faults)
  const { payment_status, payment_method = row.payment_method, notify_customer } = input
  return placeDraft(tx, store, row, quote, { payment_status, payment_method, notify_customer }, actor)
}

/** The payment of the order. `captured` is the amount captured by a provider. */
export type DraftPayment = Pick<NewOrder, 'payment_status' | 'notify_customer' | 'source'> & {
  payment_method: string | null
  captured?: Decimal
}

/** The draft is locked, and its quote has no faults. */
export async function placeDraft(
  tx: Tx,
  store: Store,
  draft: DraftOrderRow,
  { lines, buyer, price }: DraftQuote,
  payment: DraftPayment,
  actor: Actor,
): Promise<RecordOf<Order>> {
  const { discount_percentage: _, discount_amount: __, ...content } = toOrderInput(toDraftContent(draft))
  const isByHand = price.applied.length === 0 && !price.discount_amount.isZero()
  const input: NewOrder = {
    ...content,
    ...payment,
    items: [],
    ...(isByHand ? { discount_amount: price.discount_amount.toNumber() } : {}),
    shipping_cost: price.shipping_cost.toNumber(),
    free_shipping: price.free_shipping,
    tax_amount: price.tax_amount.toNumber(),
    taxes: price.taxes,
  }
  const customerId = draft.customer_id ? null : await findCustomer(tx, store, buyer.contact)
  const record = await createOrder(tx, store, input, actor, { lines, applied: price.applied, customerId })
  const own = { order_id: toUuid('ord', record.id), completed_at: tx.now, blocked_at: null }
  await writeDraft(tx, store, draft.id, {}, own, 'draft_order.completed')
  return record
}
