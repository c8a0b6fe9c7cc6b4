// Operations on saved views. A view exists only for the person who saved it.
import type { Db, Tx } from '../../kit/database/database.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import { entityPage } from '../../kit/declare/page.ts'
import { assignments, insertInto, type RecordOf } from '../../kit/declare/resource.ts'
import type { Actor } from '../../kit/declare/route.ts'
import { conflict, invalid, notFound } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { newUuid, toUuid } from '../../kit/values/ids.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { maxViews, savedView, type NewView, type SavedView, type ViewPatch } from './savedview.ts'

/** Requires a person: API keys have no saved views. */
function requireViewOwner({ kind, id }: Actor): string {
  const userId = kind === 'user' && id !== null ? toUuid('usr', id) : null
  if (!userId) throw notFound(savedView.noun)
  return userId
}

export async function listViews(db: Db, store: Store, list: string, actor: Actor): Promise<SavedView[]> {
  const query = { page: 1, per_page: maxViews, sort: 'created_at', order: 'asc' } as const
  const own = sql`saved_views.user_id = ${requireViewOwner(actor)} and saved_views.list = ${list}`
  return (await entityPage(db, savedView, store, query, own)).data
}

export async function createView(tx: Tx, store: Store, values: NewView, actor: Actor): Promise<RecordOf<SavedView>> {
  const user_id = requireViewOwner(actor)
  const { list } = values
  const others = await lockViews(tx, store.id, sql`user_id = ${user_id} and list = ${list}`)
  const full = { owner: 'a person', limit: maxViews, things: 'saved views of a list' }
  if (others >= maxViews) throw invalid(fault('name', generalFaults.one_too_many, full))
  if (values.is_default) clearDefault(tx, store.id, user_id, list)
  const id = newUuid()
  const [row] = await tx.texts(
    sql`
    ${insertInto(savedView, values, { store_id: store.id, id, user_id, created_at: tx.now, updated_at: tx.now })}
    returning ${savedView.columns}`,
    nameTaken(values),
  )
  return savedView.record(row!)
}

export async function updateView(
  tx: Tx,
  store: Store,
  id: string,
  patch: ViewPatch,
  actor: Actor,
): Promise<RecordOf<SavedView>> {
  const user_id = requireViewOwner(actor)
  const view = await tx.one<{ list: string }>(sql`
    select list from saved_views
    where store_id = ${store.id}
      and id = ${id}
      and user_id = ${user_id}`)
  if (!view) throw notFound(savedView.noun)
  await lockViews(tx, store.id, sql`user_id = ${user_id} and list = ${view.list}`)
  if (patch.is_default) clearDefault(tx, store.id, user_id, view.list)
  const [row] = await tx.texts(
    sql`
    update saved_views
    set ${assignments(savedView, patch, { updated_at: tx.now })}
    where store_id = ${store.id}
      and id = ${id}
    returning ${savedView.columns}`,
    nameTaken(patch),
  )
  if (!row) throw notFound(savedView.noun)
  return savedView.record(row)
}

export async function deleteView(tx: Tx, store: Store, id: string, actor: Actor): Promise<void> {
  const row = await tx.one(sql`
    delete from saved_views
    where store_id = ${store.id}
      and id = ${id}
      and user_id = ${requireViewOwner(actor)}
    returning id`)
  if (!row) throw notFound(savedView.noun)
}

/** Returns the number of views. */
async function lockViews(tx: Tx, storeId: string, which: Sql): Promise<number> {
  const rows = await tx.rows(sql`
    select id from saved_views
    where store_id = ${storeId}
      and ${which}
    order by id
    for update`)
  return rows.length
}

/** A list has only one default view. */
function clearDefault(tx: Tx, storeId: string, userId: string, list: string): void {
  tx.later(sql`
    update saved_views
    set is_default = false
    where store_id = ${storeId}
      and user_id = ${userId}
      and list = ${list}
      and is_default`)
}

function nameTaken({ name }: { name?: string | undefined }): Record<string, () => Error> {
  return { saved_views_name: () => conflict(`A view with the name ${name} already exists`) }
}
