// Discounts that an order may use, and the uses that orders take and return.
import type { Db, Tx } from '../../kit/database/database.ts'
import { RetryTransaction } from '../../kit/database/errors.ts'
import { hasRow, join, raw, sql, type Sql } from '../../kit/database/sql.ts'
import { isMember } from '../customers/groups/membership.ts'
import { isReachedBy, phoneKey } from '../customers/matching.ts'
import { normalizeDiscountCode, discount } from './discount.ts'
import { maxAutomatic } from './operations.ts'
import type { OfferedDiscounts } from './combination.ts'
import type { FoundDiscount } from './pricing.ts'
import { isUsable } from './usability.ts'

/** The known data of a buyer. `id` is the uuid of a customer. */
export type DiscountBuyer = { id?: string | null; email?: string | null; phone?: string | null }

type Request = { codes: readonly string[]; withAutomatic: boolean; buyer: DiscountBuyer }
type DiscountStore = { id: string; country_code: string }

/** The discounts with the codes that a shopper typed, in any case, and the automatic ones. */
export async function findDiscounts(
  db: Db,
  store: DiscountStore,
  { codes, withAutomatic, buyer }: Request,
): Promise<OfferedDiscounts> {
  if (codes.length === 0 && !withAutomatic) return { codes: [], automatic: [] }
  const requestedCodes = codes.map(normalizeDiscountCode)
  const hasCode = sql`code = any(${requestedCodes}::text[])`
  const rows = await db.rows<FoundDiscount>(sql`
    select ${discount.row.columns},
      (discounts.once_per_customer and ${hasUsed(store, buyer)}) as buyer_has_used,
      (discounts.customer_group_ids <> '{}' and ${isInGroups(store, buyer)}) as buyer_is_member
    from discounts
    where store_id = ${store.id}
      and (${hasCode} or ${raw(withAutomatic ? 'is_automatic and is_active' : 'false')})
    order by ${hasCode} desc, id
    limit ${maxAutomatic + codes.length}`)
  const automatic = withAutomatic ? rows.filter(({ is_automatic, is_active }) => is_automatic && is_active) : []
  return { codes: requestedCodes.map((code) => ({ code, discount: rows.find((row) => row.code === code) })), automatic }
}

/** The discount with this code, as anyone or this buyer can use it. */
export async function findDiscountByCode(
  db: Db,
  store: DiscountStore,
  code: string,
  buyer: DiscountBuyer = {},
): Promise<FoundDiscount | undefined> {
  const { codes } = await findDiscounts(db, store, { codes: [code], withAutomatic: false, buyer })
  return codes[0]!.discount
}

/** The names of the groups that a discount is limited to. `id` is its uuid. */
export async function listDiscountGroupNames(db: Db, storeId: string, id: string): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(sql`
    select customer_groups.name
    from discounts
    join customer_groups on customer_groups.store_id = ${storeId}
      and customer_groups.id = any(discounts.customer_group_ids)
    where discounts.store_id = ${storeId}
      and discounts.id = ${id}
    order by customer_groups.name`)
  return rows.map(({ name }) => name)
}

/** The customer records of a buyer: the one that is named, those with their email, and those of `byPhone`. */
function buildBuyerRecords(storeId: string, { id, email }: DiscountBuyer, byPhone: Sql | null): Sql[] {
  return [
    ...(id ? [sql`id = ${id}`] : []),
    ...(email ? [sql`lower(email) = lower(${email})`] : []),
    ...(byPhone ? [byPhone] : []),
  ].map((isTheirs) => sql`(select id from customers where store_id = ${storeId} and ${isTheirs})`)
}

/** True if a customer record of the buyer is in one of the discount's groups, as of now. */
function isInGroups(store: DiscountStore, buyer: DiscountBuyer): Sql {
  const records = buildBuyerRecords(store.id, buyer, buyer.phone ? isReachedBy(store, buyer) : null)
  if (records.length === 0) return raw('false')
  return hasRow(sql`from customers
        join customer_groups on customer_groups.store_id = ${store.id}
          and customer_groups.id = any(discounts.customer_group_ids)
        where customers.store_id = ${store.id}
          and customers.id = any(array(${join(records, ' union all ')}))
          and ${isMember}`)
}

/**
 * True if an order of the buyer uses the discount: by their customer record, or by the email of the order. Another
 * email with the same phone is the same person here: else a code could be used as often as one has addresses.
 */
