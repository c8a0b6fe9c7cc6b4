// A redirect: an old path of the shop, and its target.
import { filter, resource } from '../../kit/declare/resource.ts'
import type { Create, Entity, Patch } from '../../kit/declare/field.ts'
import { id, text, time } from '../../kit/declare/scalars.ts'
import { sql } from '../../kit/database/sql.ts'
import { reason } from '../../kit/values/faults.ts'
import { isPageAddress } from '../branding/links.ts'
import { redirectFaults } from './errors.ts'
import { redirectPath } from './path.ts'

/** Dot segments could lead out of the shop, whose paths may be below one of the service. */
const dotSegment = /^\/([^?#]*\/)?(\.|%2e){1,2}([/?#]|$)/i

function isTarget(address: string): boolean {
  return isPageAddress(address) && !dotSegment.test(address)
}

const maxPathLength = 1000
/** The limit of an index entry. */
const maxPathBytes = 2000

// prettier-ignore
export const redirect = resource('redirects', {
  id:         id('rdr').readonly(),
  path:       text({ min: 2, max: maxPathLength }).required().sortable()
    .rule((path) => (redirectPath(path) === null ? reason(redirectFaults.no_redirect_path) : null))
    .becomes((path) => redirectPath(path)!)
    .rule((path) => (Buffer.byteLength(path) > maxPathBytes
      ? reason(redirectFaults.path_too_long, { limit: maxPathBytes }) : null))
    .example('/old-page')
    .describe('Old path in the online store. Case, percent-encoding and a slash at the end are ignored; a query counts '
      + 'if the path has one, such as /?p=12'),
  target:     text({ min: 1, max: 2000 }).required()
    .rule((target) => (isTarget(target) ? null : reason(redirectFaults.no_redirect_target)))
    .example('/products/canvas-backpack')
    .describe('Path in the online store (/products/canvas-backpack), or an https URL'),
  created_at: time().readonly().sortable(),
  updated_at: time().readonly(),
}, {
  path:   filter(text({ max: maxPathLength }).describe('The redirect with this path, in any spelling of it'),
    (path) => sql`redirects.path = ${redirectPath(path) ?? ''}`),
  search: filter(text({ max: 200 }).describe('Part of the path or of the target'),
    (input) => sql`position(lower(${input}) in lower(redirects.path || ' ' || redirects.target)) > 0`),
}, {
  noun: 'Redirect',
  total: (query, storeId) =>
    ['path', 'search'].some((name) => query[name] !== undefined)
      ? null
      : sql`select redirects from store_counters where store_id = ${storeId}`,
})

export type Redirect = Entity<typeof redirect.fields>
export type NewRedirect = Create<typeof redirect.fields>
export type RedirectPatch = Patch<typeof redirect.fields>
