// From a mail of the outbox to its words, as things are when it is sent.
import type { Db } from '../kit/database/database.ts'
import { notFound } from '../kit/values/errors.ts'
import type { Language } from '../kit/values/language.ts'
import type { Vault } from '../kit/values/secrets.ts'
import { findRecord } from '../kit/declare/page.ts'
import type { Letter as Sent } from '../platform/outbound/mail.ts'
import type { MailKind } from '../mails/kinds.ts'
import type { Compose } from '../mails/sender.ts'
import { orderPath } from '../orders/link.ts'
import { order as orders } from '../orders/order.ts'
import { htmlOf } from './html.ts'
import type { Letter } from './letter.ts'
import { findMethods, orderLetter, type LetterOrder, type Methods } from './order.ts'
import { plainOf } from './plain.ts'
import { findLetterStore, shopUrl, type LetterStore } from './store.ts'

export function composer(db: Db, vault: Vault): Compose {
  return async ({ store_id, kind, language, recipient, order_id }) => {
    const [store, order] = await Promise.all([
      findLetterStore(db, store_id, kind),
      findRecord(db, orders, store_id, order_id!).then(({ entity }) => entity),
    ])
    if (!store || store.status === 'closed') return { unwanted: 'The store is closed' }
    const methods = await findMethods(db, store_id, order)
    return { to: recipient, ...(await writtenAs(kind, { order, store, language, ...methods }, vault)) }
  }
}

/** As it would be sent now; `order` may be a sample. */
export async function writeOrderLetter(
  db: Db,
  vault: Vault,
  { storeId, kind, language, order }: { storeId: string; kind: MailKind; language: Language; order: LetterOrder },
): Promise<Written> {
  const [store, methods] = await Promise.all([findLetterStore(db, storeId, kind), findMethods(db, storeId, order)])
  if (!store) throw notFound('Store')
  return writtenAs(kind, { order, store, language, ...methods }, vault)
}

export type Written = Required<Pick<Sent, 'subject' | 'html' | 'text' | 'fromName'>> & { replyTo: string | null }

type About = Methods & { order: LetterOrder; store: LetterStore; language: Language }

function writtenAs(kind: MailKind, about: About, vault: Vault): Promise<Written> {
  const { order, store, language } = about
  const url = shopUrl(store, orderPath(vault, store.id, order.id), language)
  return written(store, orderLetter(kind, { ...about, url }))
}

async function written(store: LetterStore, letter: Letter): Promise<Written> {
  return {
    subject: letter.subject,
    html: await htmlOf(letter),
    text: plainOf(letter),
    fromName: letter.sender.name,
    replyTo: store.reply_to_email,
  }
}
