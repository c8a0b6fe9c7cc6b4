// Notifications of a member: new orders, disputes, mentions and low stock. Nothing is written when something happens:
// they are read from the orders, disputes, comments and stock of the last 90 days. A burst of orders costs no write.
import type { Db } from '../../kit/database/database.ts'
import { join, sql, type Sql } from '../../kit/database/sql.ts'
import { mayUse } from '../../identity/accounts/roles.ts'
import type { HeldRole } from '../../identity/accounts/user.ts'
import { mailable, maxShown, type Inbox } from './inbox.ts'

/** Kinds, and the scope that each requires. */
export const kinds = {
  order: 'read:orders',
  dispute: 'read:orders',
  mention: 'read:orders',
  low_stock: 'read:products',
} as const

export type NotificationKind = keyof typeof kinds

export const kindNames = Object.keys(kinds) as NotificationKind[]

/**
 * `id` names the kind and the record. Of a mention, `order_id` is the order of the comment. Orders of one import and
 * products that became low on stock together are one notification with their `count`, without an order or a product.
 */
export type Notification = {
  id: string
  kind: NotificationKind
  at: Date
  is_read: boolean
  order_id: string | null
  order_number: number | null
  comment_id: string | null
  product_id: string | null
  product_name: string | null
  count: number | null
  /** True if all of them are sold out. */
  is_sold_out: boolean | null
}

type Recipient = { storeId: string; role: HeldRole; inbox: Inbox }

/** The newest first. */
export function findNotifications(db: Db, recipient: Recipient): Promise<Notification[]> {
  const parts = buildNotificationParts(recipient, recipient.inbox.since)
  if (parts.length === 0) return Promise.resolve([])
  const { read_until, read_ids } = recipient.inbox
  return db.rows<Notification>(sql`
    select *, coalesce(at <= ${read_until}::timestamptz, false) or id = any(${read_ids}::text[]) as is_read
    from (${join(parts, ' union all ')}) as happened
    order by at desc, id
    limit ${maxShown}`)
}

/** Counts no further than the list shows. */
export async function countUnread(db: Db, recipient: Recipient): Promise<number> {
  const { since, read_until, read_ids } = recipient.inbox
  const parts = buildNotificationParts(recipient, read_until && read_until > since ? read_until : since)
  if (parts.length === 0) return 0
  const row = await db.one<{ count: number }>(sql`
    select least(count(*), ${maxShown})::int as count
    from (${join(parts, ' union all ')}) as happened
    where not id = any(${read_ids}::text[])`)
  return row!.count
}

function buildNotificationParts({ storeId, role, inbox }: Recipient, since: Date): Sql[] {
  const wantedKinds = kindNames.filter((kind) => (inbox.kinds?.includes(kind) ?? true) && mayUse(role, kinds[kind]))
  return wantedKinds.map(
    (kind) => sql`(${parts[kind](storeId, since, inbox.user_id)}
      limit ${maxShown})`,
  )
}

/** New orders, disputes and each product low on stock, newest first: up to `maxShown` of each. */
export function findHappened(db: Db, storeId: string, since: Date): Promise<Notification[]> {
  const each = { ...parts, order: eachOrder, low_stock: eachLowProduct }
  const queries = mailable.map((kind) => sql`(${each[kind](storeId, since, noOne)} limit ${maxShown})`)
  return db.rows<Notification>(sql`
    select *, false as is_read
    from (${join(queries, ' union all ')}) as happened
    order by at desc, id`)
}

const noOne = '00000000-0000-0000-0000-000000000000'

type Part = (storeId: string, since: Date, userId: string) => Sql

