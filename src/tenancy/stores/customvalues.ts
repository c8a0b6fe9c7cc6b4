// The values of custom fields: an object by key, in a column of the record. Bodies are checked against the definitions.
import type { Tx } from '../../kit/database/database.ts'
import { bindStore, byServers, raw, sql, type Sql } from '../../kit/database/sql.ts'
import { complete, list, textsByKey } from '../../kit/declare/composites.ts'
import { derive, field, type Entity, type JsonSchema } from '../../kit/declare/field.ts'
import { filter } from '../../kit/declare/resource.ts'
import { choice, text, url } from '../../kit/declare/scalars.ts'
import { InvalidValue } from '../../kit/declare/invalidvalue.ts'
import { verbatim } from '../../kit/values/columntext.ts'
import { isDay } from '../../kit/values/day.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults, reason, type Fault, type Reason } from '../../kit/values/faults.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { customFieldTypes, indexEntry, maxFieldsOfKind, type CustomField, type CustomFieldType } from './customfield.ts'
import { type CustomFieldKind } from './customfieldkind.ts'
import { storeFaults } from './errors.ts'

export type CustomValue = string | number | boolean
export type CustomValues = Record<string, CustomValue>

const maxLength = 2000
/** The longest value that the index has. */
const maxIndexedLength = 120
const largestNumber = 1e15

const valueTypes = ['string', 'number', 'boolean']

const keyword = 'x-custom-fields'
const description = 'Values of custom fields by key. A change merges keys; null or an empty text removes one'

/** An explicit null in a body; recognized by its identity. */
const noValues: CustomValues = Object.freeze({})

function valuesByKey(kind: CustomFieldKind, types: readonly string[]) {
  return field<CustomValues>({
    schema: {
      type: 'object',
      maxProperties: maxFieldsOfKind,
      additionalProperties: { type: types, maxLength },
      [keyword]: kind,
    },
    columnType: 'jsonb',
    write: verbatim,
    value: JSON.parse,
    column: (value) => JSON.stringify(value),
  }).describe(description)
}

/** Of many records in one body. Their operation checks the values, beside what each record has. */
export function customValuesOfMany() {
  return field<ValueChanges>({
    schema: {
      type: 'object',
      maxProperties: maxFieldsOfKind,
      additionalProperties: { type: [...valueTypes, 'null'], maxLength },
    },
  })
    .describe(description)
    .example({})
}

/** The field of a record of this kind; never null. */
export function customValues(kind: CustomFieldKind) {
  return valuesByKey(kind, valueTypes)
    .example({ material: 'Linen' })
    .takes(valuesByKey(kind, [...valueTypes, 'null']).example({}))
    .nullMeans(noValues)
}

/** The filter of its list; the table has an index for it. */
export function customValuesFilter(table: string) {
  const column = raw(`${table}.custom_fields`)
  const values = textsByKey({
    maxKeys: maxFieldsOfKind,
    keys: /^[a-z0-9_]{1,40}$/,
    maxLength: maxIndexedLength,
    description: 'Values of custom fields: `custom_fields[key]=value`',
  }).example({ material: 'Linen' })
  return {
    custom_fields: filter(values, (wanted, { store_id }) => {
      const entries = Object.entries(wanted).map(([key, value]) => indexEntry(store_id, key, value))
      return sql`(${column} <> '{}'
      and store_custom_fields(${raw(table)}.store_id, ${column}) @> ${entries}::text[])`
    }),
  }
}

/** A condition on a row of products: a shopper's filter has one of the values. Fields that are no filters have none. */
export function hasFilterValue(key: string, values: readonly string[]): Sql {
  const entries = sql`array(
      select ${bindStore('products.store_id')} || ':' || custom_fields.key || chr(10) || wanted
      from custom_fields, unnest(${[...values]}::text[]) as wanted
      where custom_fields.store_id = ${bindStore('products.store_id')}
        and custom_fields.key = ${key}
        and ${isFilter})`
  return sql`(products.custom_fields <> '{}'
      and store_custom_fields(products.store_id, products.custom_fields) && ${entries})`
}

/** Counts the values of shoppers' filters. Rows have `custom_fields`, and in `failed` the filters that exclude each. */
export function countFilterValues(storeId: string, rows: string, maximum: number): Sql {
  return sql`
      (select coalesce(json_agg(counted), '[]')
       from (
         select custom_fields.key, label, type, ${raw(rows)}.custom_fields ->> custom_fields.key as value,
           count(*) as count
         from custom_fields, ${raw(rows)}
         where custom_fields.store_id = ${storeId}
           and ${isFilter}
           and length(${raw(rows)}.custom_fields ->> custom_fields.key) <= ${maxIndexedLength}
           and failed <@ array['field ' || custom_fields.key]
         group by custom_fields.id, custom_fields.key, label, type, position, value
         order by position, custom_fields.id, count(*) desc, value
         limit ${maximum}) as counted)`
}

const isFilter = sql`custom_fields.applies_to = 'product'
        and custom_fields.visibility = 'filter'
        and custom_fields.is_active`

