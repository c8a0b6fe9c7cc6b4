// Translations of a record's texts. Merchants read and change them separately; readers see them in place of the
// record's own texts. They are stored in the record's row, so that reading them takes no further query.
import { isDeepStrictEqual } from 'node:util'
import { list, object } from '../../kit/declare/composites.ts'
import { text } from '../../kit/declare/scalars.ts'
import type { Tx } from '../../kit/database/database.ts'
import { derive, field, type AnyField, type Fields } from '../../kit/declare/field.ts'
import { find } from '../../kit/declare/page.ts'
import { resource, type AnyResource, type ResourceOf } from '../../kit/declare/resource.ts'
import { buildRouteVerbs, type Route } from '../../kit/declare/route.ts'
import { patchBody, type Reader } from '../../kit/declare/shape.ts'
import { join, raw, sql, type Sql } from '../../kit/database/sql.ts'
import { notFound } from '../../kit/values/errors.ts'
import { fault } from '../../kit/values/faults.ts'
import { eachLanguage, languages, type Language } from '../../kit/values/language.ts'
import { followStore } from './followups.ts'
import { storeChanged, type Store } from './store.ts'
import { storeFaults } from './errors.ts'

type TranslatedTexts = Record<string, unknown>
export type ByLanguage = Partial<Record<Language, TranslatedTexts | null>>

/** The translatable texts of a resource. */
export type Translatable = {
  of: AnyResource
  texts: Fields
  /** The merchant's view: null in languages without texts. */
  all: AnyResource
  changes: Reader<ByLanguage>
}

export function translatable(of: AnyResource, texts: Fields): Translatable {
  const inOne = object(texts)
  const byLanguage = eachLanguage((language) => derive(inOne, textsIn(of.table, language)).nullable())
  const { table, noun } = of
  return {
    of,
    texts,
    all: resource(table, byLanguage, {}, { noun, title: `${noun} translations` }),
    changes: patchBody(eachLanguage(() => inOne.nullable())) as Reader<ByLanguage>,
  }
}

/** Fields for translations, with the same limits; null without a translation. */
export function buildTranslationFields<F extends Fields, K extends keyof F & string>(
  fields: F,
  names: readonly K[],
): Fields {
  return Object.fromEntries(names.map((name) => [name, optional(fields[name]!)]))
}

function optional({ spec }: AnyField): AnyField {
  const { default: _, ...schema } = spec.schema
  return field({ ...spec, schema, role: 'optional', nullable: true, sortable: false, initial: undefined })
}

/** JSON of a record's translations into a language, or null. */
export function textsIn(table: string, language: Language): Sql {
  return raw(`${table}.translations -> '${language}'`)
}

/** Pages also learn which texts of a record are not translated. */
export type Untranslated = { untranslated?: string[] | null }

/** A public resource in each language: translations, or the own texts of a record that has none. */
export function inLanguages<F extends Fields>(
  whole: ResourceOf<F>,
  { texts }: Translatable,
  { isMarked = false } = {},
): (language: Language) => ResourceOf<F> {
  const resources = new Map<Language, ResourceOf<F>>()
  return (language) => {
    let inOne = resources.get(language)
    if (!inOne) resources.set(language, (inOne = inLanguage(whole, texts, language, isMarked)))
    return inOne
  }
}

function inLanguage<F extends Fields>(
  whole: ResourceOf<F>,
  texts: Fields,
  language: Language,
  isMarked: boolean,
): ResourceOf<F> {
  const { table, fields } = whole
  const here = textsIn(table, language)
  const translatedFields = Object.entries(texts).map(([name, text]) => {
    const own: AnyField | undefined = fields[name]
    if (!own) return [name, derive(text, sql`${here} -> '${raw(name)}'`).nullable()]
    const expression = sql`coalesce(${here} ->> '${raw(name)}', ${raw(`${table}.${name}`)})`
    return [name, field({ ...own.spec, expression })]
  })
  const marks = isMarked ? { untranslated: untranslatedField(here, Object.keys(texts)) } : {}
  return resource(table, { ...fields, ...Object.fromEntries(translatedFields), ...marks } as F, whole.filters, whole)
}

function untranslatedField(here: Sql, names: readonly string[]): AnyField {
  const lacking = names.map((name) => sql`case when ${here} ->> '${raw(name)}' is null then '${raw(name)}' end`)
  return derive(
    list(text(), { max: names.length }),
    sql`array_to_json(array_remove(array[${join(lacking, ', ')}], null))`,
  )
}

