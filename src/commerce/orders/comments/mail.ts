// Emails to the members that a comment mentions, except those who turned them off.
import type { Tx } from '../../../kit/database/database.ts'
import { records, sql } from '../../../kit/database/sql.ts'
import { newUuid } from '../../../kit/values/ids.ts'
import type { Language } from '../../../kit/values/language.ts'
import { insertMails } from '../../../tenancy/emails/queue.ts'
import { ownLanguage } from '../../../tenancy/stores/language.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { Mentionable } from './mentions.ts'

type MentionMail = { id: string; user_id: string; recipient: string; language: Language; order_id: string }

/** One statement for all. The email links to the comment and omits its text, which may change or be deleted. */
export function mailMentions(tx: Tx, store: Store, orderId: string, members: readonly Mentionable[]): void {
  if (members.length === 0) return
  const language = ownLanguage(store)
  const mails = members.map(({ id, email }): MentionMail => ({
    id: newUuid(),
    user_id: id,
    recipient: email,
    language,
    order_id: orderId,
  }))
  const types = { id: 'uuid', user_id: 'uuid', recipient: 'text', language: 'text', order_id: 'uuid' }
  const rows = sql`
    select ${store.id}::text as store_id, id, recipient, language, order_id
    from ${records('mentioned', types, mails)}
    left join notification_settings as settings on settings.store_id = ${store.id}
      and settings.user_id = mentioned.user_id
    where mailed_kinds is null or 'mention' = any(mailed_kinds)`
  tx.later(insertMails(tx, 'order_mention', ['order_id'], rows))
}
