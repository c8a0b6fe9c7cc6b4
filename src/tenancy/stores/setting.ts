// Lists of checkout settings. Each is a resource under /v1/store with the same five routes.
import type { Tx } from '../../kit/database/database.ts'
import { invalid, notFound } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import { text } from '../../kit/declare/scalars.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { findRecord } from '../../kit/declare/page.ts'
import type { RecordOrigin } from '../../kit/declare/origin.ts'
import { remove } from '../../kit/declare/remove.ts'
import { assignments, insertInto, type RecordOf, type AnyResource } from '../../kit/declare/resource.ts'
import type { Route } from '../../kit/declare/route.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import { advisoryLock } from '../../kit/database/advisorylock.ts'
import type { Feature } from '../plans/plan.ts'
import { storeChanged, type Store } from './store.ts'

type SettingValues = Record<string, any>

export type CheckoutSetting = {
  resource: AnyResource
  path: string
  /** The plural noun for summaries. */
  plural: string
  /** The maximum number of records in a store. */
  maximum: number
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
  /** Throws if the stored values do not fit together. */
  check?(tx: Tx, store: Store, id: string): Promise<void>
}

/** The code by which an order names its payment or shipping method. */
export const methodCode = () => text({ min: 1, max: 50, pattern: '^[a-z0-9][a-z0-9_-]*$' })

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
  const { resource, maximum, plural } = setting
  // Concurrent requests take turns, so that the count is exact.
  tx.later(sql`select from stores where id = ${store.id} for no key update`)
  const count = tx.one<{ count: number }>(sql`
    select count(*) as count
    from ${raw(resource.table)}
    where store_id = ${store.id}`)
  const id = past?.id ?? newUuid()
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
  const [existing, [row]] = await Promise.all([count, insertion])
  if (existing!.count >= maximum) {
    throw invalid(fault('body', generalFaults.one_too_many, { owner: 'a store', limit: maximum, things: plural }))
  }
  await setting.check?.(tx, store, id)
  publishChange(tx, store, setting)
  return resource.record(row!)
}

export async function updateSetting(
  tx: Tx,
  store: Store,
  setting: CheckoutSetting,
  id: string,
  patch: SettingValues,
  deps: SettingValues,
): Promise<RecordOf<any>> {
  const { resource, plural } = setting
  if (Object.keys(patch).length === 0) return findRecord(tx, resource, store.id, id)
  advisoryLock(tx, `${plural} ${store.id}`)
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
  await remove(tx, setting.resource, store.id, id, setting.refusals({}))
  publishChange(tx, store, setting)
}

function publishChange(tx: Tx, store: Store, setting: CheckoutSetting): void {
  setting.changed?.(tx, store)
  tx.afterCommit(() => tx.bus.publish(storeChanged, store.id))
}
