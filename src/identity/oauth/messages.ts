// Texts of the consent page, with a sentence for each scope.
import consent from '../../../languages/en/consent.json' with { type: 'json' }
import signIn from '../../../languages/en/sign-in.json' with { type: 'json' }
import type { Language } from '../../kit/values/language.ts'
import { translatorFor } from '../../platform/languages/translator.ts'

export const consentTranslator = translatorFor({ 'sign-in': signIn, consent })

export function scopeInWords(language: Language, scope: string): string {
  return Object.hasOwn(consent, scope) ? consentTranslator(language)(scope as keyof typeof consent) : scope
}