const languageForm = /^[a-z]{2,3}(-[a-z\d]+)*$/i

/** An unknown language in a body is a fault; other unknown fields are ignored. */
export function unknownLanguages(body: Record<string, unknown>) {
  const languageNames = Object.keys(body).filter((name) => languageForm.test(name))
  const names = languageNames.filter((name) => !languages.some((language) => language === name))
  return names.map((name) => fault(name, storeFaults.no_language, { choices: languages.join(', ') }))
}

type TranslationAccess = {
  tag: string
  path: string
  read: string | readonly string[]
  write: string | readonly string[]
}
/** Called after the texts of a record have changed. */
type AfterTranslation = (tx: Tx, store: Store, id: string) => void | Promise<void>

/** GET and PATCH for the translations of a record. */
export function translationRoutes(
  kind: Translatable,
  { tag, path, read, write }: TranslationAccess,
  onChange?: AfterTranslation,
): Route<Store>[] {
  const { get, patch } = buildRouteVerbs<Store>(tag)
  const { of, all, changes } = kind
  const noun = of.noun.toLowerCase()
  return [
    get(`${path}/{id}/translations`, {
      scope: read,
      params: { id: of },
      returns: all.entity,
      summary: `Get a ${noun}'s translations`,
      run: ({ db, store, params }) => find(db, all, store.id, params.id),
    }),
    patch(`${path}/{id}/translations`, {
      scope: write,
      params: { id: of },
      body: changes,
      outside: async (body) => unknownLanguages(body),
      returns: all.entity,
      summary: `Update a ${noun}'s translations`,
      run: async ({ tx, store, params, body }) => {
        const record = sql`store_id = ${store.id} and id = ${params.id}`
        if (await translate(tx, store, kind, record, body)) await onChange?.(tx, store, params.id)
        return find(tx, all, store.id, params.id)
      },
    }),
  ]
}

/** Languages and texts that are not named stay; null removes them. Returns whether anything changed. */
export async function translate(
  tx: Tx,
  store: Store,
  { of, texts }: Translatable,
  record: Sql,
  patch: ByLanguage,
): Promise<boolean> {
  const table = raw(of.table)
  const row = await tx.one<{ translations: ByLanguage | null }>(sql`
    select translations
    from ${table}
    where ${record}
    for no key update`)
  if (!row) throw notFound(of.noun)
  const before = row.translations ?? {}
  const after = mergeTexts(before, patch, texts)
  if (isDeepStrictEqual(before, after)) return false
  const translatedLanguages = Object.keys(after)
  tx.later(sql`
    update ${table}
    set translations = ${translatedLanguages.length > 0 ? JSON.stringify(after) : null}::json, updated_at = ${tx.now}
    where ${record}`)
  if (of.table === 'stores') followStore(tx, store.id)
  const newLanguages = translatedLanguages.filter(
    (language) => !store.translated.some((translated) => translated === language),
  )
  if (newLanguages.length > 0) addLanguages(tx, store.id, newLanguages)
  return true
}

function mergeTexts(before: ByLanguage, patch: ByLanguage, fields: Fields): ByLanguage {
  const pairs = languages.map((language): [Language, TranslatedTexts | null] => {
    const changes = patch[language]
    if (changes === undefined) return [language, before[language] ?? null]
    const texts = { ...before[language], ...changes }
    const all = Object.entries(fields).map(([name, { spec }]) => [name, texts[name] ?? spec.nullMeans ?? null])
    return [language, changes !== null && all.some(([, text]) => !isEmpty(text)) ? Object.fromEntries(all) : null]
  })
  return Object.fromEntries(pairs.filter(([, texts]) => texts !== null))
}

function isEmpty(text: unknown): boolean {
  return text === null || (Array.isArray(text) && text.length === 0)
}

/** Adds languages to the store's list of translations; others are never looked up. */
function addLanguages(tx: Tx, storeId: string, newLanguages: readonly string[]): void {
  tx.later(sql`
    update stores
    set translated = array(select distinct unnest(translated || ${newLanguages}::text[]) order by 1)
    where id = ${storeId}
      and not translated @> ${newLanguages}::text[]`)
  followStore(tx, storeId)
  tx.afterCommit(() => tx.bus.publish(storeChanged, storeId))
}
