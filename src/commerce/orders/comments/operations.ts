import type { Db, Tx } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { loadRecord } from '../../../kit/declare/page.ts'
import type { RecordOrigin } from '../../../kit/declare/origin.ts'
import { assignments, insertInto, type RecordOf } from '../../../kit/declare/resource.ts'
import type { Actor } from '../../../kit/declare/route.ts'
import { ApiError, invalid, notFound } from '../../../kit/values/errors.ts'
import { fault, generalFaults } from '../../../kit/values/faults.ts'
import { newUuid, publicId, toUuid } from '../../../kit/values/ids.ts'
import { managers } from '../../../identity/accounts/user.ts'
import { eraseAudit } from '../../../tenancy/audit/erase.ts'
import { emit } from '../../../tenancy/events/emit.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { order } from '../order.ts'
import { updatedPayload } from '../payload.ts'
import { orderComment, type OrderComment } from './comment.ts'
import { mailMentions } from './mail.ts'
import { findMentions, type Mentionable } from './mentions.ts'
import { commentedPayload } from './payload.ts'

const maxComments = 1000

type CommentText = { body: string }

/** A comment of an order, or NOT_FOUND. */
export async function findComment(
  db: Db,
  storeId: string,
  orderId: string,
  id: string,
): Promise<RecordOf<OrderComment>> {
  const [row] = await db.texts(sql`
    select ${orderComment.columns}
    from order_comments
    where store_id = ${storeId}
      and order_id = ${orderId}
      and id = ${id}`)
  return loadRecord(db, orderComment, storeId, row)
}

/** Writes a comment, and mentions the members that it names. */
export async function createComment(
  tx: Tx,
  store: Store,
  orderId: string,
  { body }: CommentText,
  actor: Actor,
  { id = newUuid(), created_at = tx.now }: Partial<RecordOrigin> = {},
): Promise<RecordOf<OrderComment>> {
  const orderNumber = await lockCommentedOrder(tx, store.id, orderId)
  const mentions = await findMentions(tx, store.id, body)
  const [row] = await tx.texts(sql`
    ${insertInto(
      orderComment,
      { body, mentions: listMemberIds(mentions) },
      {
        store_id: store.id,
        id,
        order_id: orderId,
        author_kind: actor.kind,
        author_id: actor.id ?? actor.kind,
        created_at,
        updated_at: tx.now,
      },
    )}
    returning ${orderComment.columns}`)
  const record = orderComment.record(row!)
  mailMentions(tx, store, orderId, others(mentions, actor))
  emit(tx, store, 'order.commented', publicId('ord', orderId), commentedPayload(orderNumber, record.entity))
  return record
}

const listMemberIds = (members: readonly Mentionable[]) => members.map(({ id }) => id)

/** Members get no email about their own comments. */
function others(members: readonly Mentionable[], actor: Actor): Mentionable[] {
  return members.filter(({ id }) => publicId('usr', id) !== actor.id)
}

/** Comments of an order are written one after the other, so that their maximum is exact. */
async function lockCommentedOrder(tx: Tx, storeId: string, orderId: string): Promise<number> {
  const lockedOrder = await tx.one<{ order_number: number }>(sql`
    select order_number
    from orders
    where store_id = ${storeId}
      and id = ${orderId}
    for no key update`)
  if (!lockedOrder) throw notFound(order.noun)
  const { count } = (await tx.one<{ count: number }>(sql`
    select count(*)::int as count
    from order_comments
    where store_id = ${storeId}
      and order_id = ${orderId}`))!
  const full = { owner: 'an order', limit: maxComments, things: 'comments' }
  if (count >= maxComments) throw invalid(fault('body', generalFaults.one_too_many, full))
  return lockedOrder.order_number
}

export async function updateComment(
  tx: Tx,
  store: Store,
  orderId: string,
  id: string,
  { body }: Partial<CommentText>,
  actor: Actor,
): Promise<RecordOf<OrderComment>> {
  const before = await lockComment(tx, store.id, orderId, id)
  await requireAuthor(tx, store.id, before.entity, actor)
  if (body === undefined || body === before.entity.body) return before
  const mentions = await findMentions(tx, store.id, body)
  const [row] = await tx.texts(sql`
    update order_comments
    set ${assignments(
      orderComment,
      { body, mentions: listMemberIds(mentions) },
      { edited_at: tx.now, updated_at: tx.now },
    )}
    where store_id = ${store.id}
      and id = ${id}
    returning ${orderComment.columns}`)
  const existing = new Set(before.entity.mentions)
  const newMentions = mentions.filter(({ id }) => !existing.has(publicId('usr', id)))
  mailMentions(tx, store, orderId, others(newMentions, actor))
  emitUpdated(tx, store, orderId)
  return loadRecord(tx, orderComment, store.id, row)
}

export async function deleteComment(tx: Tx, store: Store, orderId: string, id: string, actor: Actor): Promise<void> {
  const { entity } = await lockComment(tx, store.id, orderId, id)
  await requireAuthor(tx, store.id, entity, actor)
  tx.later(sql`
    delete from order_comments
    where store_id = ${store.id}
      and id = ${id}`)
  // Deletes the text for good: a kept copy could not be erased for its customer.
  eraseAudit(tx, store.id, [id])
  emitUpdated(tx, store, orderId)
}

export async function lockComment(
  tx: Tx,
  storeId: string,
  orderId: string,
  id: string,
): Promise<RecordOf<OrderComment>> {
  const [row] = await tx.texts(sql`
    select ${orderComment.columns}
    from order_comments
    where store_id = ${storeId}
      and order_id = ${orderId}
      and id = ${id}
    for update`)
  return loadRecord(tx, orderComment, storeId, row)
}

/** The public ID of the order of a comment, or NOT_FOUND. */
export async function orderOfComment(db: Db, storeId: string, id: string): Promise<string> {
  const row = await db.one<{ order_id: string }>(sql`
    select order_id
    from order_comments
    where store_id = ${storeId}
      and id = ${id}`)
  if (!row) throw notFound(orderComment.noun)
  return row.order_id
}

async function requireAuthor(tx: Tx, storeId: string, comment: OrderComment, { kind, id }: Actor): Promise<void> {
  if (comment.author_kind === kind && comment.author_id === id) return
  const userId = kind === 'user' && id !== null ? toUuid('usr', id) : null
  const manager =
    userId &&
    (await tx.one(sql`
      select from members
      where store_id = ${storeId}
        and user_id = ${userId}
        and role = any(${[...managers]}::text[])`))
  if (!manager) throw new ApiError(403, 'SCOPE_INSUFFICIENT', 'Only its author, an owner or an admin may change it')
}

function emitUpdated(tx: Tx, store: Store, orderId: string): void {
  const id = publicId('ord', orderId)
  emit(tx, store, 'order.updated', id, updatedPayload(id))
}
