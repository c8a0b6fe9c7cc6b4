// The mail to a shopper whose payment came to nothing, with the way back to the checkout.
import type { Tx } from '../kit/database/database.ts'
import { newUuid } from '../kit/values/ids.ts'
import { raw, sql, type Sql } from '../kit/database/sql.ts'
import { announceMail } from '../mails/announce.ts'
import type { MailKind } from '../mails/kinds.ts'
import { isWanted } from '../mails/queue.ts'
import type { Session } from '../payments/session.ts'
import type { Store } from '../stores/store.ts'
import { later } from './states.ts'

const kind: MailKind = 'payment_failed'
/** Time to try again: who has an order by then gets no mail. */
const pauseSeconds = 15 * 60
const quietSeconds = 24 * 60 * 60

/**
 * For a session that has just ended without money, and no order was made meanwhile. One address gets one such mail a
 * day from a store, and none when it wants no mail about what it left.
 */
export function mailFailedPayment(
  tx: Tx,
  store: Pick<Store, 'id'>,
  { checkout_id }: Pick<Session, 'checkout_id'>,
): void {
  tx.later(sql`
    insert into mails (store_id, id, kind, recipient, language, checkout_id, status, next_attempt_at, created_at,
      request_id)
    select store_id, ${newUuid()}::uuid, ${kind}, customer_email, locale, id, 'queued',
      ${later(tx.now, pauseSeconds)}::timestamptz, ${tx.now}::timestamptz, ${tx.cause.requestId}
    from checkouts
    where store_id = ${store.id}
      and id = ${checkout_id}::uuid
      and order_id is null
      and status in ('active', 'abandoned')
      and customer_email is not null
      and ${isWanted(store.id, kind)}
      and (
        select created_at from mail_refusals
        where mail_refusals.store_id = checkouts.store_id
          and mail_refusals.email_hash = ${emailHash(raw('checkouts.customer_email'))}) is null
      and not exists (
        select from mails as sent
        where sent.store_id = ${store.id}
          and lower(sent.recipient) = lower(customer_email)
          and sent.kind = ${kind}
          and sent.created_at > ${later(tx.now, -quietSeconds)})`)
  tx.afterCommit(announceMail)
}

/** Under which an address is kept that wants no mail about what it left. */
export function emailHash(email: Sql): Sql {
  return sql`sha256(convert_to(lower(${email}), 'UTF8'))`
}
