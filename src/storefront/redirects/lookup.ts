// Where a requested path leads to.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { resolveSiteAddress } from '../branding/links.ts'
import { redirectPaths } from './path.ts'
import type { Redirect } from './redirect.ts'

export type FoundRedirect = Pick<Redirect, 'path' | 'target'>

/** The redirect for one of these paths, the first before the others. */
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

/** The paths under which a target is looked up in turn; none if it is elsewhere. */
export function pathsOfTarget({ storefront_url }: Pick<Store, 'storefront_url'>, target: string): string[] {
  const page = target.split('#', 1)[0]!
  return redirectPaths(page.startsWith(`${storefront_url}/`) ? page.slice(storefront_url.length) : page)
}

/**
 * The target for the browser, on a site whose paths begin with `root`. It keeps the query of the request, unless that
 * was a part of the path, or the target has one.
 */
export function buildRedirectUrl({ path, target }: FoundRedirect, root: string, query: string): string {
  const [page, ...fragment] = target.split('#')
  const isComplete = path.includes('?') || page!.includes('?')
  return encodeAddress([resolveSiteAddress(root, page!) + (isComplete ? '' : query), ...fragment].join('#'))
}

/** As a header can have it. */
function encodeAddress(address: string): string {
  return address.replace(/[^\x21-\x7e]+/g, encodeURIComponent)
}
