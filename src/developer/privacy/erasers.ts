// Erasure in tables where clearing the personal fields is not enough.
import type { Tx } from '../../kit/database/database.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import { withoutPersonal } from '../../kit/declare/row.ts'
import { draftOrder } from '../../commerce/draftorders/draftorder.ts'
import { endAccess } from '../../commerce/customers/access.ts'
import { checkout } from '../../storefront/checkout/checkout.ts'
import { mail } from '../../tenancy/emails/mail.ts'
import { isEmailOf } from './person.ts'
import { isEnquiryOf, isMailTo, type PrivacySubject } from './subject.ts'

/** Stops later emails. */
export function eraseCheckouts(tx: Tx, storeId: string, { checkoutIds }: PrivacySubject): void {
  tx.later(sql`
    update checkouts
    set ${withoutPersonal(checkout.fields)},
        recovery_mail = case recovery_mail when 'queued' then 'withheld' else recovery_mail end
    where store_id = ${storeId}
      and id = any(${checkoutIds}::uuid[])`)
}

/** Their links end: nobody is left to pay them. */
export function eraseDraftOrders(tx: Tx, storeId: string, { draftOrderIds }: PrivacySubject): void {
  tx.later(sql`
    update draft_orders
    set ${withoutPersonal(draftOrder.fields)},
        customer_id = null, search_text = '', checkout_id = null, link_expires_at = null
    where store_id = ${storeId}
      and id = any(${draftOrderIds}::uuid[])`)
}

/** Answers are kept sealed for a day and cannot be matched to a person without the request. */
export function eraseAnswers(tx: Tx, storeId: string, subject: PrivacySubject): void {
  const { id, orderIds, draftOrderIds, returnIds } = subject
  tx.later(sql`
    update idempotency_keys
    set body = null
    where store_id = ${storeId}
      and records && ${[id, ...orderIds, ...draftOrderIds, ...returnIds]}::uuid[]`)
}

/** Cancels emails to their addresses and removes the addresses of earlier ones. */
export function eraseMails(tx: Tx, storeId: string, subject: PrivacySubject): void {
  tx.later(sql`
    update mails
    set ${withoutPersonal(mail.fields)},
        status = case status when 'queued' then 'suppressed' else status end,
        error = case when status = 'queued' or error is not null then 'The person was erased' end,
        next_attempt_at = null
    where store_id = ${storeId}
      and ${isMailTo(subject)}`)
  // A server's answer may repeat who wrote.
  tx.later(sql`
    update mails
    set enquiry = null,
        error = case when error is not null then 'The person was erased' end
    where store_id = ${storeId}
      and ${isEnquiryOf(subject)}`)
}

export function eraseOutbox(tx: Tx, storeId: string, subject: PrivacySubject): void {
  const at = sql`created_at`
  tx.later(sql`
    delete from outbox
    where store_id = ${storeId}
      and (customer_id = ${subject.id}
        or ${isEmailOf(subject, sql`recipient`, at)}
        or ${isEmailOf(subject, sql`reply_to`, at)})`)
}

/** What staff wrote about their orders; the audit log loses it, too. */
export function eraseComments(tx: Tx, storeId: string, { orderIds }: PrivacySubject): void {
  tx.later(sql`
    delete from order_comments
    where store_id = ${storeId}
      and order_id = any(${orderIds}::uuid[])`)
}

/** Pages of the provider that name the payer. Open payments still need them. */
export function erasePaymentLinks(tx: Tx, storeId: string, { orderIds, checkoutIds }: PrivacySubject): void {
  tx.later(sql`
    update payment_sessions
    set return_url = null,
        redirect_url = null
    where store_id = ${storeId}
      and look_at is null
      and (order_id = any(${orderIds}::uuid[]) or checkout_id = any(${checkoutIds}::uuid[]))
      and (return_url is not null or redirect_url is not null)`)
}

/** Proposals that name the person or a record of theirs, in the request or the answer. */
export function eraseProposals(tx: Tx, storeId: string, subject: PrivacySubject): void {
  const said = sql`lower(concat(request, answer, rehearsal, note, reason, result))`
  const records = [
    publicId('cus', subject.id),
    ...subject.orderIds.map((id) => publicId('ord', id)),
    ...subject.returnIds.map((id) => publicId('ret', id)),
    ...subject.checkoutIds.map((id) => publicId('chk', id)),
    ...subject.draftOrderIds.map((id) => publicId('dord', id)),
  ]
  tx.later(sql`
    delete from proposals
    where store_id = ${storeId}
      and ${names(said, [...records, ...wordsOf(subject)])}`)
}

/** Rows of imported files that made a record of theirs or name them keep their outcome, and nothing else. */
export function eraseImportRows(tx: Tx, storeId: string, subject: PrivacySubject): void {
  const records = [publicId('cus', subject.id), ...subject.orderIds.map((id) => publicId('ord', id))]
  tx.later(sql`
    update import_rows
    set cells = '[]', messages = '[]'
    where store_id = ${storeId}
      and (record_id = any(${records}) or ${names(sql`lower(cells::text)`, wordsOf(subject))})`)
}

/** A list that was searched for the person: its query is that of an address. */
export function eraseViews(tx: Tx, storeId: string, subject: PrivacySubject): void {
  const encoded = wordsOf(subject).flatMap((word) => [
    encodeURIComponent(word),
    String(new URLSearchParams([['', word]])).slice(1),
  ])
  const words = [publicId('cus', subject.id), ...encoded, ...wordsOf(subject)]
  tx.later(sql`
    delete from saved_views
    where store_id = ${storeId}
      and ${names(sql`lower(concat(query, ' ', name))`, words)}`)
}

const names = (text: Sql, words: readonly string[]) => sql`exists (
        select from unnest(${[...new Set(words)].map((word) => word.toLowerCase())}::text[]) as word
        where strpos(${text}, word) > 0)`

/** Words by which free text names the person. A short name would match inside other words. */
function wordsOf({ emails, phones, names: all }: PrivacySubject): string[] {
  const full = all.filter((name) => /\S\s/.test(name.trim()))
  return [...emails.map(({ value }) => value), ...phones.map(({ value }) => value).filter(isLong), ...full]
}

const isLong = ({ length }: string) => length >= 7

/** Links and codes that were asked for with one of their emails. */
export function eraseSignIns(tx: Tx, storeId: string, { emails }: PrivacySubject): void {
  tx.later(sql`
    delete from shopper_sign_ins
    where store_id = ${storeId}
      and lower(email) = any(${emails.map(({ value }) => value)}::text[])`)
}

export function eraseSessions(tx: Tx, storeId: string, { id }: PrivacySubject): void {
  endAccess(tx, storeId, id)
}
