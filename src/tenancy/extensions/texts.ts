// Texts of an extension in its parts of the shop and in its emails: its own messages, by language.
import { translatorFor } from '../../platform/languages/translator.ts'
import type { Language, Translate } from '../../kit/values/language.ts'

export type ExtensionText = Translate<string>

type OwnTexts = {
  areas?: Record<string, Record<string, string>>
  messages?: Partial<Record<Language, Record<string, string>>>
}

export function openTexts({ areas = {}, messages }: OwnTexts): (language: Language) => ExtensionText {
  return translatorFor(areas, messages ? [messages] : [])
}
