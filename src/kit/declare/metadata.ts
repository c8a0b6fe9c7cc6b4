// What integrations keep on a record: their own ID of it, and texts of their own by key. Shoppers see neither.
import { raw, sql } from '../database/sql.ts'
import { invalid } from '../values/errors.ts'
import { fault, generalFaults, type Fault } from '../values/faults.ts'
import { textsByKey, type TextsByKey } from './composites.ts'
import type { JsonSchema } from './field.ts'
import { filter } from './resource.ts'
import { text } from './scalars.ts'

export const maxMetadataKeys = 50

/** Dots and brackets stand in paths and parameters, between a key and what is around it. */
const keyForm = /^[^.[\]\p{Cc}]{1,40}$/u

export function isMetadataKey(key: string): boolean {
  return keyForm.test(key)
}

const limits = { maxKeys: maxMetadataKeys, keys: keyForm, maxLength: 500 }

/** An explicit null in a body; recognized by its identity. */
const noMetadata: TextsByKey = Object.freeze({})

const description = 'Texts of your own by key. A change merges keys; null or an empty text removes one'

/** Never null. */
export function metadata() {
  const input = textsByKey({ ...limits, isInput: true, description }).example({ source: 'erp' })
  return textsByKey({ ...limits, description })
    .example({ source: 'erp' })
    .takes(input)
    .nullMeans(noMetadata)
}

export function externalId() {
  return text({ min: 1, max: 255 }).nullable().example('erp-1042').describe('ID of the record in your own system')
}

/** The fields of a record that a key can create. The ID is unique among the records of the kind in the store. */
export const integrationFields = () => ({ external_id: externalId(), metadata: metadata() })

/** The filters of their list; its table has the indexes for them. */
export function integrationFilters(table: string) {
  const own = raw(`store_metadata(${table}.store_id, ${table}.metadata)`)
  return {
    external_id: filter(
      text({ max: 255 }).describe('ID of the record in your own system'),
      (id) => sql`${raw(table)}.external_id = ${id}`,
    ),
    metadata: filter(
      textsByKey({ ...limits, description: 'Texts that the metadata has: `metadata[key]=value`' }).example({
        source: 'erp',
      }),
      (values, { store_id }) => sql`(${raw(table)}.metadata <> '{}'
      and ${own} @> store_metadata(${store_id}, ${JSON.stringify(values)}::jsonb))`,
    ),
  }
}

/** The filter of a list by the external ID of a part, in another table: `parts` name their records in `column`. */
export function partIdFilter(table: string, parts: string, column: string, description: string) {
  return filter(
    text({ max: 255 }).describe(description),
    (id, { store_id }) => sql`${raw(table)}.id in (
      select ${raw(column)}
      from ${raw(parts)}
      where store_id = ${store_id}
        and external_id = ${id})`,
  )
}

/** A body with metadata, of its own or in a list of parts; its schema says which lists these are. */
type Body = { id?: string; metadata?: TextsByKey } & Record<string, unknown>

export function hasMetadata(body: Body, schema: JsonSchema): boolean {
  return body.metadata !== undefined || listParts(body, schema).some(([, parts]) => parts.some(isLabeled))
}

const isLabeled = ({ metadata }: Body) => metadata !== undefined

/**
 * The body with all of the metadata that its records then have: `current` is the record that it changes. A list of
 * parts names those that exist by their IDs. Reports all faults at once.
 */
export function mergeMetadata<B extends Body>(body: B, current: Body, schema: JsonSchema): B {
  const faults: Fault[] = []
  const merged: Body = mergeKeys(body, current, 'metadata', faults)
  for (const [name, parts] of listParts(body, schema)) {
    const existing = new Map(((current[name] ?? []) as Body[]).map((part) => [part.id, part]))
    merged[name] = parts.map((part, at) =>
      mergeKeys(part, existing.get(part.id) ?? {}, `${name}.${at}.metadata`, faults),
    )
  }
  if (faults.length > 0) throw invalid(...faults)
  return merged as B
}

function mergeKeys(body: Body, current: Body, path: string, faults: Fault[]): Body {
  if (body.metadata === undefined) return { ...body }
  const texts = mergeTexts(body.metadata === noMetadata ? {} : current.metadata, body.metadata)
  if (Object.keys(texts).length > maxMetadataKeys)
    faults.push(fault(path, generalFaults.too_many_elements, { limit: maxMetadataKeys }))
  return { ...body, metadata: texts }
}

/** All texts after a change: null or an empty text removes a key. */
export function mergeTexts(before: TextsByKey | undefined, changes: TextsByKey): TextsByKey {
  return Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, text]) => text))
}

type PartSchema = { items?: { properties?: { metadata?: JsonSchema } } }

function listParts(body: Body, { properties }: JsonSchema): [name: string, parts: Body[]][] {
  return Object.entries(body).flatMap(([name, value]): [string, Body[]][] => {
    const { items } = ((properties as JsonSchema | undefined)?.[name] ?? {}) as PartSchema
    return Array.isArray(value) && items?.properties?.metadata ? [[name, value]] : []
  })
}
