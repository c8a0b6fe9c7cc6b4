// The authorization server: oidc-provider with one configuration. Comments name the rule behind each line;
// docs/guides/oauth.md describes the behavior for clients.
import { createHash, generateKeyPairSync } from 'node:crypto'
import type { ClientMetadata, Configuration, KoaContextWithOIDC } from 'oidc-provider'
import { errors, Provider } from './library.ts'
import type { Database } from '../../kit/database/database.ts'
import { scopes, unknownScopes } from '../apikeys/scopes.ts'
import { findSession, sessionCookie } from '../accounts/session.ts'
import { adapters } from './adapter.ts'
import { compareSecret, isClientSecret } from './adapter/clients.ts'
import { readGrantStore } from './adapter/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { answerFilter, noteFailure } from './answers.ts'
import { newClientId, newClientSecret } from './clients.ts'
import { isMistaken, type Issuer } from './issuer.ts'
import { checkMetadata, InvalidMetadata, ownFields } from './registration.ts'
import { commitTokens } from './tokenwrites.ts'

export type OauthProviderOptions = {
  db: Database
  log: Log
  issuer: Issuer
  secretKey: string
  clientTtlSeconds: number
  /** The page for an error that may not be sent to a redirect_uri. */
  renderError: (context: KoaContextWithOIDC, out: { error: string; error_description?: string }) => Promise<void>
  /** Fetches metadata documents; without it, no client can be identified by its URL. */
  fetchDocument?: typeof fetch
}

type GrantedToken = { grantId: string }

const hour = 3600
const ttlSeconds = { accessToken: hour, refreshToken: 30 * 24 * hour, code: 60, interaction: hour }
// The purge ends a grant with its last token.
const forever = 100 * 365 * 24 * hour

export function openProvider(options: OauthProviderOptions): Provider {
  const provider = new Provider(options.issuer.url, configuration(options))
  // TLS ends at a proxy: mount.ts sets the headers that say so.
  provider.proxy = true
  provider.use(answerFilter)
  provider.use(commitTokens(options.db))
  // Undocumented: the row has a hash, so a request's secret must be hashed before it is compared.
  provider.Client.prototype.compareClientSecret = function compare(this: Secretive, secret: string) {
    return compareSecret(this.clientSecret, secret) || isClientSecret(options.db, this.clientId, secret)
  }
  provider.on('server_error', (context, error) => {
    noteFailure(context, error)
    options.log.error({ err: error }, 'oauth request failed')
  })
  return provider
}

function configuration({
  db,
  issuer,
  secretKey,
  clientTtlSeconds,
  renderError,
  fetchDocument,
}: OauthProviderOptions): Configuration {
  return {
    adapter: adapters(db),
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      revocation: '/oauth/revoke',
      introspection: '/oauth/introspect',
      registration: '/oauth/register',
      jwks: '/oauth/jwks',
      end_session: '/oauth/end',
    },
    jwks: { keys: [unusedKey()] },
    scopes: [...scopes],
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clientDefaults: {
      grant_types: ['authorization_code'],
      response_types: ['code'],
      response_modes: ['query', 'fragment'],
      token_endpoint_auth_method: 'client_secret_basic',
      id_token_signed_response_alg: 'ES256',
    },
    extraClientMetadata: { properties: ownFields, validator: validator(clientTtlSeconds) as never },
    // OAuth 2.1 §7.5.2: confidential clients too.
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,

    features: features(fetchDocument !== undefined),
    ...(fetchDocument ? { fetch: fetchDocument as never } : {}),
    extraParams: { scope: checkScope, resource: resourceCheck(issuer) } as never,

    ttl: lifetimes,
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    revokeGrantPolicy: () => true,
    // Foreign keys ensure this: a token of a deleted account does not exist.
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    loadExistingGrant: (context) => grantAllowedHere(db, issuer, context),
    extraTokenClaims: async (_context, token) => ({
      service_store_id: readGrantStore((token as GrantedToken).grantId),
    }),

    interactions: { url: (_context, interaction) => `${issuer.path}/oauth/interaction/${interaction.uid}` },
    cookies: {
      names: { session: 'stoa_flow', interaction: 'stoa_interaction', resume: 'stoa_resume' },
      keys: [createHash('sha256').update(`stoa oauth cookies ${secretKey}`).digest('base64url')],
    },
    renderError: (context, out) => renderError(context, out),
  }
}

/**
 * Every authorization asks, because it chooses a store. The answer counts only in the browser that gave it: another
 * browser could have received the request's cookie, for example from a neighboring host.
 */
