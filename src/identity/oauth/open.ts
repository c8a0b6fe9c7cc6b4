// The OAuth module put together: what http hangs into the server.
import type { Database } from '../../kit/database/database.ts'
import { lazy } from '../../kit/values/lazy.ts'
import type { GuardedFetch } from '../../platform/outbound/fetch.ts'
import type { Log } from '../../platform/process/log.ts'
import type { SignInPage } from '../signin/page.ts'
import { bearerCheck, type BearerAccess, type TokenUse } from './bearer.ts'
import { consentPages } from './consent.ts'
import { documentFetch } from './documents.ts'
import type { OauthEndpoint } from './endpoint.ts'
import { endpointsOf } from './endpoints.ts'
import { showError } from './errorpage.ts'
import { issuerOf, type ProtectedResource } from './issuer.ts'

export type Oauth = {
  endpoints: OauthEndpoint[]
  checkBearer: (token: string, use?: TokenUse) => Promise<BearerAccess>
  /** RFC 9728: where clients learn who issues tokens for the REST API and the MCP server. */
  api: ProtectedResource
  mcp: ProtectedResource
  /** The pages of consent. */
  pages: SignInPage[]
}

export function openOauth({
  db,
  log,
  guardedFetch,
  ...options
}: {
  db: Database
  log: Log
  authUrl: string
  baseUrl: string
  secretKey: string
  clientTtlSeconds: number
  /** Present if clients may be identified by the URL of their metadata document. */
  guardedFetch?: GuardedFetch
}): Oauth {
  const issuer = issuerOf(options)
  const provider = lazy(async () => {
    const { openProvider } = await import('./provider.ts')
    return openProvider({
      db,
      log,
      issuer,
      secretKey: options.secretKey,
      clientTtlSeconds: options.clientTtlSeconds,
      renderError: showError,
      ...(guardedFetch ? { fetchDocument: documentFetch(guardedFetch) } : {}),
    })
  })
  return {
    endpoints: endpointsOf(provider, issuer, db.clock),
    checkBearer: bearerCheck(db, issuer),
    api: issuer.api,
    mcp: issuer.mcp,
    pages: consentPages(provider),
  }
}
