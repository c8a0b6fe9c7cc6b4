// A customer pays the amount due of a placed order with a method of the store.
import type { StoreDatabase, Tx } from '../../../kit/database/database.ts'
import { invalid } from '../../../kit/values/errors.ts'
import { fault } from '../../../kit/values/faults.ts'
import { newUuid, publicId } from '../../../kit/values/ids.ts'
import { Decimal, toNumber } from '../../../kit/values/money.ts'
import { lockOrder } from '../../../commerce/orders/changes.ts'
import { moveMoney } from '../../../commerce/orders/operations.ts'
import { decideImmediatePayment, insertImmediatePayment } from '../../../commerce/payments/immediatepayments.ts'
import type { CheckoutMethod } from '../../../commerce/payments/method.ts'
import { remoteProvider } from '../../../commerce/payments/providercalls.ts'
import { findOrderSession, openOrderSession, type SessionWithSettings } from '../../../commerce/payments/session.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { SettlementDeps } from '../checkout.ts'
import { checkoutFaults } from '../errors.ts'
import { requestRedirectUrl } from '../settlement/pay.ts'
import { settlePayment } from '../settlement/settle.ts'
import { findDue } from './due.ts'

export type OrderPaymentInput = {
  method: CheckoutMethod
  /** The amount that the shopper was shown; nobody pays more. */
  amount: Decimal
  pay?: 'ok' | 'fail'
  returnUrl: string
}

/** `redirect`: the provider's page. Paid: nothing is due anymore. Manual: the merchant confirms the payment. */
export type OrderPaymentStep = { step: 'redirect'; url: string } | { step: 'paid' | 'waiting' | 'manual' }

export async function payOrder(
  db: StoreDatabase,
  store: Store,
  orderId: string,
  input: OrderPaymentInput,
  deps: SettlementDeps,
): Promise<OrderPaymentStep> {
  await checkOrderPayment(db, store, orderId, deps)
  const session = await db.transaction((tx) => beginPayment(tx, store, orderId, input))
  if (session === 'paid' || session === 'manual') return { step: session }
  const url = await requestRedirectUrl(db, store, session, deps)
  if (url !== null) return { step: 'redirect', url }
  await settlePayment(db, store, session.id, deps)
  return { step: 'waiting' }
}

/** Asks the provider about the open payment of an order. Returns it if it is still open. */
export async function checkOrderPayment(
  db: StoreDatabase,
  store: Store,
  orderId: string,
  deps: SettlementDeps,
): Promise<SessionWithSettings | undefined> {
  const session = await findOrderSession(db, store.id, orderId)
  if (!session?.reference) return undefined
  await settlePayment(db, store, session.id, deps)
  return findOrderSession(db, store.id, orderId)
}

/** Concurrent requests wait for the order's lock and then find the open payment. */
async function beginPayment(
  tx: Tx,
  store: Store,
  orderId: string,
  { method, amount, pay, returnUrl }: OrderPaymentInput,
): Promise<SessionWithSettings | 'paid' | 'manual'> {
  await lockOrder(tx, store.id, orderId)
  const due = await findDue(tx, store.id, orderId)
  if (due.isZero()) return 'paid'
  const { currency } = store
  const remote = remoteProvider(method.provider)
  if (!remote && method.provider === 'manual') return 'manual'
  if (due.greaterThan(amount)) throw invalid(fault('total', checkoutFaults.total_is, { to: toNumber(due) }))
  if (remote) {
    const price = remote.minimums?.[currency] ?? 0
    if (due.lessThan(price)) throw invalid(fault('payment_method', checkoutFaults.below_minimum, { price, currency }))
    return openOrderSession(tx, store.id, { orderId, method, amount: due, currency, returnUrl: () => returnUrl })
  }
  const payment = decideImmediatePayment(
    { method },
    { checkoutId: publicId('pmt', newUuid()), ...(pay ? { pay } : {}) },
  )
  if (payment) {
    insertImmediatePayment(tx, store, { ...payment, orderId, checkoutId: null, amount: due, currency })
    await moveMoney(tx, store, orderId, { captured: due, refunded: new Decimal(0) })
  }
  return 'paid'
}