// prettier-ignore
const shownValue = {
  key:   text().example('material').describe('Key of the field'),
  label: text().example('Material'),
  type:  choice(customFieldTypes).example('choice').describe('Type of the value'),
  value: field<CustomValue>({ schema: { type: valueTypes } }).example('Linen').describe('Value of the field'),
}

/** What shoppers see of the values of a table, in the order of the fields. Costs nothing in a row without values. */
export function shownCustomValues(table: string, kind: CustomFieldKind) {
  const column = raw(`${table}.custom_fields`)
  const storeId = bindStore(`${table}.store_id`)
  const called = sql`shown_custom_fields(${storeId}, '${raw(kind)}', ${column})`
  const read = sql`(
      select coalesce(json_agg(json_build_object('key', custom_fields.key, 'label', custom_fields.label,
        'type', custom_fields.type, 'value', ${column} -> custom_fields.key)
        order by custom_fields.position, custom_fields.id), '[]')
      from custom_fields
      where custom_fields.store_id = ${storeId}
        and custom_fields.applies_to = '${raw(kind)}'
        and custom_fields.is_active
        and custom_fields.visibility <> 'staff'
        and ${column} ? custom_fields.key)`
  return derive(
    list(complete(shownValue), { max: maxFieldsOfKind }),
    sql`case when ${column} = '{}' then '[]' else ${byServers(called, read)} end`,
  ).describe('Custom fields that shoppers see')
}

export type ShownCustomValue = Entity<typeof shownValue>

type ValueChanges = Record<string, CustomValue | null>
type ValuesBody = { id?: string; custom_fields?: ValueChanges } & Record<string, unknown>
type DefinedSchema = JsonSchema & { properties?: { custom_fields?: JsonSchema }; items?: DefinedSchema }
type FieldStore = { id: string; custom_field_kinds?: readonly string[] }

/** A record in a body: the body itself, or a part in a list of it. */
type ValuesPlace = { kind: CustomFieldKind; path: string; body: ValuesBody; isNew: boolean; list?: string }

/** True if values of the body are to be checked: it has some, or makes a record that the store has fields for. */
export function hasCustomValues(body: ValuesBody, schema: JsonSchema, store: FieldStore, isNew: boolean): boolean {
  return listPlaces(body, schema, isNew).some((place) => isChecked(place, store))
}

function isChecked({ kind, body, isNew }: ValuesPlace, { custom_field_kinds = [] }: FieldStore): boolean {
  return body.custom_fields !== undefined || (isNew && custom_field_kinds.includes(kind))
}

function listPlaces(body: ValuesBody, schema: DefinedSchema, isNew: boolean): ValuesPlace[] {
  const kind = readKind(schema)
  const parts = Object.entries(body).flatMap(([list, value]): ValuesPlace[] => {
    const partKind = readKind((schema.properties as Record<string, DefinedSchema> | undefined)?.[list]?.items)
    if (partKind === null || !Array.isArray(value)) return []
    return value.map((part: ValuesBody, index) => {
      return { kind: partKind, path: `${list}.${index}.`, body: part, isNew: part.id === undefined, list }
    })
  })
  return [...(kind === null ? [] : [{ kind, path: '', body, isNew }]), ...parts]
}

function readKind(schema: DefinedSchema | undefined): CustomFieldKind | null {
  return (schema?.properties?.custom_fields?.[keyword] as CustomFieldKind | undefined) ?? null
}

/**
 * The body with all of the values that its records then have: `current` is the record that it changes. A list of parts
 * names those that exist by their IDs. Reports all faults at once.
 */
export async function mergeCustomValues<B extends ValuesBody>(
  tx: Tx,
  store: FieldStore,
  body: B,
  current: ValuesBody | null,
  schema: JsonSchema,
): Promise<B> {
  const places = listPlaces(body, schema, current === null).filter((place) => isChecked(place, store))
  if (places.length === 0) return body
  const kinds = [...new Set(places.map(({ kind }) => kind))]
  const definitions = await findDefinitions(tx, store.id, kinds)
  const faults: Fault[] = []
  const products: { path: string; id: string }[] = []
  const merged = new Map<ValuesBody, CustomValues>()
  const findCurrent = currentFinder(current)
  for (const place of places) {
    const before = findCurrent(place)
    const own = definitions.filter(({ applies_to }) => applies_to === place.kind)
    merged.set(place.body, mergeValues(place, own, before, { faults, products }))
  }
  faults.push(...(await unknownProducts(tx, store.id, products)))
  if (faults.length > 0) throw invalid(...faults)
  return withValues(body, merged, new Set(places.flatMap(({ list }) => list ?? [])))
}

/** Locked, so that a definition stays as it is until the values are written. */
function findDefinitions(tx: Tx, storeId: string, kinds: readonly CustomFieldKind[]): Promise<ValueTerms[]> {
  return tx.rows<ValueTerms>(sql`
    select applies_to, key, type, choices, is_required
    from custom_fields
    where store_id = ${storeId}
      and applies_to = any(${[...kinds]}::text[])
      and is_active
    order by position, id
    for share`)
}

