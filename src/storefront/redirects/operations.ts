// Operations on redirects.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import type { RecordOrigin } from '../../kit/declare/origin.ts'
import { findRecord } from '../../kit/declare/page.ts'
import { remove } from '../../kit/declare/remove.ts'
import { assignments, insertInto, type RecordOf } from '../../kit/declare/resource.ts'
import { conflict, invalid, notFound } from '../../kit/values/errors.ts'
import { fault } from '../../kit/values/faults.ts'
import { newUuid, publicId } from '../../kit/values/ids.ts'
import { emit } from '../../tenancy/events/emit.ts'
import { countUpTo, moveCounters } from '../../tenancy/plans/plan.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { redirectFaults } from './errors.ts'
import { findRedirect, pathsOfTarget } from './lookup.ts'
import { redirectBody, redirectDeletedBody } from './payload.ts'
import { redirect, type NewRedirect, type Redirect, type RedirectPatch } from './redirect.ts'

/** The maximum number of redirects in a store. */
const maxRedirects = 100_000

export async function createRedirect(
  tx: Tx,
  store: Store,
  values: NewRedirect,
  origin?: RecordOrigin,
): Promise<RecordOf<Redirect>> {
  await requireNoLoop(tx, store, values)
  const [row] = await tx.texts(
    sql`
    ${insertInto(redirect, values, {
      store_id: store.id,
      id: origin?.id ?? newUuid(),
      created_at: origin?.created_at ?? tx.now,
      updated_at: tx.now,
    })}
    returning ${redirect.columns}`,
    duplicateErrors(values),
  )
  const record = redirect.record(row!)
  emit(tx, store, 'redirect.created', record.id, redirectBody.write({ redirect: record.entity }))
  countUpTo(tx, store.id, 'redirects', maxRedirects)
  return record
}

export async function updateRedirect(
  tx: Tx,
  store: Store,
  id: string,
  patch: RedirectPatch,
): Promise<RecordOf<Redirect>> {
  if (Object.keys(patch).length === 0) return findRecord(tx, redirect, store.id, id)
  const [row] = await tx.texts(
    sql`
    update redirects
    set ${assignments(redirect, patch, { updated_at: tx.now })}
    where store_id = ${store.id}
      and id = ${id}
    returning ${redirect.columns}`,
    duplicateErrors(patch),
  )
  if (!row) throw notFound(redirect.noun)
  const record = redirect.record(row)
  await requireNoLoop(tx, store, record.entity)
  emit(tx, store, 'redirect.updated', record.id, redirectBody.write({ redirect: record.entity }))
  return record
}

/** Rejects a target that leads back to the path, directly or by one more redirect. Browsers end longer loops. */
async function requireNoLoop(tx: Tx, store: Store, { path, target }: NewRedirect): Promise<void> {
  const paths = pathsOfTarget(store, target)
  const isLoop = paths.includes(path) || (await pathsBehind(tx, store, paths)).includes(path)
  if (isLoop) throw invalid(fault('target', redirectFaults.leads_back, { path }))
}

async function pathsBehind(tx: Tx, store: Store, paths: readonly string[]): Promise<string[]> {
  const next = await findRedirect(tx, store.id, paths)
  return next ? pathsOfTarget(store, next.target) : []
}

export async function deleteRedirect(tx: Tx, store: Store, id: string): Promise<void> {
  await remove(tx, redirect, store.id, id)
  const removedRedirect = { id: publicId('rdr', id) }
  emit(tx, store, 'redirect.deleted', removedRedirect.id, redirectDeletedBody.write({ redirect: removedRedirect }))
  moveCounters(tx, store.id, { redirects: -1 })
}

function duplicateErrors({ path }: RedirectPatch): Record<string, () => Error> {
  return { redirects_path: () => conflict(`A redirect with the path ${path} already exists`) }
}