function hasUsed({ id: storeId, country_code }: DiscountStore, buyer: DiscountBuyer): Sql {
  const { id, email } = buyer
  const key = phoneKey({ country_code }, buyer.phone ?? null)
  const records = buildBuyerRecords(storeId, buyer, key ? sql`phone_key = ${key}` : null)
  const orders = [
    ...(email ? [sql`lower(orders.customer_email) = lower(${email})`] : []),
    ...(id
      ? [
          sql`lower(orders.customer_email) = any(array(
            select lower(email) from customers where store_id = ${storeId} and id = ${id} and email is not null))`,
        ]
      : []),
    ...(records.length > 0 ? [sql`orders.customer_id = any(array(${join(records, ' union all ')}))`] : []),
  ].map((isTheirs) =>
    hasRow(sql`from orders
        join discount_uses on discount_uses.store_id = ${storeId}
          and discount_uses.order_id = orders.id
          and discount_uses.discount_id = discounts.id
        where orders.store_id = ${storeId}
          and ${isTheirs}`),
  )
  return orders.length > 0 ? sql`(${join(orders, ' or ')})` : raw('false')
}

type UsedDiscount = { id: string; once_per_customer: boolean }

/**
 * Takes a use of each for an order of the buyer, who is named as to findDiscounts(). The result is false if one has
 * none left or has just ended. Exact under concurrency: the row of the discount is locked, and what other orders have
 * used is looked up after that.
 */
export async function useDiscounts(
  tx: Tx,
  store: DiscountStore,
  uses: readonly UsedDiscount[],
  buyer: DiscountBuyer,
): Promise<boolean> {
  // Always in the same order, so that two orders do not wait for each other.
  const inOrder = [...uses].sort((a, b) => (a.id < b.id ? -1 : 1))
  const results = await Promise.all(inOrder.map((one) => useDiscount(tx, store, one, buyer)))
  return results.every((isTaken) => isTaken)
}

async function useDiscount(
  tx: Tx,
  store: DiscountStore,
  { id, once_per_customer }: UsedDiscount,
  buyer: DiscountBuyer,
): Promise<boolean> {
  const taking = tx.rows(sql`
    update discounts
    set current_uses = current_uses + 1
    where store_id = ${store.id}
      and id = ${id}
      and ${isUsable}
    returning id`)
  if (once_per_customer) {
    tx.later(
      sql`
    select refuse('discount_used')
    from discounts
    where store_id = ${store.id}
      and id = ${id}
      and ${hasUsed(store, buyer)}`,
      { discount_used: () => new RetryTransaction() },
    )
  }
  return (await taking).length > 0
}

/** Records the discounts that an order uses, once its row exists. */
export function recordUses(tx: Tx, storeId: string, orderId: string, uses: readonly UsedDiscount[]): void {
  if (uses.length === 0) return
  tx.later(sql`
    insert into discount_uses (store_id, order_id, discount_id)
    select ${storeId}, ${orderId}::uuid, discount_id
    from unnest(${uses.map(({ id }) => id)}::uuid[]) as discount_id`)
}

/** Returns some uses of an order that no longer has these discounts. */
export function returnSomeUses(tx: Tx, storeId: string, orderId: string, discountIds: readonly string[]): void {
  if (discountIds.length === 0) return
  tx.later(sql`
    update discounts
    set current_uses = greatest(current_uses - 1, 0)
    where store_id = ${storeId}
      and id = any(${[...discountIds].sort()}::uuid[])
      and id in (
        select discount_id
        from discount_uses
        where store_id = ${storeId}
          and order_id = ${orderId})`)
  tx.later(sql`
    delete from discount_uses
    where store_id = ${storeId}
      and order_id = ${orderId}
      and discount_id = any(${[...discountIds]}::uuid[])`)
}

/** Returns the uses of an order that is canceled or returned. */
export function returnUses(tx: Tx, storeId: string, orderId: string): void {
  tx.later(sql`
    update discounts
    set current_uses = greatest(current_uses - 1, 0)
    where store_id = ${storeId}
      and id in (
        select discount_id
        from discount_uses
        where store_id = ${storeId}
          and order_id = ${orderId})`)
  tx.later(sql`
    delete from discount_uses
    where store_id = ${storeId}
      and order_id = ${orderId}`)
}