type ValueTerms = Pick<CustomField, 'applies_to' | 'key' | 'type' | 'choices' | 'is_required'>

function currentFinder(current: ValuesBody | null): (place: ValuesPlace) => CustomValues {
  const parts = new Map<string, Map<unknown, ValuesBody>>()
  const partsOf = (list: string) => {
    const known = parts.get(list) ?? new Map((current?.[list] as ValuesBody[] | undefined)?.map((one) => [one.id, one]))
    parts.set(list, known)
    return known
  }
  return ({ list, body }) => ((list ? partsOf(list).get(body.id) : current)?.custom_fields ?? {}) as CustomValues
}

type Findings = { faults: Fault[]; products: { path: string; id: string }[] }

function mergeValues(
  { path, body }: ValuesPlace,
  definitions: readonly ValueTerms[],
  before: CustomValues,
  { faults, products }: Findings,
): CustomValues {
  const changes = body.custom_fields === noValues ? {} : (body.custom_fields ?? {})
  const values = new Map(Object.entries(body.custom_fields === noValues ? {} : before))
  for (const [key, value] of Object.entries(changes)) {
    const at = `${path}custom_fields.${key}`
    const definition = definitions.find((one) => one.key === key)
    if (value === null || (typeof value === 'string' && value.trim() === '')) values.delete(key)
    else if (values.get(key) === value) continue
    else if (!definition) faults.push(fault(at, generalFaults.unknown_field))
    else {
      const read = readCustomValue(definition, value)
      if (typeof read === 'object') faults.push({ field: at, ...read })
      else values.set(key, read)
      if (definition.type === 'product') products.push({ path: at, id: String(value) })
    }
  }
  const missing = definitions.filter(({ key, is_required }) => is_required && !values.has(key))
  for (const { key } of missing) {
    const at = `${path}custom_fields.${key}`
    if (!faults.some(({ field }) => field === at)) faults.push(fault(at, generalFaults.required))
  }
  return Object.fromEntries(values)
}

/** What is wrong with values; `isNew`: those that are required have to be among them. */
export function findValueFaults(
  definitions: readonly ValueTerms[],
  values: ValueChanges,
  { at, isNew }: { at: string; isNew: boolean },
): Fault[] {
  const findings: Findings = { faults: [], products: [] }
  const needed = isNew ? definitions : definitions.map((one) => ({ ...one, is_required: false }))
  const place: ValuesPlace = { kind: 'product', path: at, body: { custom_fields: values }, isNew }
  mergeValues(place, needed, {}, findings)
  return findings.faults
}

/** The value as it is stored, or the reason why it does not fit. */
export function readCustomValue(
  { type, choices }: Pick<CustomField, 'type' | 'choices'>,
  value: CustomValue,
): CustomValue | Reason {
  const expected = type === 'number' || type === 'boolean' ? type : 'string'
  if (typeof value !== expected) return reason(generalFaults.wrong_type, { type: typeNames[expected] })
  if (type === 'choice' && !choices.includes(String(value))) {
    return reason(generalFaults.not_one_of, { choices: choices.join(', ') })
  }
  return readers[type]?.(value as never) ?? value
}

const typeNames = { number: 'a number', boolean: 'true or false', string: 'a string' } as const

const webAddress = url()

function readAddress(value: string): CustomValue | Reason {
  const read = webAddress.spec.read(value, { currency: '', timezone: '', country_code: '' })
  return read instanceof InvalidValue ? reason(generalFaults.no_web_address) : value
}

const readers: Partial<Record<CustomFieldType, (value: never) => CustomValue | Reason>> = {
  number: (value: number) => {
    if (value > largestNumber) return reason(generalFaults.too_large, { limit: largestNumber })
    return value < -largestNumber ? reason(generalFaults.too_small, { limit: -largestNumber }) : value + 0
  },
  date: (value: string) => (isDay(value) ? value : reason(storeFaults.no_date)),
  color: (value: string) => (/^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : reason(storeFaults.no_color)),
  url: readAddress,
  file: readAddress,
}

async function unknownProducts(tx: Tx, storeId: string, references: Findings['products']): Promise<Fault[]> {
  if (references.length === 0) return []
  const uuids = references.map(({ id }) => toUuid('prod', id))
  const rows = await tx.rows<{ id: string }>(sql`
    select id
    from products
    where store_id = ${storeId}
      and id = any(${uuids.filter((uuid) => uuid !== null)}::uuid[])`)
  const known = new Set(rows.map(({ id }) => id))
  return references.flatMap(({ path }, index) =>
    known.has(uuids[index]!) ? [] : [fault(path, generalFaults.does_not_exist)],
  )
}

function withValues<B extends ValuesBody>(
  body: B,
  merged: ReadonlyMap<ValuesBody, CustomValues>,
  lists: ReadonlySet<string>,
): B {
  const withOwn = <P extends ValuesBody>(part: P): P => {
    const values = merged.get(part)
    return values ? { ...part, custom_fields: values } : part
  }
  const parts = Object.fromEntries([...lists].map((list) => [list, (body[list] as ValuesBody[]).map(withOwn)]))
  return { ...withOwn(body), ...parts }
}
