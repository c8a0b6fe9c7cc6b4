// Texts of the consent page, with a sentence for each scope.
import consent from '../../../languages/en/consent.json' with { type: 'json' }
import signIn from '../../../languages/en/sign-in.json' with { type: 'json' }
import type { Language } from '../../kit/values/language.ts'
import { eventLogScope, grants } from '../apikeys/scopes.ts'
import { translatorFor } from '../../platform/languages/translator.ts'

export const consentTranslator = translatorFor({ 'sign-in': signIn, consent })

const personal = ['orders', 'customers', 'checkout_drafts'] as const

export function scopeInWords(language: Language, scope: string): string {
  return Object.hasOwn(consent, scope) ? consentTranslator(language)(scope as keyof typeof consent) : scope
}

/** A sentence for each scope, and for the personal data that webhooks and the event log bring with them. */
export function scopesInWords(language: Language, scopes: readonly string[]): string[] {
  const nouns = new Set(scopes.map((scope) => scope.split(':')[1]))
  const nounsReceived = grants(scopes).has(eventLogScope) ? personal.filter((noun) => nouns.has(noun)) : []
  return [...scopes, ...nounsReceived.map((noun) => `receive:${noun}`)].map((scope) => scopeInWords(language, scope))
}
