// Texts of the sign-in pages.
import signIn from '../../../languages/en/sign-in.json' with { type: 'json' }
import { translatorFor } from '../../platform/languages/translator.ts'

export const signInTranslator = translatorFor({ 'sign-in': signIn })

export type SignInTranslate = ReturnType<typeof signInTranslator>

export type SignInMessageKey = keyof typeof signIn
