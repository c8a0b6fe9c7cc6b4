// Letters about an account, to whoever owns it: every change of how it is signed in to is told.
import type { Tx } from '../kit/database/database.ts'
import type { Language } from '../kit/values/language.ts'
import type { Mail } from '../platform/outbound/mail.ts'
import { letterWords } from './words.ts'

/** What a letter is sent with. */
export type Post = { mail: Mail; siteUrl: string }

/** Whom it is for, and the language in which they did it. */
export type Addressee = { email: string; language: Language }

export type Told =
  | 'password'
  | 'email'
  | 'totp_set'
  | 'totp_removed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'codes_made'
  | 'code_used'

/** It leaves once the change is there. */
export function tellOwner(
  tx: Tx,
  { mail, siteUrl }: Post,
  { email, language }: Addressee,
  change: Told,
  values: Record<string, string | number> = {},
): void {
  const say = letterWords(language)
  const when = tx.now.toISOString().slice(0, 16).replace('T', ' ')
  const what = say(change, { email, when, ...values })
  const text = `${what}\n\n${say('was_it_you')}\n\n${siteUrl}/oauth/reset`
  tx.afterCommit(() => mail.send({ to: email, subject: say(`subject_${change}`), text }))
}
