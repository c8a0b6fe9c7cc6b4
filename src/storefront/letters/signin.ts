// The email with which a customer signs in to the shop.
import type { Language } from '../../kit/values/language.ts'
import type { LetterContent } from './letter.ts'
import { letterTranslator } from './messages.ts'
import { oneLine } from './safe.ts'
import { buildLetterSender, shopUrl, textOfStore, type LetterStore } from './store.ts'

const kind = 'account_sign_in'

/** The path of its button below the store's URL, and the code. */
export type SignInProof = { path: string; code: string }

export function signInLetter(
  { path, code }: SignInProof,
  { store, language }: { store: LetterStore; language: Language },
): LetterContent {
  const t = letterTranslator(language)
  return {
    language,
    subject: oneLine(textOfStore(kind, { store, language }, 'subject')),
    sender: buildLetterSender(store),
    blocks: [
      { kind: 'text', text: textOfStore(kind, { store, language }, 'introduction') },
      { kind: 'button', text: t('button_account_sign_in'), url: shopUrl(store, path, language) },
      { kind: 'facts', facts: [{ name: t('code'), value: code }] },
      { kind: 'soft', text: t('sign_in_ignore') },
    ],
  }
}
