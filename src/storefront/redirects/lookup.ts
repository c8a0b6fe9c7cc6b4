// Finds the target of a requested path.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { resolveSiteAddress } from '../branding/links.ts'
import { redirectPaths } from './path.ts'
import type { Redirect } from './redirect.ts'

export type FoundRedirect = Pick<Redirect, 'path' | 'target'>

/** The redirect for the first of these paths that has one. */
export async function findRedirect(
  db: Db,
  storeId: string,
  paths: readonly string[],
): Promise<FoundRedirect | undefined> {
  if (paths.length === 0) return undefined
  return db.one<FoundRedirect>(sql`
    select path, target
    from redirects
    where store_id = ${storeId}
      and path = any(${paths}::text[])
    order by array_position(${paths}::text[], path)
    limit 1`)
}

/** The paths under which a target is looked up in turn; empty for external targets. */
export function pathsOfTarget({ storefront_url }: Pick<Store, 'storefront_url'>, target: string): string[] {
  const page = target.split('#', 1)[0]!
  return redirectPaths(page.startsWith(`${storefront_url}/`) ? page.slice(storefront_url.length) : page)
}

/**
 * The URL for the browser, on a site whose paths begin with `root`. It keeps the request's query, unless the redirect's
 * path contains it or the target has its own.
 */
export function buildRedirectUrl({ path, target }: FoundRedirect, root: string, query: string): string {
  const [page, ...fragment] = target.split('#')
  const isComplete = path.includes('?') || page!.includes('?')
  return encodeAddress([resolveSiteAddress(root, page!) + (isComplete ? '' : query), ...fragment].join('#'))
}

/** Encodes it for a header. */
function encodeAddress(address: string): string {
  return address.replace(/[^\x21-\x7e]+/g, encodeURIComponent)
}
