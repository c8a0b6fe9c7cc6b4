// A store's settings for a kind of email: On or Off, and its own texts.
import { complete, object } from '../../kit/declare/composites.ts'
import type { Db, Tx } from '../../kit/database/database.ts'
import type { Patch } from '../../kit/declare/field.ts'
import { resource, type Json } from '../../kit/declare/resource.ts'
import { json } from '../../kit/declare/route.ts'
import { choice, flag, text } from '../../kit/declare/scalars.ts'
import { patchBody } from '../../kit/declare/shape.ts'
import { invalid, notFound } from '../../kit/values/errors.ts'
import { fault, reason, type Reason } from '../../kit/values/faults.ts'
import { eachLanguage, languages, type Language } from '../../kit/values/language.ts'
import { join, raw, sql } from '../../kit/database/sql.ts'
import { getMailKind as traitsOf, mailKinds, type MailKind } from '../../tenancy/emails/kinds.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { letterTranslator } from './messages.ts'
import { letterFaults } from './errors.ts'
import { renewFace, setSwitch } from '../../tenancy/stores/operations.ts'

/** Placeholders that a store's own texts may use, in braces. */
const placeholders = ['store', 'number', 'total'] as const

function hasKnownPlaceholders(words: string): Reason | null {
  const names = [...words.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name!)
  const unknownName = names.find((name) => !placeholders.some((placeholder) => placeholder === name))
  if (unknownName === undefined) return null
  return reason(letterFaults.placeholder_unknown, { name: unknownName.slice(0, 50), choices: placeholders.join(', ') })
}

const placeholderNames = placeholders.map((name) => `{${name}}`).join(', ')

// prettier-ignore
const wordFields = {
  subject:      text({ min: 1, max: 150, pattern: '^[^\\r\\n]*$' }).rule(hasKnownPlaceholders).nullable()
    .describe(`Subject line in plain text, with placeholders ${placeholderNames}; null for the default`)
    .example('We have your order {number}'),
  introduction: text({ min: 1, max: 2000 }).rule(hasKnownPlaceholders).nullable()
    .describe(`Introduction in plain text, with placeholders ${placeholderNames}; null for the default`)
    .example('Thank you for buying at {store}!'),
}

const englishLanguageNames = new Intl.DisplayNames(['en'], { type: 'language' })

// prettier-ignore
const fields = {
  kind:      choice(mailKinds).readonly(),
  is_active: flag().describe('Whether emails of this kind are sent'),
  ...eachLanguage((language) => object(wordFields).nullable()
    .describe(`Custom texts in ${englishLanguageNames.of(language)}; null for the default texts`)),
  usual:     complete(eachLanguage(() => complete(wordFields))).readonly()
    .describe('Default texts in each language'),
}

export const mailSetting = resource('mail_settings', fields, {}, { noun: 'Mail setting' })

export const mailSettingChanges = patchBody(fields)

type StoreTexts = { subject?: string | null; introduction?: string | null } | null
/** A store's texts by language; languages without texts are missing. */
export type TextsByLanguage = Partial<Record<Language, StoreTexts>>
type MailSettingRow = { kind: MailKind; is_active: boolean; words: TextsByLanguage }

export function requireMailKind(name: string | undefined): MailKind {
  const kind = mailKinds.find((kind) => kind === name)
  if (!kind) throw notFound(mailSetting.noun)
  return kind
}

export async function listMailSettings(db: Db, store: Store): Promise<Json<object[]>> {
  const rows = await readMailSettingRows(db, store)
  return json(mailKinds.map((kind) => settingView(kind, rows)))
}

export async function findMailSetting(db: Db, store: Store, kind: MailKind): Promise<Json<object>> {
  return json(settingView(kind, await readMailSettingRows(db, store)))
}

function readMailSettingRows(db: Db, store: Store): Promise<MailSettingRow[]> {
  return db.rows<MailSettingRow>(sql`
    select kind, is_active, words
    from mail_settings
    where store_id = ${store.id}
      and kind <> all(${Object.keys(switches)}::text[])
    ${join(
      switchEntries.map(([kind, column]) => buildSwitchSelect(store.id, kind, column)),
      ' ',
    )}`)
}

function settingView(kind: MailKind, rows: readonly MailSettingRow[]): object {
  const { is_active = true, words = {} } = rows.find((one) => one.kind === kind) ?? {}
  const usual = eachLanguage((language) => ({
    subject: letterTranslator(language)(`subject_${kind}`, placeholderValues),
    introduction: letterTranslator(language)(`introduction_${kind}`, placeholderValues),
  }))
  return { kind, is_active, ...eachLanguage((language) => words[language] ?? null), usual }
}

/** Kinds whose setting is a column of the store. */
const switches: Partial<Record<MailKind, 'recovery_email_enabled' | 'customer_accounts'>> = {
  abandoned_checkout: 'recovery_email_enabled',
  account_sign_in: 'customer_accounts',
}
const switchEntries = Object.entries(switches)

const buildSwitchSelect = (storeId: string, kind: string, column: string) => sql`
    union all
    select ${kind}, stores.${raw(column)}, coalesce(mail_settings.words, '{}')
    from stores
    left join mail_settings on mail_settings.store_id = stores.id
      and mail_settings.kind = ${kind}
    where stores.id = ${storeId}`

/** Keeps the placeholders as they are. */
const placeholderValues = Object.fromEntries(placeholders.map((name) => [name, `{${name}}`]))

/** A checkout without an order has no number, and a contact message has no total either. */
const emptyPlaceholders: Record<string, readonly (typeof placeholders)[number][]> = {
  checkout: ['number'],
  payment: ['number'],
  enquiry: ['number', 'total'],
  summary: ['number', 'total'],
  sign_in: ['number', 'total'],
}

function rejectEmptyPlaceholders(kind: MailKind, words: TextsByLanguage): void {
  const names = emptyPlaceholders[traitsOf(kind).about] ?? []
  const texts = languages.flatMap((language) =>
    (['subject', 'introduction'] as const).map((field) => ({
      at: `${language}.${field}`,
      text: words[language]?.[field],
    })),
  )
  const choices = placeholders.filter((name) => !names.includes(name)).join(', ')
  const faults = texts.flatMap(({ at, text }) => {
    const name = names.find((name) => text?.includes(`{${name}}`))
    return name ? fault(at, letterFaults.placeholder_unknown, { name, choices }) : []
  })
  if (faults.length > 0) throw invalid(...faults)
}

/** Fields that are left out stay; the texts of a language are replaced together. */
export async function changeMailSetting(
  tx: Tx,
  store: Store,
  kind: MailKind,
  patch: Patch<typeof fields>,
): Promise<Json<object>> {
  const { is_active: isActive = null, ...words } = patch as Partial<MailSettingRow> & TextsByLanguage
  rejectEmptyPlaceholders(kind, words)
  const column = switches[kind]
  const is_active = column ? null : isActive
  if (column && isActive !== null) setSwitch(tx, store.id, column, isActive)
  await tx.rows(sql`
    insert into mail_settings (store_id, kind, is_active, words, updated_at)
    values (${store.id}, ${kind}, coalesce(${is_active}::boolean, true), ${JSON.stringify(words)}::jsonb, ${tx.now})
    on conflict (store_id, kind) do update
    set is_active = coalesce(${is_active}::boolean, mail_settings.is_active),
        words = mail_settings.words || excluded.words,
        updated_at = excluded.updated_at`)
  // Every page shows a contact link only if visitors may write.
  if (kind === 'contact_message') {
    renewFace(tx, store.id)
  }
  return findMailSetting(tx, store, kind)
}