async function grantAllowedHere(db: Database, issuer: Issuer, { oidc, cookies }: KoaContextWithOIDC) {
  const { consent, sessionId } = oidc.result ?? {}
  const value = cookies.get(sessionCookie(issuer.url), { signed: false })
  if (!consent?.grantId || !value || (await findSession(db, value))?.id !== sessionId) return undefined
  return oidc.provider.Grant.find(consent.grantId)
}

/**
 * May change the metadata. It is called once for each of ownFields, with a context only while a client registers. Rows
 * of the database were checked before.
 */
function validator(clientTtlSeconds: number) {
  return (context: KoaContextWithOIDC | undefined, field: string, _value: unknown, metadata: ClientMetadata): void => {
    const isDocument = /^https:/i.test(metadata.client_id)
    if (field !== ownFields[0] || (!context && !isDocument)) return
    try {
      checkMetadata(metadata as never)
    } catch (error) {
      // A description that begins with redirect_uris becomes invalid_redirect_uri.
      throw error instanceof InvalidMetadata ? new errors.InvalidClientMetadata(error.message) : error
    }
    // The library would send 0, which means never.
    if (!isDocument) metadata.client_secret_expires_at = metadata.client_id_issued_at! + clientTtlSeconds
    // It refuses a secret in a document, although this is its default.
    else if (metadata.token_endpoint_auth_method === 'client_secret_basic') metadata.token_endpoint_auth_method = 'none'
  }
}

function features(takesDocuments: boolean): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    dPoP: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    registration: {
      enabled: true,
      initialAccessToken: false,
      issueRegistrationAccessToken: false,
      idFactory: () => newClientId(),
      secretFactory: () => newClientSecret(),
    },
    revocation: {
      enabled: true,
      // RFC 7009 §2.1: another client's token is answered like an unknown one.
      allowedPolicy: (_context, client, token) => token.clientId === client.clientId,
    },
    introspection: {
      enabled: true,
      allowedPolicy: (_context, client, token) => client.clientAuthMethod !== 'none' && token.kind === 'AccessToken',
    },
    resourceIndicators: {
      enabled: true,
      // Any resource server may use this one: it becomes the token's aud (RFC 8707).
      getResourceServerInfo: () => ({ scope: scopes.join(' '), accessTokenFormat: 'opaque' }),
      defaultResource: (_context, _client, oneOf) => (oneOf ? oneOf[0] : undefined) as string,
      useGrantedResource: () => true,
    },
    ...(takesDocuments ? { clientIdMetadataDocument: { enabled: true, ack: 'draft-02' } } : {}),
  }
}

const lifetimes: Configuration['ttl'] = {
  AccessToken: (_context, _token, client) => limitToClientLifetime(client, ttlSeconds.accessToken),
  RefreshToken: (_context, _token, client) => limitToClientLifetime(client, ttlSeconds.refreshToken),
  AuthorizationCode: ttlSeconds.code,
  Interaction: ttlSeconds.interaction,
  Session: ttlSeconds.interaction,
  Grant: forever,
}

type Secretive = { clientId: string; clientSecret?: string }

/** The library needs a key although nothing is signed: there are no ID tokens, and access tokens are opaque. */
function unusedKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' } as never
}

/** Limits a token to the life of its client. The expiry is a time of the system's clock. */
function limitToClientLifetime(client: object, ttl: number): number {
  const { clientSecretExpiresAt: expiry } = client as { clientSecretExpiresAt?: number }
  if (!expiry) return ttl
  return Math.max(1, Math.min(ttl, expiry - Math.floor(Date.now() / 1000)))
}

/** RFC 6749 §3.3: a request without a scope gets the scopes that the client registered. */
function checkScope({ oidc, query }: KoaContextWithOIDC, _value: unknown, client: { scope?: string }): void {
  // The library has dropped unknown scopes; the request has the original ones.
  const names = String(query.scope ?? '')
    .split(' ')
    .filter(Boolean)
  const name = unknownScopes(names)[0]
  if (name) throw new errors.InvalidScope('the requested scope is unknown', name)
  if (names.length === 0) oidc.params!.scope = client.scope
  if (!oidc.params!.scope) throw new errors.InvalidScope('scope is missing, and the client has not registered one', '')
}

function resourceCheck(issuer: Issuer) {
  return (_context: KoaContextWithOIDC, value: unknown): void => {
    const names = [value].flat()
    if (names.length > 1) throw new errors.InvalidTarget('only one resource can be requested')
    if (names.some((name) => typeof name === 'string' && isMistaken(name, issuer))) {
      throw new errors.InvalidTarget(`the resource is neither ${issuer.api.url} nor ${issuer.mcp.url}`)
    }
  }
}
