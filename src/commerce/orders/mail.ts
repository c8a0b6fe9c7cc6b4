// Emails to the customer of an order, by kind of change.
import type { Db, Tx } from '../../kit/database/database.ts'
import { newUuid, toUuid } from '../../kit/values/ids.ts'
import type { Language } from '../../kit/values/language.ts'
import { records, sql } from '../../kit/database/sql.ts'
import type { MailKind } from '../../tenancy/emails/kinds.ts'
import { insertMails, queueMail, type MailSubject } from '../../tenancy/emails/queue.ts'
import { ownLanguage } from '../../tenancy/stores/language.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { OrderChanges } from './changes.ts'
import type { Order } from './order.ts'
import type { PaymentStatus, OrderStatus } from './states.ts'

const mailOfStatus: Partial<Record<OrderStatus, MailKind>> = { cancelled: 'order_cancelled' }
const mailOfPayment: Partial<Record<PaymentStatus, MailKind>> = { paid: 'order_paid' }

export type MailableOrder = Pick<Order, 'customer_email' | 'locale' | 'notify_customer'>

/** Sends nothing if the customer does not want emails about the order, or has no address. */
export function mailOrder(tx: Tx, store: Store, kind: MailKind, order: MailableOrder, about: MailSubject): void {
  const { customer_email: recipient, locale, notify_customer } = order
  if (!notify_customer || !recipient) return
  queueMail(tx, store.id, { kind, recipient, language: locale ?? ownLanguage(store), about })
}

/** True if the order's confirmation is sent or waits to be: it was not refused, failed or suppressed. */
export async function isConfirmedByEmail(db: Db, storeId: string, orderId: string): Promise<boolean> {
  const row = await db.one<{ is_sent: boolean }>(sql`
    select exists (
      select
      from mails
      where store_id = ${storeId}
        and order_id = ${orderId}
        and kind = 'order_confirmation'
        and status in ('queued', 'sent')
    ) as is_sent`)
  return row!.is_sent
}

type OrderLetter = { order: MailableOrder; about: MailSubject }

/**
 * The same for many orders: one statement for the first email to each address. Further ones to it are counted one by
 * one, as an address gets a limited number.
 */
export function mailOrders(tx: Tx, store: Store, kind: MailKind, letters: readonly OrderLetter[]): void {
  const seen = new Set<string>()
  const first: (MailSubject & { id: string; recipient: string; language: Language })[] = []
  const further: OrderLetter[] = []
  for (const letter of letters) {
    const { customer_email: recipient, locale, notify_customer } = letter.order
    if (!notify_customer || !recipient) continue
    if (seen.has(recipient.toLowerCase())) further.push(letter)
    else first.push({ id: newUuid(), recipient, language: locale ?? ownLanguage(store), ...letter.about })
    seen.add(recipient.toLowerCase())
  }
  if (first.length > 0) {
    const types = { id: 'uuid', recipient: 'text', language: 'text', order_id: 'uuid', fulfillment_id: 'uuid' }
    tx.later(
      insertMails(
        tx,
        kind,
        ['order_id', 'fulfillment_id'],
        sql`select ${store.id}::text as store_id, first.* from ${records('first', types, first)}`,
      ),
    )
  }
  for (const { order, about } of further) mailOrder(tx, store, kind, order, about)
}

export function mailChange(
  tx: Tx,
  store: Store,
  order: Order,
  before: Pick<Order, 'payment_status'>,
  { status, payment_status }: OrderChanges,
): void {
  // A failed refund makes an order paid again, but nobody has paid.
  const isPayment = payment_status && before.payment_status !== 'refunded'
  const kinds = [status && mailOfStatus[status], isPayment && mailOfPayment[payment_status]]
  for (const kind of kinds) if (kind) mailOrder(tx, store, kind, order, { order_id: toUuid('ord', order.id) })
}

const maxLinksPerDay = 3

/**
 * Sent only to the order's own email. The caller does not learn whether it matches. At most three per order and day.
 */
export function mailOrderLink(
  tx: Tx,
  store: Store,
  { email, number, language }: { email: string; number: number; language: Language },
): void {
  const kind: MailKind = 'order_link'
  // Concurrent requests take turns, so that the count is exact.
  tx.later(sql`select from orders where store_id = ${store.id} and order_number = ${number} for no key update`)
  tx.later(
    insertMails(
      tx,
      kind,
      ['order_id'],
      sql`select store_id, ${newUuid()}::uuid as id, customer_email as recipient, ${language}::text as language,
        id as order_id
      from orders
      where store_id = ${store.id}
        and order_number = ${number}
        and lower(customer_email) = lower(${email})
        and (
          select count(*)
          from mails as sent
          where sent.store_id = ${store.id}
            and sent.order_id = orders.id
            and sent.kind = ${kind}
            and sent.created_at > ${new Date(tx.now.getTime() - 24 * 3600 * 1000)}) < ${maxLinksPerDay}`,
    ),
  )
}
