// The versions of the sources of a store's answers (migrations/0002_tenancy.sql). A write moves them in its own
// transaction, so an answer from before is recognized on every node.
import type { Database } from '../../kit/database/database.ts'
import { batchLoader } from '../../kit/database/batchloader.ts'
import { raw, sql, bindStore } from '../../kit/database/sql.ts'

/** In the order of a store's versions. */
const subjects = ['access', 'settings', 'catalog', 'discounts', 'customers', 'orders'] as const
export type Subject = (typeof subjects)[number]

/** Several subjects: the nth bit stands for the nth subject. */
export type SubjectSet = number

/** The version of each subject; null for a store without versions, whose answers are not cached. */
export type Versions = readonly number[] | null

/** Subjects that decide who may request what: every answer depends on them. */
export const admission: SubjectSet = toSubjectSet('access') | toSubjectSet('settings')

/** Select list: the version of these subjects, from a row of stores. */
export const admissionVersion = sql`coalesce((
    select sum(access + settings)
    from store_versions
    where store_versions.store_id = ${bindStore('stores.id')}), 0)::bigint`

/** True if the store was loaded before these subjects changed. */
export function isOutdated({ version }: { version?: number }, versions: Versions): boolean {
  return versions !== null && sumVersions(versions, admission) !== version
}

/** A store's versions as they are after the call. Calls that arrive together share a statement. */
export type ReadVersions = (storeId: string) => Promise<Versions>

export function toSubjectSet(subject: Subject): SubjectSet {
  return 1 << subjects.indexOf(subject)
}

/** One number for several subjects. Versions only grow, so an equal sum means that none has moved. */
export function sumVersions(versions: readonly number[], set: SubjectSet): number {
  return versions.reduce((sum, version, index) => (set & (1 << index) ? sum + version : sum), 0)
}

const sums = raw(subjects.map((subject) => `sum(${subject})::bigint`).join(', '))

export function openVersions(db: Database): ReadVersions {
  const load = batchLoader<string, Versions>(async (storeIds) => {
    const ids = [...new Set(storeIds)]
    const rows = await db.texts(sql`
      select store_id, ${sums}
      from store_versions
      where store_id = any(${ids}::text[])
      group by store_id`)
    const versions = new Map(rows.map(([storeId, ...sums]) => [storeId, sums.map(Number)]))
    return storeIds.map((storeId) => versions.get(storeId) ?? null)
  })
  return load
}
