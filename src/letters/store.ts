// What a letter says of its store, and in which words the store wants it.
import type { Db } from '../kit/database/database.ts'
import { filled, type Language } from '../kit/values/language.ts'
import { sql } from '../kit/database/sql.ts'
import type { MailKind } from '../mails/kinds.ts'
import { store as stores } from '../stores/store.ts'
import { oneLine } from './safe.ts'
import type { Term } from '../stores/terms.ts'
import { textsIn } from '../stores/translations.ts'
import type { WordsOfStore } from './setting.ts'
import { usualIntroduction, usualSubject } from './words.ts'

export type LetterStore = {
  id: string
  name: string
  slug: string
  status: string
  currency: string
  country_code: string
  timezone: string
  storefront_url: string
  reply_to_email: string | null
  translated: Language[]
  /** Those of its own for the kind of the letter. */
  words: WordsOfStore | null
  /** What it calls its rates, methods and bumps in the language of the letter. */
  terms: Term[] | null
}

const storefrontUrl = stores.fields.storefront_url.spec.expression!

export function findLetterStore(
  db: Db,
  storeId: string,
  { kind, language }: { kind: MailKind; language: Language },
): Promise<LetterStore | undefined> {
  return db.one<LetterStore>(sql`
    select stores.id, stores.name, stores.slug, stores.status, stores.currency, stores.country_code, stores.timezone,
      stores.reply_to_email, stores.translated, ${storefrontUrl} as storefront_url, mail_settings.words,
      ${textsIn('stores', language)} -> 'terms' as terms
    from stores
    left join mail_settings on mail_settings.store_id = stores.id
      and mail_settings.kind = ${kind}
    where stores.id = ${storeId}`)
}

export type Place = 'subject' | 'introduction'

/** The store's own words, else the usual ones. `values` are what they may name beside the store. */
export function wordsOf(
  kind: MailKind,
  { store, language }: { store: LetterStore; language: Language },
  place: Place,
  values: Record<string, string | number> = {},
): string {
  const usual = place === 'subject' ? usualSubject : usualIntroduction
  const all = { ...values, store: oneLine(store.name) }
  return filled(store.words?.[language]?.[place] ?? usual(language)(kind, all), all)
}

/** Whose letter it is. */
export function senderOf({ name, storefront_url }: LetterStore): { name: string; url: string } {
  return { name: oneLine(name), url: storefront_url }
}

/** An address of the shop that opens in the language of the letter. */
export function shopUrl({ storefront_url }: LetterStore, path: string, language: Language): string {
  return `${storefront_url}${path}?lang=${language}`
}
