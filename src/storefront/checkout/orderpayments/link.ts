// The link that pays the amount due of an order, copied or sent by email.
import type { Tx } from '../../../kit/database/database.ts'
import type { Create } from '../../../kit/declare/field.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import { resource, type Json } from '../../../kit/declare/resource.ts'
import { json } from '../../../kit/declare/route.ts'
import { flag, money, url } from '../../../kit/declare/scalars.ts'
import { createBody } from '../../../kit/declare/shape.ts'
import { invalid } from '../../../kit/values/errors.ts'
import { fault, type Fault } from '../../../kit/values/faults.ts'
import { toNumber } from '../../../kit/values/money.ts'
import type { Vault } from '../../../kit/values/secrets.ts'
import { orderPath } from '../../../commerce/orders/link.ts'
import { order as orders, type Order } from '../../../commerce/orders/order.ts'
import { queueMail } from '../../../tenancy/emails/queue.ts'
import { ownLanguage } from '../../../tenancy/stores/language.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { checkoutFaults } from '../errors.ts'
import { findDue } from './due.ts'

const fields = { send: flag().default(true).describe('Whether to email the link to the customer') }

export type NewPaymentLink = Create<typeof fields>
export const newPaymentLink = createBody(fields)

// prettier-ignore
export const paymentLink = resource('orders', {
  url:      url().readonly().describe('Page of the online store where the amount is paid'),
  amount:   money().readonly().describe('Amount due that is not authorized yet'),
  currency: orders.fields.currency.readonly(),
  sent_to:  orders.fields.customer_email.readonly().describe('Email that the link is sent to; null if it is not sent'),
}, {}, { noun: 'Order', title: 'Payment link' }).entity

/** The page shows the current amount due, so older links stay valid. */
export async function createPaymentLink(
  tx: Tx,
  store: Store,
  orderId: string,
  { send }: NewPaymentLink,
  { vault }: { vault: Vault },
): Promise<Json<object>> {
  const [{ entity: order }, due] = await Promise.all([
    findRecord(tx, orders, store.id, orderId),
    findDue(tx, store.id, orderId),
  ])
  const { customer_id, customer_email, locale, currency } = order
  // Only the order still has the email of an erased customer.
  const recipient = customer_id === null ? null : customer_email
  const faults: Fault[] = [
    ...(due.isZero() ? [fault('amount', checkoutFaults.nothing_due)] : []),
    ...(send && recipient === null ? [fault('send', checkoutFaults.email_missing)] : []),
  ]
  if (faults.length > 0) throw invalid(...faults)
  if (send) {
    const about = { order_id: orderId }
    queueMail(tx, store.id, {
      kind: 'payment_request',
      recipient: recipient!,
      language: locale ?? ownLanguage(store),
      about,
    })
  }
  return json({
    url: `${store.storefront_url}${paymentPath(vault, store.id, order)}`,
    amount: toNumber(due),
    currency,
    sent_to: send ? recipient : null,
  })
}

/** The path below the store's URL. */
function paymentPath(vault: Vault, storeId: string, { id }: Pick<Order, 'id'>): string {
  return `${orderPath(vault, storeId, id)}/pay`
}
