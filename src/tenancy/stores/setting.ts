// Lists of checkout settings. Each is a resource under /v1/store with the same five routes.
import type { Tx } from '../../kit/database/database.ts'
import { invalid, notFound } from '../../kit/values/errors.ts'
import { fault, generalFaults, reason, type Fault } from '../../kit/values/faults.ts'
import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import { text } from '../../kit/declare/scalars.ts'
import { newUuid, publicId, toUuid } from '../../kit/values/ids.ts'
import { findRecord } from '../../kit/declare/page.ts'
import type { RecordOrigin } from '../../kit/declare/origin.ts'
import { remove } from '../../kit/declare/remove.ts'
import { assignments, insertInto, type RecordOf, type AnyResource } from '../../kit/declare/resource.ts'
import type { Route } from '../../kit/declare/route.ts'
import { empty, raw, sql } from '../../kit/database/sql.ts'
import { advisoryLock } from '../../kit/database/advisorylock.ts'
import type { Feature } from '../plans/plan.ts'
import { storeChanged, type Store } from './store.ts'

type SettingValues = Record<string, any>

export type CheckoutSetting = {
  resource: AnyResource
  path: string
  /** The plural noun for summaries. */
  plural: string
  /** The maximum number of records in a store, or of those with the same value of `countedBy`. */
  maximum: number
  countedBy?: string
  /** The plan feature required for changes. */
  feature?: Feature
  /** True if a body can contain secrets. */
  isConfidential?: boolean
  /** Errors by the name of the violated constraint. */
  refusals(values: SettingValues): Record<string, () => Error>
  /** Additional columns of a new or changed record; can reject the values. */
  beside?(tx: Tx, store: Store, id: string, values: SettingValues, deps: any): Promise<SettingValues>
  /** Defaults of a new record that depend on its values. */
  complete?(values: SettingValues): SettingValues
  /** Records that the list has changed. */
  changed?(tx: Tx, store: Store): void
  /** Throws if the record must stay. */
  checkRemoval?(tx: Tx, store: Store, id: string): Promise<void>
  /** Throws if the stored values do not fit together. */
  check?(tx: Tx, store: Store, id: string): Promise<void>
}

/** The code by which an order names its payment or shipping method. */
export const methodCode = () => text({ min: 1, max: 50, pattern: '^[a-z0-9][a-z0-9_-]*$' })

/** A category in a list that is a single column, where it is stored as a public ID. */
export const categoryId = () =>
  text({ max: 64 })
    .rule((text) => (toUuid('cat', text) ? null : reason(generalFaults.does_not_exist)))
    .example(publicId('cat', '01912d68-783e-7a03-8467-5661c1243ad4'))

/** `ids` are public IDs, by the paths of their fields. */
export async function findMissingCategories(
  tx: Tx,
  storeId: string,
  ids: [field: string, id: string][],
): Promise<Fault[]> {
  if (ids.length === 0) return []
  const categories = await tx.rows<{ id: string }>(sql`
    select id from categories
    where store_id = ${storeId}
      and id = any(${ids.map(([, id]) => toUuid('cat', id)!)}::uuid[])`)
  const existing = new Set(categories.map(({ id }) => publicId('cat', id)))
  return ids.flatMap(([field, id]) => (existing.has(id) ? [] : [fault(field, generalFaults.does_not_exist)]))
}

export function settingRoutes(setting: CheckoutSetting): Route<Store>[] {
  const { resource, path, plural, feature, isConfidential = false } = setting
  const settings = buildCrudRoutes<Store>('Store')(resource, { path, plural, read: 'read:store', write: 'write:store' })
  const rules = { isConfidential, ...(feature ? { feature } : {}) }
  return [
    settings.list(),
    settings.create(({ tx, store, body, ...deps }) => createSetting(tx, store, setting, body, deps), rules),
    settings.get(),
    settings.update(
      ({ tx, store, params, body, ...deps }) => updateSetting(tx, store, setting, params.id, body, deps),
      rules,
    ),
    settings.remove(({ tx, store, params }) => deleteSetting(tx, store, setting, params.id)),
  ]
}

/** Fails if the store has the maximum number of records. */
export async function createSetting(
  tx: Tx,
  store: Store,
  setting: CheckoutSetting,
  values: SettingValues,
  deps: SettingValues,
  past?: RecordOrigin,
): Promise<RecordOf<any>> {
  const { resource } = setting
  const id = past?.id ?? newUuid()
  const count = countOthers(tx, store, setting, id, values)
  const beside = await setting.beside?.(tx, store, id, values, deps)
  const insertion = tx.texts(
    sql`
    ${insertInto(
      resource,
      { ...setting.complete?.(values), ...values },
      { ...beside, store_id: store.id, id, created_at: past?.created_at ?? tx.now, updated_at: tx.now },
    )}
    returning ${resource.columns}`,
    setting.refusals(values),
  )
  const [others, [row]] = await Promise.all([count, insertion])
  requireRoom(setting, others)
  await setting.check?.(tx, store, id)
  publishChange(tx, store, setting)
  return resource.record(row!)
}

/** The number of records that count with this one. Concurrent requests take turns, so that it is exact. */
async function countOthers(
  tx: Tx,
  store: Store,
  { resource, countedBy }: CheckoutSetting,
  id: string,
  values: SettingValues,
): Promise<number> {
  tx.later(sql`select from stores where id = ${store.id} for no key update`)
  const row = await tx.one<{ count: number }>(sql`
    select count(*) as count
    from ${raw(resource.table)}
    where store_id = ${store.id}
      and id <> ${id}
      ${countedBy ? sql`and ${raw(countedBy)} = ${values[countedBy]}` : empty}`)
  return row!.count
}

function requireRoom({ maximum, countedBy, plural }: CheckoutSetting, others: number): void {
  if (others < maximum) return
  const things = countedBy ? `${plural} of one kind` : plural
  throw invalid(fault('body', generalFaults.one_too_many, { owner: 'a store', limit: maximum, things }))
}

export async function updateSetting(
  tx: Tx,
  store: Store,
  setting: CheckoutSetting,
  id: string,
  patch: SettingValues,
  deps: SettingValues,
): Promise<RecordOf<any>> {
  const { resource, plural, countedBy } = setting
  if (Object.keys(patch).length === 0) return findRecord(tx, resource, store.id, id)
  advisoryLock(tx, `${plural} ${store.id}`)
  if (countedBy && countedBy in patch) requireRoom(setting, await countOthers(tx, store, setting, id, patch))
  const beside = await setting.beside?.(tx, store, id, patch, deps)
  const [row] = await tx.texts(
    sql`
    update ${raw(resource.table)}
    set ${assignments(resource, patch, { ...beside, updated_at: tx.now })}
    where store_id = ${store.id}
      and id = ${id}
    returning ${resource.columns}`,
    setting.refusals(patch),
  )
  if (!row) throw notFound(resource.noun)
  await setting.check?.(tx, store, id)
  publishChange(tx, store, setting)
  return resource.record(row)
}

export async function deleteSetting(tx: Tx, store: Store, setting: CheckoutSetting, id: string): Promise<void> {
  await setting.checkRemoval?.(tx, store, id)
  await remove(tx, setting.resource, store.id, id, setting.refusals({}))
  publishChange(tx, store, setting)
}

function publishChange(tx: Tx, store: Store, setting: CheckoutSetting): void {
  setting.changed?.(tx, store)
  tx.afterCommit(() => tx.bus.publish(storeChanged, store.id))
}
