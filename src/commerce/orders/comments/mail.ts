// Emails to the members that a comment mentions.
import type { Tx } from '../../../kit/database/database.ts'
import { records, sql } from '../../../kit/database/sql.ts'
import { newUuid } from '../../../kit/values/ids.ts'
import type { Language } from '../../../kit/values/language.ts'
import { insertMails } from '../../../tenancy/emails/queue.ts'
import { ownLanguage } from '../../../tenancy/stores/language.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { Mentionable } from './mentions.ts'

type MentionMail = { id: string; recipient: string; language: Language; order_id: string }

/** One statement for all. The email has no text of the comment, which may be changed or deleted: it leads to it. */
export function mailMentions(tx: Tx, store: Store, orderId: string, members: readonly Mentionable[]): void {
  if (members.length === 0) return
  const language = ownLanguage(store)
  const mails = members.map(({ email }): MentionMail => ({
    id: newUuid(),
    recipient: email,
    language,
    order_id: orderId,
  }))
  const types = { id: 'uuid', recipient: 'text', language: 'text', order_id: 'uuid' }
  const rows = sql`select ${store.id}::text as store_id, mentioned.* from ${records('mentioned', types, mails)}`
  tx.later(insertMails(tx, 'order_mention', ['order_id'], rows))
}
