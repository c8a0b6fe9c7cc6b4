// Notifications of a member: new orders, disputes, mentions and low stock. Nothing is written when something happens:
// they are read from the orders, disputes, comments and stock of the last 90 days. A burst of orders costs no write.
import type { Db } from '../../kit/database/database.ts'
import { join, sql, type Sql } from '../../kit/database/sql.ts'
import { mayUse } from '../../identity/accounts/roles.ts'
import type { HeldRole } from '../../identity/accounts/user.ts'
import { mailable, maxShown, type Inbox } from './inbox.ts'

/** Kinds, and the scope that each takes. */
export const kinds = {
  order: 'read:orders',
  dispute: 'read:orders',
  mention: 'read:orders',
  low_stock: 'read:products',
} as const

export type NotificationKind = keyof typeof kinds

export const kindNames = Object.keys(kinds) as NotificationKind[]

/** `id` names the kind and the record. Of a mention, `order_id` is the order of the comment. */
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
}

type Recipient = { storeId: string; role: HeldRole; inbox: Inbox }

/** The newest first. */
export function findNotifications(db: Db, recipient: Recipient): Promise<Notification[]> {
  const parts = partsOf(recipient, recipient.inbox.since)
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
  const parts = partsOf(recipient, read_until && read_until > since ? read_until : since)
  if (parts.length === 0) return 0
  const row = await db.one<{ count: number }>(sql`
    select least(count(*), ${maxShown})::int as count
    from (${join(parts, ' union all ')}) as happened
    where not id = any(${read_ids}::text[])`)
  return row!.count
}

function partsOf({ storeId, role, inbox }: Recipient, since: Date): Sql[] {
  const wanted = kindNames.filter((kind) => (inbox.kinds?.includes(kind) ?? true) && mayUse(role, kinds[kind]))
  return wanted.map(
    (kind) => sql`(${parts[kind](storeId, since, inbox.user_id)}
      limit ${maxShown})`,
  )
}

/** New orders, disputes and products low on stock, newest first: up to `maxShown` of each. */
export function findHappened(db: Db, storeId: string, since: Date): Promise<Notification[]> {
  const happened = mailable.map((kind) => sql`(${parts[kind](storeId, since, noOne)} limit ${maxShown})`)
  return db.rows<Notification>(sql`
    select *, false as is_read
    from (${join(happened, ' union all ')}) as happened
    order by at desc, id`)
}

const noOne = '00000000-0000-0000-0000-000000000000'

type Part = (storeId: string, since: Date, userId: string) => Sql

const parts: Record<NotificationKind, Part> = {
  order: (storeId, since) => sql`
      select 'order-' || id as id, 'order' as kind, created_at as at, id as order_id, order_number,
        null::uuid as comment_id, null::uuid as product_id, null::text as product_name
      from orders
      where store_id = ${storeId}
        and created_at > ${since}
      order by created_at desc`,
  dispute: (storeId, since) => sql`
      select 'dispute-' || disputes.id as id, 'dispute' as kind, disputes.created_at as at, orders.id as order_id,
        order_number, null::uuid as comment_id, null::uuid as product_id, null::text as product_name
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
        order_number, order_comments.id as comment_id, null::uuid as product_id, null::text as product_name
      from order_comments
      join orders on orders.store_id = ${storeId}
        and orders.id = order_comments.order_id
      where order_comments.store_id = ${storeId}
        and mentions <> '{}'
        and mentions @> ${[userId]}::uuid[]
        and order_comments.created_at > ${since}
      order by order_comments.created_at desc`,
  low_stock: (storeId, since) => sql`
      select 'low_stock-' || product_id as id, 'low_stock' as kind, since as at, null::uuid as order_id,
        null::int as order_number, null::uuid as comment_id, product_id, products.name as product_name
      from scarce_products
      join products on products.store_id = ${storeId}
        and products.id = scarce_products.product_id
      where scarce_products.store_id = ${storeId}
        and since > ${since}
      order by since desc`,
}
