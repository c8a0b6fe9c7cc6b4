// The check against forms of other sites, beside SameSite=Lax cookies.
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../kit/values/errors.ts'

export class ForeignForm extends ApiError {
  constructor() {
    super(403, 'SCOPE_INSUFFICIENT', 'The form was submitted from another site')
  }
}

/**
 * `origins` are the site's origins beside the requested one, e.g. if a proxy terminates https. A request without these
 * headers is from no browser and carries no cookie.
 */
export function requireOwnForm({ headers, protocol, host }: FastifyRequest, origins: readonly string[]): void {
  const { 'sec-fetch-site': site, origin } = headers
  const isElsewhere = site === 'cross-site' || site === 'same-site'
  // An http page can be forged on the way, if the site is known by https.
  const requestOrigins = origins.includes(`https://${host}`) ? [] : [`${protocol}://${host}`]
  const isOwn = origin === undefined || [...requestOrigins, ...origins].includes(origin)
  if (isElsewhere || !isOwn) throw new ForeignForm()
}
