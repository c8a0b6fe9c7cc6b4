// Emails about a payment: to the merchant if it needs review, to the shopper about a refund.
import type { Tx } from '../../kit/database/database.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { sql } from '../../kit/database/sql.ts'
import type { PaymentMail } from '../../tenancy/emails/kinds.ts'
import { insertMails, queueNotice } from '../../tenancy/emails/queue.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { PaymentSession } from './session.ts'

type PaymentReference = Pick<PaymentSession, 'id' | 'order_id' | 'checkout_id'>

/** To the merchant. */
export function mailMerchant(tx: Tx, store: Store, { id, order_id }: PaymentReference, kind: PaymentMail): void {
  queueNotice(tx, store, kind, { payment_id: id, order_id })
}

/** To the shopper whose checkout it is, and to the merchant. */
export function mailReturned(tx: Tx, store: Store, session: PaymentReference): void {
  const { id, checkout_id } = session
  tx.later(
    insertMails(
      tx,
      'payment_returned',
      ['checkout_id', 'payment_id'],
      sql`
      select store_id, ${newUuid()}::uuid as id, customer_email as recipient, locale as language, id as checkout_id,
        ${id}::uuid as payment_id
      from checkouts
      where store_id = ${store.id}
        and id = ${checkout_id}
        and customer_email is not null`,
    ),
  )
  mailMerchant(tx, store, session, 'payment_returned_notice')
}
