// A summary email to a team member: everything that happened in a store since the last one.
import { mailable, type MailableKind } from '../../commerce/notifications/inbox.ts'
import type { Language } from '../../kit/values/language.ts'
import type { LetterContent } from './letter.ts'
import { letterTranslator } from './messages.ts'
import { oneLine } from './safe.ts'
import { buildLetterSender, textOfStore, type LetterStore } from './store.ts'

/** The text for each kind: a count, or names of records. */
export type TeamSummary = Partial<Record<MailableKind, string | number>>

const kind = 'team_summary'

export function summaryLetter(
  summary: TeamSummary,
  { store, language }: { store: LetterStore; language: Language },
): LetterContent {
  const t = letterTranslator(language)
  const facts = mailable.flatMap((one) =>
    summary[one] === undefined ? [] : [{ name: t(`summary_${one}`), value: String(summary[one]) }],
  )
  return {
    language,
    subject: oneLine(textOfStore(kind, { store, language }, 'subject')),
    sender: buildLetterSender(store),
    blocks: [
      { kind: 'text', text: textOfStore(kind, { store, language }, 'introduction') },
      { kind: 'facts', facts },
      { kind: 'button', text: t('see_notifications'), url: `${store.site_url}/dashboard/${store.id}/notifications` },
      { kind: 'soft', text: t('summary_change') },
    ],
  }
}
