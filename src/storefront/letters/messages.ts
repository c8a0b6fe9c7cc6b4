// Texts of emails. A store may have its own subject and introduction for each kind; both may contain {store},
// {number} and {total}.
import email from '../../../languages/en/email.json' with { type: 'json' }
import account from '../../../languages/en/account-email.json' with { type: 'json' }
import shop from '../../../languages/en/shop.json' with { type: 'json' }
import { translatorFor } from '../../platform/languages/translator.ts'

export const letterTranslator = translatorFor({ email, shop })

export type LetterMessageKey = Parameters<ReturnType<typeof letterTranslator>>[0]

export const accountTranslator = translatorFor({ 'account-email': account })
