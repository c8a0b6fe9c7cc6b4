// Detects records that changed since a write's dry run. Each field is kept as a hash, so that personal data
// stays in its own record.
import { getTableNoun } from '../auditlog/nouns.ts'
import { toPublicRecordId } from '../auditlog/view.ts'
import type { Db } from '../../kit/database/database.ts'
import type { ChangedField } from './errors.ts'
import { empty, raw, sql, type Sql } from '../../kit/database/sql.ts'

export type RecordVersion = { table: string; id: string; fields: Record<string, string> }
type ChangedRecord = Pick<RecordVersion, 'table' | 'id'>

// Rows that are not named by a uuid `id`.
const keys: Record<string, { column: string; type: string }> = {
  members: { column: 'user_id', type: 'uuid' },
  product_slugs: { column: 'slug', type: 'text' },
  fulfillment_items: { column: 'item_id', type: 'uuid' },
  refund_items: { column: 'item_id', type: 'uuid' },
  mail_settings: { column: 'kind', type: 'text' },
}

/** `holds`: the rows stay as they are read until the transaction ends. */
export async function readRecordVersions(
  db: Db,
  storeId: string,
  records: readonly ChangedRecord[],
  { salt, holds }: { salt: string; holds: boolean },
): Promise<RecordVersion[]> {
  const tables = [...new Set(records.map(({ table }) => table))].sort()
  const read = tables.map((table) => {
    const ids = records.filter((row) => row.table === table).map(({ id }) => id)
    return db.rows<RecordVersion>(versions(table, storeId, [...new Set(ids)], { salt, holds }))
  })
  return (await Promise.all(read)).flat()
}

function versions(
  name: string,
  storeId: string,
  ids: string[],
  { salt, holds }: { salt: string; holds: boolean },
): Sql {
  if (!/^[a-z_]+$/.test(name)) throw new Error(`${name} is not a table`)
  const table = raw(name)
  const { column, type } = keys[name] ?? { column: 'id', type: 'uuid' }
  const key = raw(`${name}.${column}`)
  const ofStore =
    name === 'stores'
      ? sql`stores.id = ${storeId}`
      : sql`${table}.store_id = ${storeId} and ${key} = any(${ids}::${raw(type)}[])`
  return sql`
    select ${name} as table, ${key}::text as id, (
      select json_object_agg(key, left(md5(${salt} || value::text), 12))
      from jsonb_each(to_jsonb(${table}) - '{store_id,updated_at,search_text}'::text[])) as fields
    from ${table}
    where ${ofStore}
    order by ${key}
    ${holds ? sql`for no key update` : empty}`
}

/** Fields that differ, by the names of their columns; all of them where the record is gone. */
export function differences(before: readonly RecordVersion[], now: readonly RecordVersion[]): ChangedField[] {
  const buildRecordKey = ({ table, id }: ChangedRecord) => `${table} ${id}`
  const [was, is] = [before, now].map((versions) => new Map(versions.map((one) => [buildRecordKey(one), one])))
  const all = new Map([...before, ...now].map(({ table, id }) => [buildRecordKey({ table, id }), { table, id }]))
  return [...all].flatMap(([name, records]) => {
    const [earlier, later] = [was!.get(name)?.fields ?? {}, is!.get(name)?.fields ?? {}]
    const fields = Object.keys({ ...earlier, ...later }).filter((field) => earlier[field] !== later[field])
    return fields.map((field) => ({
      resource: getTableNoun(records.table).name,
      id: toPublicRecordId(records.table, records.id),
      field,
    }))
  })
}

// Values that differ with every run, or count other requests.
const currentVersions = new Set(['id', 'order_number', 'slug', 'secret', 'secret_last4', 'created_at', 'updated_at'])
const timeFields = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** The paths at which two answers differ, apart from values of each run. */
export function differingPaths(before: unknown, now: unknown, at = ''): string[] {
  if (isObject(before) && isObject(now)) {
    const names = Object.keys({ ...before, ...now }).filter(
      (name) => !currentVersions.has(name) && !name.endsWith('_id'),
    )
    return names.flatMap((name) => differingPaths(before[name], now[name], at ? `${at}.${name}` : name))
  }
  const areTimes = [before, now].every((value) => typeof value === 'string' && timeFields.test(value))
  return before === now || areTimes ? [] : [at]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
