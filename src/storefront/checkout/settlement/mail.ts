// The email to a shopper whose payment failed, with a link back to the checkout.
import type { Tx } from '../../../kit/database/database.ts'
import { newUuid } from '../../../kit/values/ids.ts'
import { raw, sql, bindStore } from '../../../kit/database/sql.ts'
import { emailHash } from '../../../tenancy/tables/person.ts'
import type { MailKind } from '../../../tenancy/emails/kinds.ts'
import { insertMails } from '../../../tenancy/emails/queue.ts'
import type { PaymentSession } from '../../../commerce/payments/session.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { addSeconds } from '../states.ts'

const kind: MailKind = 'payment_failed'
const quietSeconds = 24 * 60 * 60

/**
 * For a session that ended without money or order. An address gets one such email a day from a store, and none after it
 * has opted out.
 */
export function mailFailedPayment(
  tx: Tx,
  store: Pick<Store, 'id'>,
  { checkout_id }: Pick<PaymentSession, 'checkout_id'>,
): void {
  tx.later(
    insertMails(
      tx,
      kind,
      ['checkout_id'],
      sql`select store_id, ${newUuid()}::uuid as id, customer_email as recipient, locale as language, id as checkout_id
      from checkouts
      where store_id = ${store.id}
        and id = ${checkout_id}::uuid
        and order_id is null
        and status in ('active', 'abandoned')
        and customer_email is not null
        and not ${refusesMail}
        and not exists (
          select from mails as sent
          where sent.store_id = ${store.id}
            and lower(sent.recipient) = lower(customer_email)
            and sent.kind = ${kind}
            and sent.created_at > ${addSeconds(tx.now, -quietSeconds)})`,
    ),
  )
}

/** True if the shopper of `checkouts` has opted out of recovery emails. */
export const refusesMail = sql`((
          select created_at from mail_refusals
          where mail_refusals.store_id = ${bindStore('checkouts.store_id')}
            and mail_refusals.email_hash = ${emailHash(raw('checkouts.customer_email'))}) is not null)`

/** True if the store and its plan send recovery emails. */
export const sendsRecovery = sql`(stores.status = 'active'
          and stores.recovery_email_enabled
          and 'abandoned_checkouts' = any(plans.features))`
