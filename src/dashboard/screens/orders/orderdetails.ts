// Reads an order with its payments, refunds, fulfillments, emails and events.
import { buildEtag } from '../../../kit/declare/conditions.ts'
import { entityPage, findRecord } from '../../../kit/declare/page.ts'
import { sql } from '../../../kit/database/sql.ts'
import { publicId, toUuid } from '../../../kit/values/ids.ts'
import { findOffer, type Offer } from '../../../storefront/checkout/offers/offer.ts'
import { fulfillment, type Fulfillment } from '../../../commerce/fulfillments/fulfillment.ts'
import { findUnsentParts } from '../../../commerce/fulfillments/unsentparts.ts'
import { mail } from '../../../tenancy/emails/mail.ts'
import { orderComment, type OrderComment } from '../../../commerce/orders/comments/comment.ts'
import { findMentionable, type Mentionable } from '../../../commerce/orders/comments/mentions.ts'
import { order, type Order } from '../../../commerce/orders/order.ts'
import { readAccount, type RefundAccount } from '../../../commerce/orders/refunds/account.ts'
import { refund } from '../../../commerce/orders/refunds/refund.ts'
import { orderReturn, type Return } from '../../../commerce/returns/return.ts'
import { payment, type Payment } from '../../../commerce/payments/payment.ts'
import { eventsAbout, type RecordEvent } from '../../../developer/eventlog/recordevents.ts'
import { latestChanges, type LatestChange } from '../../../developer/auditlog/latest.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { loadActorNames, type ActorNames } from '../audit/actors.ts'
import { auditScope } from '../audit/audit.ts'
import type { PageContext } from '../../framework/screen.ts'
import { findItemPictures, type ItemPictures } from './itempictures.ts'

export type OrderDetails = {
  record: Order
  version: string
  account: RefundAccount
  payments: Payment[]
  fulfillments: Fulfillment[]
  refunds: NonNullable<typeof refund.type>[]
  returns: Return[]
  mails: NonNullable<typeof mail.type>[]
  /** The letters of the emails of extensions, such as downloads_granted, by the ID of the email. */
  letters: ReadonlyMap<string, string>
  events: RecordEvent[]
  comments: OrderComments
  /** Its latest changes, for those who may read the audit log. */
  changes: { list: LatestChange[]; names: ActorNames }
  offer: Offer
  pictures: ItemPictures
  /** By bundle, the units of each part that are still to be sent. */
  unsent: ReadonlyMap<string, readonly number[]>
}

/** Comments with the names of their authors, and the members who can be mentioned. */
type OrderComments = { list: OrderComment[]; names: ActorNames; members: Mentionable[] }

const maxChanges = 50
const newestQuery = { page: 1, per_page: 100, sort: 'created_at', order: 'desc' } as const

export async function loadOrderDetails(context: PageContext): Promise<OrderDetails> {
  const { db, store, ids } = context
  const id = ids.id!
  const { entity, json } = await findRecord(db, order, store.id, id)
  const [account, payments, fulfillments, refunds, returns, mails, events, comments, changes, offer, pictures, unsent] =
    await Promise.all([
      readAccount(db, store.id, id),
      loadPayments(context, id),
      entityPage(db, fulfillment, store, newestQuery, sql`fulfillments.order_id = ${id}`),
      entityPage(db, refund, store, newestQuery, sql`refunds.order_id = ${id}`),
      entityPage(db, orderReturn, store, newestQuery, sql`returns.order_id = ${id}`),
      entityPage(db, mail, store, newestQuery, sql`mails.order_id = ${id}`),
      eventsAbout(db, store.id, entity.id),
      loadComments(context, id),
      loadChanges(context, id),
      findOffer(db, store),
      findItemPictures(context, entity.items),
      entity.items.some(({ parts }) => parts !== null) ? findUnsentParts(db, store.id, [id]) : new Map(),
    ])
  return {
    record: entity,
    version: buildEtag(json),
    account,
    payments: payments.data,
    fulfillments: fulfillments.data as Fulfillment[],
    refunds: refunds.data as OrderDetails['refunds'],
    returns: returns.data,
    mails: mails.data,
    letters: await findLetters(context, mails.data),
    events,
    comments,
    changes,
    offer,
    pictures,
    unsent,
  }
}

type SentLetter = { id: string; extension: string; letter: string }

async function findLetters({ db, store }: PageContext, mails: OrderDetails['mails']): Promise<OrderDetails['letters']> {
  const ids = mails.flatMap(({ id, kind }) => (kind === 'extension' ? toUuid('mail', id)! : []))
  if (ids.length === 0) return new Map()
  const rows = await db.rows<SentLetter>(sql`
    select id, account ->> 'extension' as extension, account ->> 'letter' as letter
    from mails
    where store_id = ${store.id}
      and id = any(${ids}::uuid[])
      and account is not null`)
  return new Map(rows.map(({ id, extension, letter }) => [publicId('mail', id), `${extension}_${letter}`]))
}

export function loadPayments({ db, store }: PageContext, orderId: string): Promise<{ data: Payment[] }> {
  return entityPage(db, payment, store, { ...newestQuery, status: 'all' }, sql`payment_sessions.order_id = ${orderId}`)
}

async function loadComments(context: PageContext, orderId: string): Promise<OrderComments> {
  const { db, store } = context
  const [{ data: list }, members] = await Promise.all([
    entityPage(db, orderComment, store, newestQuery, sql`order_comments.order_id = ${orderId}`),
    findMentionable(db, store.id),
  ])
  const authors = list.map(({ author_kind: kind, author_id: id }) => ({ actor: { kind, id } }))
  return { list, members, names: authors.length > 0 ? await loadActorNames(context, authors) : new Map() }
}

async function loadChanges(context: PageContext, orderId: string): Promise<OrderDetails['changes']> {
  const { db, store, role } = context
  const list = mayUse(role, auditScope) ? await latestChanges(db, store.id, orderId, maxChanges) : []
  return { list, names: list.length > 0 ? await loadActorNames(context, list) : new Map() }
}
