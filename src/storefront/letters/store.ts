// The store as its emails show it, and its own texts for them.
import type { Db } from '../../kit/database/database.ts'
import { fillIn, type Language } from '../../kit/values/language.ts'
import { baseUrl, raw, sql } from '../../kit/database/sql.ts'
import type { MailKind, StoreKind } from '../../tenancy/emails/kinds.ts'
import { storefrontUrl } from '../../tenancy/stores/store.ts'
import { oneLine } from './safe.ts'
import type { Term } from '../../tenancy/stores/terms.ts'
import { textsIn } from '../../tenancy/stores/translations.ts'
import { deriveAccent } from '../branding/stylesheet.ts'
import type { Appearance } from '../branding/appearance.ts'
import { buildPictureSources } from '../../commerce/media/picture.ts'
import type { Image, LetterSender } from './letter.ts'
import type { TextsByLanguage } from './setting.ts'
import { letterTranslator } from './messages.ts'

const appearanceFields = [
  'logo',
  'accent_color',
  'accent_color_dark',
  'legal_name',
  'contact_address',
  'contact_email',
  'contact_phone',
] as const satisfies (keyof Appearance)[]

export type LetterStore = Pick<Appearance, (typeof appearanceFields)[number]> & {
  id: string
  name: string
  slug: string
  status: string
  currency: string
  country_code: string
  timezone: string
  storefront_url: string
  site_url: string
  reply_to_email: string | null
  translated: Language[]
  /** The store's own texts for this kind of email. */
  words: TextsByLanguage | null
  /** Translated names of its rates, methods and bumps. */
  terms: Term[] | null
}

export function findLetterStore(
  db: Db,
  storeId: string,
  { kind, language }: { kind: StoreKind; language: Language },
): Promise<LetterStore | undefined> {
  return db.one<LetterStore>(sql`
    select stores.id, stores.name, stores.slug, stores.status, stores.currency, stores.country_code, stores.timezone,
      stores.reply_to_email, stores.translated, ${storefrontUrl} as storefront_url,
      ${baseUrl}::text as site_url, mail_settings.words,
      ${raw(appearanceFields.map((name) => `stores.${name}`).join(', '))},
      ${textsIn('stores', language)} -> 'terms' as terms
    from stores
    left join mail_settings on mail_settings.store_id = stores.id
      and mail_settings.kind = ${kind}
    where stores.id = ${storeId}`)
}

export type LetterField = 'subject' | 'introduction'

/** The store's own text, or the default one. `values` fill the placeholders except the store's. */
export function textOfStore(
  kind: MailKind,
  { store, language }: { store: LetterStore; language: Language },
  field: LetterField,
  values: Record<string, string | number> = {},
): string {
  const all = { ...values, store: oneLine(store.name) }
  const own = store.words?.[language]?.[field]
  return own == null ? letterTranslator(language)(`${field}_${kind}`, all) : fillIn(own, all)
}

/** The sender of an email, with the shop's look. */
export function buildLetterSender(store: LetterStore): LetterSender {
  const { name, storefront_url: url, legal_name, contact_address, contact_email, contact_phone } = store
  const lines = [legal_name, ...(contact_address ?? '').split('\n'), contact_email, contact_phone]
  return {
    name: oneLine(name),
    url,
    logo: store.logo ? ownImage(store, store.logo) : null,
    accent: deriveAccent(store),
    imprint: lines.map((line) => oneLine(line ?? '')).filter((line) => line !== ''),
  }
}

/** An image that the store has uploaded; null for any other, whose server would learn who opens an email. */
export function ownImage({ id, slug, storefront_url }: LetterStore, url: string): Image | null {
  const picture = buildPictureSources(url, id)
  const root = storefront_url.endsWith(`/s/${slug}`) ? storefront_url.slice(0, -`/s/${slug}`.length) : storefront_url
  return picture && { url: `${root}${picture.src}`, width: picture.width, height: picture.height }
}

/** A URL of the shop in the language of the email. */
export function shopUrl({ storefront_url }: LetterStore, path: string, language: Language): string {
  return `${storefront_url}${path}${path.includes('?') ? '&' : '?'}lang=${language}`
}