const parts: Record<NotificationKind, Part> = {
  order: (storeId, since) => sql`
      select 'order-' || newest_id as id, 'order' as kind, created_at as at,
        case when count = 1 then newest_id end as order_id, case when count = 1 then newest_number end as order_number,
        null::uuid as comment_id, null::uuid as product_id, null::text as product_name, count,
        null::boolean as is_sold_out
      from (
        select max(created_at) as created_at, (array_agg(newest_id order by created_at desc))[1] as newest_id,
          max(newest_number) as newest_number, sum(count)::int as count
        from (
          select *, count(*) filter (where is_first) over (order by created_at desc) as burst
          from (
            select *, coalesce(1 in (count, lag(count) over newest)
              or lag(created_at) over newest - created_at > make_interval(secs => ${burstSeconds}), true) as is_first
            from (
              select created_at, (array_agg(id order by order_number desc))[1] as newest_id,
                max(order_number) as newest_number, count(*)::int as count
              from (
                select id, order_number, created_at
                from orders
                where store_id = ${storeId}
                  and created_at > ${since}
                order by created_at desc
                limit ${maxOrders}) as latest
              group by created_at) as moments
            window newest as (order by created_at desc)) as placed) as numbered
        group by burst) as bursts
      order by created_at desc`,
  dispute: (storeId, since) => sql`
      select 'dispute-' || disputes.id as id, 'dispute' as kind, disputes.created_at as at, orders.id as order_id,
        order_number, null::uuid as comment_id, null::uuid as product_id, null::text as product_name,
        null::int as count, null::boolean as is_sold_out
      from disputes
      join payment_sessions on payment_sessions.store_id = ${storeId}
        and payment_sessions.id = disputes.session_id
      left join orders on orders.store_id = ${storeId}
        and orders.id = payment_sessions.order_id
      where disputes.store_id = ${storeId}
        and disputes.created_at > ${since}
      order by disputes.created_at desc`,
  mention: (storeId, since, userId) => sql`
      select 'mention-' || order_comments.id as id, 'mention' as kind, order_comments.created_at as at, order_id,
        order_number, order_comments.id as comment_id, null::uuid as product_id, null::text as product_name,
        null::int as count, null::boolean as is_sold_out
      from order_comments
      join orders on orders.store_id = ${storeId}
        and orders.id = order_comments.order_id
      where order_comments.store_id = ${storeId}
        and mentions <> '{}'
        and mentions @> ${[userId]}::uuid[]
        and order_comments.created_at > ${since}
      order by order_comments.created_at desc`,
  low_stock: (storeId, since) => sql`
      select 'low_stock-' || newest_id as id, 'low_stock' as kind, at, null::uuid as order_id,
        null::int as order_number, null::uuid as comment_id, products.id as product_id,
        products.name as product_name, count, is_sold_out
      from (
        select (array_agg(product_id order by position))[1] as newest_id, max(since) as at,
          count(*)::int as count, bool_and(is_sold_out) as is_sold_out
        from (${lowProducts(storeId, since)}) as low
        group by burst) as bursts
      left join products on products.store_id = ${storeId}
        and products.id = newest_id
        and count = 1
      order by at desc`,
}

/** Earlier ones are not counted. Orders of the same moment are those that a batch of an import wrote together. */
const maxOrders = 500

const eachOrder: Part = (storeId, since) => sql`
      select 'order-' || id as id, 'order' as kind, created_at as at, id as order_id, order_number,
        null::uuid as comment_id, null::uuid as product_id, null::text as product_name,
        null::int as count, null::boolean as is_sold_out
      from orders
      where store_id = ${storeId}
        and created_at > ${since}
      order by created_at desc`

/** Later ones are not counted; the list behind a notification has them all. */
const maxLowProducts = 1000

/** An import writes its batches one after another: what becomes low within this time of the one before is one burst. */
const burstSeconds = 10

function lowProducts(storeId: string, since: Date): Sql {
  return sql`
          select product_id, since, is_sold_out, position,
            count(*) filter (where is_first) over (order by position) as burst
          from (
            select *,
              coalesce(lag(since) over newest - since > make_interval(secs => ${burstSeconds}), true) as is_first,
              row_number() over newest as position
            from (
              select product_id, since, is_sold_out
              from scarce_products
              where store_id = ${storeId}
                and since > ${since}
              order by since desc
              limit ${maxLowProducts}) as latest
            window newest as (order by since desc, product_id)) as placed`
}

const eachLowProduct: Part = (storeId, since) => sql`
      select 'low_stock-' || product_id as id, 'low_stock' as kind, since as at, null::uuid as order_id,
        null::int as order_number, null::uuid as comment_id, product_id, products.name as product_name,
        1 as count, is_sold_out
      from scarce_products
      join products on products.store_id = ${storeId}
        and products.id = scarce_products.product_id
      where scarce_products.store_id = ${storeId}
        and since > ${since}
      order by since desc`
