// Redirects of a file, known by their path.
import type { Db } from '../../../kit/database/database.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import { sql } from '../../../kit/database/sql.ts'
import { findRedirect } from '../../../storefront/redirects/lookup.ts'
import { createRedirect, deleteRedirect, updateRedirect } from '../../../storefront/redirects/operations.ts'
import { redirectPath } from '../../../storefront/redirects/path.ts'
import { redirect } from '../../../storefront/redirects/redirect.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { ImportWrite, Match, RecordKind } from './kind.ts'
import { getFirstValue, put, type Draft, type MappedRow } from './record.ts'

export const redirects: RecordKind = {
  prefix: 'rdr',
  draft,
  body: redirect,
  keysOf: (input) => toRedirectPaths(input).map((path) => `path ${path}`),
  find,
  create,
  update,
  remove: ({ tx, store }, id) => deleteRedirect(tx, store, id),
}

function draft(rows: readonly MappedRow[]): Draft {
  const made: Draft = { input: {}, places: new Map(), notes: [] }
  for (const field of Object.keys(redirect.fields)) {
    const cell = getFirstValue(rows, field)
    if (cell) put(made, field, cell, cell.number)
  }
  return made
}

function toRedirectPaths({ path }: Record<string, unknown>): string[] {
  const normal = typeof path === 'string' ? redirectPath(path) : null
  return normal === null ? [] : [normal]
}

async function find(db: Db, store: Store, drafts: readonly Draft[]): Promise<(Match | null)[]> {
  const rows = await db.rows<{ path: string; id: string }>(sql`
    select path, id
    from redirects
    where store_id = ${store.id}
      and path = any(${drafts.flatMap(({ input }) => toRedirectPaths(input))}::text[])`)
  const ids = new Map(rows.map(({ path, id }) => [path, id]))
  return drafts.map(({ input }) => {
    const [path] = toRedirectPaths(input)
    const id = path === undefined ? undefined : ids.get(path)
    return id ? { id, by: 'path', value: path! } : null
  })
}

async function create({ tx, store }: ImportWrite, input: Record<string, unknown>): Promise<string> {
  return (await createRedirect(tx, store, redirect.create.read(input, store))).id
}

async function update({ tx, store }: ImportWrite, { id }: Match, input: Record<string, unknown>): Promise<boolean> {
  const { entity } = await findRecord(tx, redirect, store.id, id)
  const { target } = redirect.patch.read(input, store)
  if (target === undefined || target === entity.target) return false
  await updateRedirect(tx, store, id, { target })
  return true
}

/** Longer ones are no addresses in the shop. */
const maxHandleLength = 500

/** The address that a product had in another shop system leads to it, unless it leads elsewhere already. */
export async function redirectProduct({ tx, store }: ImportWrite, handle: string, slug: string): Promise<void> {
  const body = { path: `/products/${handle}`, target: `/products/${slug}` }
  const path = handle.length > maxHandleLength ? null : redirectPath(body.path)
  if (path === null || path === body.target || (await findRedirect(tx, store.id, [path]))) return
  await createRedirect(tx, store, redirect.create.read(body, store))
}

/** Removes the redirects that the import of a product has left: they are as old as it is. */
export async function removeProductRedirects({ tx, store }: Pick<ImportWrite, 'tx' | 'store'>, productId: string) {
  const rows = await tx.rows<{ id: string }>(sql`
    select redirects.id
    from products
    join redirects on redirects.store_id = ${store.id}
      and redirects.created_at = products.created_at
      and redirects.target = '/products/' || products.slug
    where products.store_id = ${store.id}
      and products.id = ${productId}`)
  for (const { id } of rows) await deleteRedirect(tx, store, id)
}
