import { RetryTransaction, type ConstraintErrors } from '../../kit/database/errors.ts'
import type { Db, Tx } from '../../kit/database/database.ts'
import { conflict, invalid, notFound } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import type { Create, Entity, Patch } from '../../kit/declare/field.ts'
import { newStoreId } from '../../kit/values/ids.ts'
import { assignments, insertInto, type AnyResource, type RecordOf } from '../../kit/declare/resource.ts'
import { longerSlug, buildSlug } from '../../kit/values/slug.ts'
import { empty, raw, sql } from '../../kit/database/sql.ts'
import { advisoryLock } from '../../kit/database/advisorylock.ts'
import { insertEventLog } from '../events/number.ts'
import { insertCounters } from '../plans/plan.ts'
import { currencyInUse } from './errors.ts'
import { followStore } from './followups.ts'
import { claimSlug, keepSlug, slugInUse } from './slugs.ts'
import { store, storeChanged, type Store } from './store.ts'

/** Leaves room for a suffix that distinguishes stores of the same name. */
const maxMadeSlug = 56

export type NewStore = Create<typeof store.fields> & { plan_id?: string }

/** Creates a store with its counters and its log, and returns its ID. The slug defaults to one based on the name. */
export async function createStore(tx: Tx, { plan_id = 'unlimited', ...values }: NewStore): Promise<string> {
  const id = newStoreId()
  const slug = values.slug ?? (await freeSlug(tx, values.name, id))
  const insert = insertInto(store, values, { id, slug, plan_id, created_at: tx.now, updated_at: tx.now })
  await tx.rows(insert, { ...duplicates(values.slug), stores_plan_id_fkey: () => notFound(`Plan ${plan_id}`) })
  requireTimezone(tx, values.timezone)
  followStore(tx, id)
  claimSlug(tx, id, sql`${slug}`, duplicates(values.slug))
  insertEventLog(tx, id)
  await insertCounters(tx, id)
  return id
}

/** Two requests for one slug meet at the unique index; the loser runs again and takes the longer one. */
async function freeSlug(tx: Tx, name: string, id: string): Promise<string> {
  const slug = buildSlug(name, id, maxMadeSlug)
  return (await tx.one(slugInUse(slug))) ? longerSlug(slug, id) : slug
}

/** Days of reports begin by the database's clock: its data of time zones may be older than this process's. */
function requireTimezone(tx: Tx, timezone: string | undefined): void {
  if (timezone === undefined || timezone === 'UTC') return
  tx.later(sql`select refuse('stores_timezone') where not is_time_zone(${timezone})`, {
    stores_timezone: () => invalid(fault('timezone', generalFaults.no_timezone)),
  })
}

/** Existing amounts would change currency, in reports too. The counters are locked: an order waits for this. */
function requireNoOrders(tx: Tx, id: string, currency: string): void {
  tx.later(
    sql`
    select refuse('stores_currency')
    from (select orders from store_counters where store_id = ${id} for update) as counters
    where orders > 0
      and (select stores.currency from stores where stores.id = ${id}) <> ${currency}`,
    { stores_currency: currencyInUse },
  )
}

export async function findStore(db: Db, id: string): Promise<RecordOf<Entity<typeof store.fields>>> {
  const [row] = await db.texts(sql`select ${store.columns} from stores where id = ${id}`)
  if (!row) throw notFound('Store')
  return store.record(row)
}

export async function updateStore(
  tx: Tx,
  current: Store,
  patch: Patch<typeof store.fields>,
): Promise<RecordOf<Entity<typeof store.fields>>> {
  if (Object.keys(patch).length === 0) return findStore(tx, current.id)
  const { custom_domain, slug } = patch
  if (slug && slug !== current.slug) advisoryLock(tx, 'slugs of stores')
  if (slug) keepSlug(tx, current.id, slug)
  // A new domain must be verified again.
  const proof =
    custom_domain === undefined
      ? empty
      : sql`, domain_verified = domain_verified and custom_domain is not distinct from ${custom_domain}::text`
  requireTimezone(tx, patch.timezone)
  if (patch.currency !== undefined) requireNoOrders(tx, current.id, patch.currency)
  const update = sql`
    update stores
    set ${assignments(store, patch, { updated_at: tx.now })}${proof}, face_version = face_version + 1
    where id = ${current.id}`
  tx.later(update, duplicates(slug))
  const { timezone } = patch
  followStore(tx, current.id, { timezone: timezone === current.timezone ? undefined : timezone })
  if (slug) claimSlug(tx, current.id, sql`${slug}`, duplicates(slug))
  tx.afterCommit(() => tx.bus.publish(storeChanged, current.id))
  return findStore(tx, current.id)
}

export async function setPlan(tx: Tx, id: string, planId: string): Promise<void> {
  const [row] = await tx.rows(
    sql`
    update stores
    set plan_id = ${planId}, updated_at = ${tx.now}
    where id = ${id}
    returning id`,
    { stores_plan_id_fkey: () => notFound(`Plan ${planId}`) },
  )
  if (!row) throw notFound('Store')
  followStore(tx, id)
  tx.afterCommit(() => tx.bus.publish(storeChanged, id))
}

/** Sets any status. Only the operator can suspend or close a store. */
export async function setStatus(tx: Tx, id: string, status: Store['status']): Promise<void> {
  const [row] = await tx.rows(sql`
    update stores
    set status = ${status}, updated_at = ${tx.now}
    where id = ${id}
    returning id`)
  if (!row) throw notFound('Store')
  followStore(tx, id)
  tx.afterCommit(() => tx.bus.publish(storeChanged, id))
}

/** A generated slug is retried; a requested slug that is taken is a conflict. */
function duplicates(slug: string | undefined): ConstraintErrors {
  const refuse = () => (slug ? conflict(`A store with the slug ${slug} already exists`) : new RetryTransaction())
  return { stores_slug: refuse, store_slugs_slug: refuse }
}

/** Changes the part of the store that the resource declares, which every shop page shows. */
export async function updateFace<R extends AnyResource>(
  tx: Tx,
  id: string,
  resource: R,
  patch: object,
  followups?: { hasPictures: boolean },
): Promise<ReturnType<R['serialise']>> {
  const [row] = await tx.texts(sql`
    update stores
    set ${assignments(resource, patch, { updated_at: tx.now })}, face_version = face_version + 1
    where id = ${id}
    returning ${resource.columns}`)
  followStore(tx, id, followups)
  return resource.serialise(row!) as ReturnType<R['serialise']>
}

/** Turns on or off what a column of the store decides. */
export function setSwitch(
  tx: Tx,
  id: string,
  column: 'recovery_email_enabled' | 'customer_accounts',
  isOn: boolean,
): void {
  tx.later(sql`
    update stores
    set ${raw(column)} = ${isOn}, updated_at = ${tx.now}
    where id = ${id}`)
  followStore(tx, id)
  tx.afterCommit(() => tx.bus.publish(storeChanged, id))
}

/** Called when data that every shop page shows has changed. */
export function renewFace(tx: Tx, id: string): void {
  tx.later(sql`
    update stores
    set face_version = face_version + 1, updated_at = ${tx.now}
    where id = ${id}`)
  followStore(tx, id)
}

/** Returns true if the value is new. */
export async function setSecondFactor(tx: Tx, id: string, isRequired: boolean): Promise<boolean> {
  const row = await tx.one(sql`
    update stores
    set second_factor_required = ${isRequired}, updated_at = ${tx.now}
    where id = ${id}
      and second_factor_required <> ${isRequired}
    returning id`)
  if (row) followStore(tx, id)
  return row !== undefined
}
