// The OAuth module put together: what app.ts hangs into the server.
import type { FastifyInstance } from 'fastify'
import type { Database } from '../kit/database/database.ts'
import type { GuardedFetch } from '../platform/outbound/fetch.ts'
import type { Log } from '../platform/process/log.ts'
import type { RateLimiter } from '../ratelimit/ratelimit.ts'
import type { Page } from '../signin/page.ts'
import { bearerCheck, type BearerAccess } from './bearer.ts'
import { consentPages } from './consent.ts'
import { documentFetch } from './documents.ts'
import { showError } from './errorpage.ts'
import { issuerOf } from './issuer.ts'
import { mountOauth } from './mount.ts'
import { openProvider } from './provider.ts'

export type Oauth = {
  checkBearer: (token: string) => Promise<BearerAccess>
  /** RFC 9728: where clients of the REST API learn who issues its tokens. */
  resourceMetadata: string
  /** Where merchants let apps in. */
  pages: Page[]
}

export function openOauth(
  server: FastifyInstance,
  {
    db,
    limiter,
    log,
    guardedFetch,
    ...options
  }: {
    db: Database
    limiter: RateLimiter
    log: Log
    authUrl: string
    baseUrl: string
    secretKey: string
    clientTtlSeconds: number
    /** Given, a client may be known by the URL of its metadata document. */
    guardedFetch?: GuardedFetch
  },
): Oauth {
  const issuer = issuerOf(options)
  const provider = openProvider({
    db,
    issuer,
    secretKey: options.secretKey,
    clientTtlSeconds: options.clientTtlSeconds,
    renderError: showError,
    ...(guardedFetch ? { fetchDocument: documentFetch(guardedFetch) } : {}),
  })
  mountOauth(server, { provider, issuer, limiter, clock: db.clock, log })
  return {
    checkBearer: bearerCheck(db, issuer),
    resourceMetadata: issuer.resourceMetadata,
    pages: consentPages(provider),
  }
}
