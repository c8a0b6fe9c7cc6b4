// A customer pays a draft order by its link. The order is placed once: concurrent and repeated payments get the same.
import type { StoreDatabase, Tx } from '../../../kit/database/database.ts'
import type { Actor } from '../../../kit/declare/route.ts'
import { fault } from '../../../kit/values/faults.ts'
import { toNumber, type Decimal } from '../../../kit/values/money.ts'
import type { DraftOrderRow } from '../../../commerce/draftorders/draftorder.ts'
import type { CheckoutMethod } from '../../../commerce/payments/method.ts'
import { findOpenSession, findReturnedSession } from '../../../commerce/payments/session.ts'
import { queueNotice } from '../../../tenancy/emails/queue.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { lockCheckout } from '../cart/operations.ts'
import type { SettlementDeps } from '../checkout.ts'
import { checkoutFaults } from '../errors.ts'
import { findOffer } from '../offers/offer.ts'
import {
  alreadyCompleted,
  belowMinimum,
  placeOrAskForPayment,
  type PlacedCheckout,
  type UnpaidCheckout,
} from '../settlement/complete.ts'
import { linkEnded } from '../settlement/draftcheckout.ts'
import type { Settlement } from '../settlement/outcome.ts'
import { quoteOrder } from '../settlement/place.ts'
import { settleForShopper } from '../settlement/settle.ts'
import { blockDraft } from '../../../commerce/draftorders/operations.ts'

export type DraftPaymentInput = {
  method: CheckoutMethod | undefined
  /** The total that the customer was shown; nobody pays more. */
  total: Decimal
  pay?: 'ok' | 'fail'
  returnUrl: string
}

const actor: Actor = { kind: 'system', id: 'storefront' }

/** Places the order, or starts the payment that it needs first. `draft` is the one read by the link. */
export async function payDraftOrder(
  tx: Tx,
  store: Store,
  draft: DraftOrderRow,
  { method, total, pay, returnUrl }: DraftPaymentInput,
  deps: SettlementDeps,
): Promise<PlacedCheckout | UnpaidCheckout> {
  const offer = findOffer(tx, store)
  // Locked before the draft, as in a settlement. Concurrent requests wait here and then find the order.
  const before = await lockCheckout(tx, store.id, draft.checkout_id!)
  if (!before) throw linkEnded()
  if (before.order_id) return alreadyCompleted(tx, store, before, offer)
  const row = { ...before, payment_method: method?.code ?? null }
  const ready = await quoteOrder(tx, store, { before, row }, offer, deps)
  const isDearer = ready.faults.length === 0 && ready.quote.total.greaterThan(total)
  const faults = [
    ...ready.faults,
    ...(isDearer ? [fault('total', checkoutFaults.total_is, { to: toNumber(ready.quote.total) })] : []),
    ...belowMinimum(ready.quote, store),
  ]
  const how = { ...(pay ? { pay } : {}), return_url: () => returnUrl }
  return placeOrAskForPayment(tx, store, { before, ready, faults }, how, { deps, actor })
}

/** Asks the provider about the link's payment. Null if there is none, or if its outcome is already applied. */
export async function checkDraftPayment(
  db: StoreDatabase,
  store: Store,
  { checkout_id }: DraftOrderRow,
  deps: SettlementDeps,
): Promise<Settlement | null> {
  const open = await findOpenSession(db, store.id, checkout_id!)
  const session = open?.reference ? open : await findReturnedSession(db, store.id, checkout_id!, { isUnshown: true })
  if (!session) return null
  return settleForShopper(db, store, session.id, deps)
}

/** Tells the merchant that the customer cannot pay; once until the draft is changed. */
export async function reportBlocked(tx: Tx, store: Store, id: string): Promise<void> {
  if (await blockDraft(tx, store.id, id)) queueNotice(tx, store, 'draft_order_blocked', { draft_order_id: id })
}
