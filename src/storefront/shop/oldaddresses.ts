// Finds the new URL of a missing page: a record by its former slug, a redirect of the merchant, or the record
// that had this URL in another shop system.
import { findPath, findRenamed, type SlugKind } from '../../commerce/catalog/slugs.ts'
import { findRedirect, buildRedirectUrl } from '../redirects/lookup.ts'
import { redirectPath, redirectPaths } from '../redirects/path.ts'
import type { ShopContext } from './frame/page.ts'

type MissingPage = Pick<ShopContext, 'db' | 'store' | 'params' | 'root' | 'here'>

/** The current URL of a missing page; null if there is none. */
export async function presentAddress(page: MissingPage, method: string): Promise<string | null> {
  const newPath = await renamedAddress(page)
  if (newPath !== null || !['GET', 'HEAD'].includes(method)) return newPath
  return (await redirectedAddress(page)) ?? movedAddress(page)
}

// Path parameter → kind of record with that slug.
const pathKinds = { product: 'products', category: 'categories', collection: 'collections' } as const

async function renamedAddress({ db, store, params, root, here }: MissingPage): Promise<string | null> {
  for (const [name, kind] of Object.entries(pathKinds)) {
    const renamed = params[name] === undefined ? undefined : await findRenamed(db, store.id, kind, params[name])
    if (renamed) return `${root}/${kind}/${renamed.path}${readQueryString(here)}`
  }
  return null
}

/** The target of the merchant's redirect for this address. */
export function redirectedAddress(page: MissingPage): Promise<string | null> {
  return findRedirectTarget(page, redirectPaths(addressIn(page)))
}

/** The page of the record that had this URL in the merchant's former shop system. */
async function movedAddress(page: MissingPage): Promise<string | null> {
  const record = formerRecord(addressIn(page))
  if (!record) return null
  const { db, store, root, here } = page
  const path = await findPath(db, store.id, record.kind, record.slug)
  if (path === null) return findRedirectTarget(page, [`/${record.kind}/${record.slug}`])
  return `${root}/${record.kind}/${path}${readQueryString(here)}`
}

async function findRedirectTarget(
  { db, store, root, here }: MissingPage,
  paths: readonly string[],
): Promise<string | null> {
  const redirect = await findRedirect(db, store.id, paths)
  return redirect ? buildRedirectUrl(redirect, root, readQueryString(here)) : null
}

// Paths of other shop systems → the kind of record at their end.
// prettier-ignore
const patterns: readonly [RegExp, SlugKind][] = [
  [/^\/collections\/[^/]+\/products\/([^/]+)$/,      'products'],    // Shopify
  [/^\/product\/([^/]+)$/,                           'products'],    // WooCommerce
  [/^\/product-category\/(?:[^/]+\/)*([^/]+)$/,      'categories'],  // WooCommerce
]

function formerRecord(address: string): { kind: SlugKind; slug: string } | null {
  const path = redirectPath(address.split('?', 1)[0]!) ?? ''
  for (const [pattern, kind] of patterns) {
    const slug = pattern.exec(path)?.[1]
    if (slug !== undefined) return { kind, slug }
  }
  return null
}

/** The path below the root of the shop. The home page has no trailing slash. */
function addressIn({ here, root }: MissingPage): string {
  return here.slice(root.length).replace(/^(?!\/)/, '/')
}

function readQueryString(here: string): string {
  return here.includes('?') ? here.slice(here.indexOf('?')) : ''
}
