// Texts of letters, from src/platform/languages. Subject and introduction of each kind are those that a
// store may have words of its own for; both may name {store}, {number} and {total}.
import type { Language, Speak } from '../../kit/values/language.ts'
import { speaks } from '../../platform/languages/words.ts'
import type { MailKind } from '../../tenancy/emails/kinds.ts'

export const letterTranslator = speaks('letters', 'shop')

export type LetterMessageKey = Parameters<ReturnType<typeof letterTranslator>>[0]

export const defaultSubject: (language: Language) => Speak<MailKind> = speaks('subjects')
export const defaultIntroduction: (language: Language) => Speak<MailKind> = speaks('introductions')
