// From a mail of the queue to its words, as things are when it is sent.
import type { Db } from '../kit/database/database.ts'
import { notFound } from '../kit/values/errors.ts'
import { uuidOf } from '../kit/values/ids.ts'
import type { Language } from '../kit/values/language.ts'
import type { Vault } from '../kit/values/secrets.ts'
import { findRecord } from '../kit/declare/page.ts'
import { findFulfillment } from '../fulfillments/operations.ts'
import { linesIn } from '../catalog/lines.ts'
import type { Letter as Sent } from '../platform/outbound/mail.ts'
import type { MailKind } from '../mails/kinds.ts'
import type { Claimed } from '../mails/claim.ts'
import type { Compose } from '../mails/sender.ts'
import { orderPath } from '../orders/link.ts'
import { order as orders } from '../orders/order.ts'
import { translated } from '../stores/language.ts'
import { findRefund } from '../orders/refunds/operations.ts'
import { findUnpaid } from './checkout.ts'
import { findMethods, type LetterOrder, type LetterParcel, type LetterRefund } from './facts.ts'
import { htmlOf } from './html.ts'
import { orderLetter } from './order.ts'
import { plainOf } from './plain.ts'
import { findLetterStore, shopUrl } from './store.ts'

export function composer(db: Db, vault: Vault): Compose {
  return async ({ store_id: storeId, kind, language, recipient, ...about }) => {
    const found = await subjectOf(db, storeId, about, vault)
    if ('unwanted' in found) return found
    const { customerId, ...subject } = found
    const written = await writeLetter(db, { storeId, kind, language, ...subject })
    return written.isClosed ? { unwanted: 'The store is closed' } : { to: recipient, customerId, ...written.letter }
  }
}

type Ids = Pick<Claimed, 'order_id' | 'checkout_id' | 'fulfillment_id' | 'refund_id'>
type Found = Pick<Subject, 'order' | 'parcel' | 'refund' | 'path'> & { customerId: string | null }

async function subjectOf(
  db: Db,
  storeId: string,
  { order_id, checkout_id, fulfillment_id, refund_id }: Ids,
  vault: Vault,
): Promise<Found | { unwanted: string }> {
  if (order_id === null) {
    const unpaid = await findUnpaid(db, vault, { storeId, id: checkout_id! })
    return 'unwanted' in unpaid ? unpaid : { ...unpaid, parcel: null, refund: null, customerId: null }
  }
  const [{ entity: order }, sent, returned] = await Promise.all([
    findRecord(db, orders, storeId, order_id),
    fulfillment_id ? findFulfillment(db, storeId, order_id, fulfillment_id) : null,
    refund_id ? findRefund(db, storeId, order_id, refund_id) : null,
  ])
  const [parcel, refund] = [sent?.entity ?? null, returned?.entity ?? null]
  if (parcel?.cancelled_at) return { unwanted: 'The parcel was called back' }
  const customerId = order.customer_id && uuidOf('cus', order.customer_id)
  return { order, parcel, refund, path: orderPath(vault, storeId, order.id), customerId }
}

type Letter = Required<Pick<Sent, 'subject' | 'html' | 'text' | 'fromName'>> & { replyTo: string | null }

type Subject = {
  storeId: string
  kind: MailKind
  language: Language
  /** May be samples. */
  order: LetterOrder
  parcel: LetterParcel | null
  refund: LetterRefund | null
  /** Below the store's address: where its button leads. */
  path: string
}

/** As it would be sent now. */
export async function writeLetter(
  db: Db,
  { storeId, kind, language, path, ...about }: Subject,
): Promise<{ letter: Letter; isClosed: boolean }> {
  const [store, methods] = await Promise.all([
    findLetterStore(db, storeId, kind),
    findMethods(db, storeId, about.order),
  ])
  if (!store) throw notFound('Store')
  const url = shopUrl(store, path, language)
  const items = await linesIn(db, storeId, translated(store, language), about.order.items)
  const order = { ...about.order, items }
  const letter = orderLetter(kind, { ...methods, ...about, order, store, language, url })
  const { subject, sender } = letter
  const bodies = { html: await htmlOf(letter), text: plainOf(letter) }
  return {
    letter: { subject, ...bodies, fromName: sender.name, replyTo: store.reply_to_email },
    isClosed: store.status === 'closed',
  }
}
