// Which rows tell of a customer: what is handed out to them, and what is erased.
import type { Db } from '../../kit/database/database.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { findPerson, isEmailOf, isPhoneOf, type Person } from './person.ts'

/** A person with their store, and the uuids of their orders, comments on these, returns, checkouts and draft orders. */
export type PrivacySubject = Person & {
  storeId: string
  orderIds: string[]
  returnIds: string[]
  checkoutIds: string[]
  commentIds: string[]
  draftOrderIds: string[]
}

export async function findSubject(db: Db, store: Store, id: string): Promise<PrivacySubject> {
  const person = await findPerson(db, store, id)
  const idsOf = async (table: Sql, isTheirs: Sql) => {
    const rows = await db.rows<{ id: string }>(sql`
      select id from ${table}
      where store_id = ${store.id}
        and ${isTheirs}`)
    return rows.map((row) => row.id)
  }
  const orderIds = await idsOf(sql`orders`, sql`customer_id = ${id}`)
  const commentIds = await idsOf(sql`order_comments`, sql`order_id = any(${orderIds}::uuid[])`)
  const checkoutIds = await idsOf(sql`checkouts`, isCheckoutOf({ ...person, orderIds }, store.id))
  const draftOrderIds = await idsOf(sql`draft_orders`, isDraftOf(person))
  const returnIds = await idsOf(sql`returns`, sql`order_id = any(${orderIds}::uuid[])`)
  return { ...person, storeId: store.id, orderIds, returnIds, checkoutIds, commentIds, draftOrderIds }
}

/** A phone is often shared: it proves nothing where both the person and the checkout have an email. */
function isCheckoutOf(person: Person & Pick<PrivacySubject, 'orderIds'>, storeId: string): Sql {
  const at = sql`checkouts.created_at`
  return sql`(checkouts.order_id = any(${person.orderIds}::uuid[])
        or ${isEmailOf(person, sql`checkouts.customer_email`, at)}
        or (${isPhoneOf(person, sql`checkouts.customer_phone`, at)}
          and (checkouts.customer_email is null or ${raw(String(person.emails.length === 0))})
          and not exists (
            select from customers as others
            where others.store_id = ${storeId}
              and lower(others.email) = lower(checkouts.customer_email)
              and others.id <> ${person.id})))`
}

/** Drafts made for them, or sent to an address of theirs. */
function isDraftOf(person: Person): Sql {
  const at = sql`draft_orders.created_at`
  return sql`(draft_orders.customer_id = ${person.id}
        or ${isEmailOf(person, sql`draft_orders.customer_email`, at)})`
}

/** Mail to them, about whatever; what went to the merchant about their orders is not. */
export function isMailTo(subject: PrivacySubject): Sql {
  return sql`(${isEmailOf(subject, sql`mails.recipient`, sql`mails.created_at`)}
        or (mails.kind not in ('order_notice', 'order_mention', 'return_notice', 'team_summary')
          and (mails.order_id = any(${subject.orderIds}::uuid[])
            or mails.checkout_id = any(${subject.checkoutIds}::uuid[]))))`
}

/** Messages they sent to the merchant. */
export function isEnquiryOf(person: Person): Sql {
  const sender = sql`mails.enquiry ->> 'email'`
  return sql`(mails.enquiry is not null and ${isEmailOf(person, sender, sql`mails.created_at`)})`
}
