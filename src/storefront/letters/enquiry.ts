// A visitor's message as an email to the merchant: plain text, and never markup.
import type { Language } from '../../kit/values/language.ts'
import type { Enquiry } from '../../tenancy/emails/enquiry.ts'
import type { LetterContent } from './letter.ts'
import { oneLine } from './safe.ts'
import { buildLetterSender, textOfStore, type LetterStore } from './store.ts'
import { letterTranslator } from './messages.ts'

const kind = 'contact_message'

export function enquiryLetter(
  { name, email, message }: Enquiry,
  { store, language }: { store: LetterStore; language: Language },
): LetterContent {
  const t = letterTranslator(language)
  const from = [name && oneLine(name), email].filter(Boolean).join('\n')
  return {
    language,
    subject: oneLine(textOfStore(kind, { store, language }, 'subject')),
    sender: buildLetterSender(store),
    blocks: [
      { kind: 'text', text: textOfStore(kind, { store, language }, 'introduction') },
      {
        kind: 'facts',
        facts: [
          { name: t('from'), value: from },
          { name: t('message'), value: message },
        ],
      },
    ],
  }
}
