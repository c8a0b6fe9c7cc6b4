// The one rule against forms of other sites, beside cookies that are SameSite=Lax.
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../kit/values/errors.ts'

export class ForeignForm extends ApiError {
  constructor() {
    super(403, 'SCOPE_INSUFFICIENT', 'The form came from another site')
  }
}

/**
 * `origins` are those under which the site is known beside the one that was asked, e.g. when https ends before this
 * server. What says nothing of where it comes from is no browser and carries nobody's cookie.
 */
export function requireOwnForm({ headers, protocol, host }: FastifyRequest, origins: readonly string[]): void {
  const { 'sec-fetch-site': site, origin } = headers
  const isElsewhere = site === 'cross-site' || site === 'same-site'
  // A page over http is anybody's on the way, where the site itself is known by https.
  const requestOrigins = origins.includes(`https://${host}`) ? [] : [`${protocol}://${host}`]
  const isOwn = origin === undefined || [...requestOrigins, ...origins].includes(origin)
  if (isElsewhere || !isOwn) throw new ForeignForm()
}
