// Which rows tell of a customer: what is handed out to them, and what is erased.
import type { Db } from '../../kit/database/database.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { isEmailOf, isPhoneOf, type ErasedPerson, type Person } from '../../tenancy/tables/person.ts'
import { findPerson } from './person.ts'

export async function findSubject(db: Db, store: Store, id: string): Promise<ErasedPerson> {
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
function isCheckoutOf(person: Person & Pick<ErasedPerson, 'orderIds'>, storeId: string): Sql {
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
