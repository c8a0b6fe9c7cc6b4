// Assembles the OAuth module that http mounts on the server.
import type { Database } from '../../kit/database/database.ts'
import { lazy } from '../../kit/values/lazy.ts'
import type { GuardedFetch } from '../../platform/outbound/fetch.ts'
import type { Log } from '../../platform/process/log.ts'
import type { SignInPage } from '../signin/page.ts'
import { bearerCheck, type BearerAccess, type TokenUse } from './bearer.ts'
import { consentPages } from './consent.ts'
import { documentFetch } from './documents.ts'
import type { OauthEndpoint } from './endpoint.ts'
import { endpointsAt, buildOauthEndpoints } from './endpoints.ts'
import { byHost, buildIssuer, type ProtectedResource } from './issuer.ts'
import { html } from 'hono/html'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { languageCookie, personLanguage } from '../../platform/pages/language.ts'
import { card, pageHeaders } from '../../platform/pages/frame.ts'
import { signInTranslator } from '../signin/messages.ts'

export type Oauth = {
  endpoints: OauthEndpoint[]
  checkBearer: (token: string, use?: TokenUse) => Promise<BearerAccess>
  /** RFC 9728: where clients learn which server issues tokens for the REST API and the MCP server. */
  api: (host: string | undefined) => ProtectedResource
  mcp: (host: string | undefined) => ProtectedResource
  /** The consent pages. */
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
  /** Other URLs of the same service, each the base of its own addresses. */
  localUrls: readonly string[]
  secretKey: string
  clientTtlSeconds: number
  /** Present if clients may be identified by the URL of their metadata document. */
  guardedFetch?: GuardedFetch
}): Oauth {
  const { localUrls } = options
  const issuers = [buildIssuer(options), ...localUrls.map((url) => buildIssuer({ authUrl: url, baseUrl: url }))]
  const servers = issuers.map((issuer) => ({
    issuer,
    provider: lazy(async () => {
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
    }),
  }))
  const endpoints = new Map(
    servers.map(({ issuer, provider }) => [issuer, buildOauthEndpoints(provider, issuer, db.clock)] as const),
  )
  const resources = byHost(issuers, ({ host }) => host)
  return {
    endpoints: endpointsAt({ own: endpoints.get(resources.own)!, of: (host) => endpoints.get(resources.of(host))! }),
    checkBearer: bearerCheck(db, ...issuers),
    api: (host) => resources.of(host).api,
    mcp: (host) => resources.of(host).mcp,
    pages: consentPages(servers[0]!.provider),
  }
}

// The page for failures before a redirect URI is known that may receive the error.

async function showError(
  context: KoaContextWithOIDC,
  out: { error: string; error_description?: string },
): Promise<void> {
  // Endpoints that programs call get JSON, regardless of Accept.
  if (!['authorization', 'resume'].includes(context.oidc.route)) {
    context.body = out
    return
  }
  const choice = context.cookies.get(languageCookie.name, { signed: false })
  const language = personLanguage({ [languageCookie.name]: choice }, context.get('accept-language'))
  const say = signInTranslator(language)
  const content = html`
<h1>${say('error_title')}</h1>
<p>${say('error_back')}</p>
<p class="hint"><code>${out.error}</code>${out.error_description ? html`<br>${out.error_description}` : ''}</p>`
  context.set(pageHeaders())
  context.body = String(await card(language, say('error_title'), content))
}
