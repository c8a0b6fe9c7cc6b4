// The endpoints of the authorization server. http mounts them; behind each is the library, or a document of ours.
import type Provider from 'oidc-provider'
import type { Clock } from '../../kit/values/clock.ts'
import { lazy } from '../../kit/values/lazy.ts'
import { scopes } from '../apikeys/scopes.ts'
import { type OauthEndpoint, type EndpointLimit, type OauthHandler, readBodyField, type OauthCall } from './endpoint.ts'
import { protectedResource, type ByHost, type Issuer } from './issuer.ts'
import { offlineAccess, withoutOfflineAccess } from './registration.ts'
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

const each = (by: EndpointLimit['by'], count: number, windowSeconds = 60): EndpointLimit => ({
  by,
  count,
  windowSeconds,
})

// prettier-ignore
const limits = {
  register:   [each('ip', 10, 3600)],
  token:      [each('ip', 60), each('client', 30)],
  introspect: [each('wrong', 60), each('client', 1000)],
  revoke:     [each('ip', 300)],
  authorize:  [each('ip', 300)],
}

// RFC 8414 §3.1 puts the issuer's path behind the well-known part; clients of OpenID Connect look before it.
const discovery = '/.well-known/oauth-authorization-server'
const openidDiscovery = '/.well-known/openid-configuration'
const resourceDocument = '/.well-known/oauth-protected-resource'

/** The same endpoints at several hosts: the requested host answers with its own addresses. */
export function endpointsAt({ own, of }: ByHost<OauthEndpoint[]>): OauthEndpoint[] {
  return own.map((endpoint, index): OauthEndpoint => {
    const at = (host: string | undefined) => of(host)[index]!
    if ('document' in endpoint) {
      return { ...endpoint, document: (host) => (at(host) as typeof endpoint).document(host) }
    }
    return { ...endpoint, run: (call, response) => (at(call.raw.headers.host) as typeof endpoint).run(call, response) }
  })
}

export function buildOauthEndpoints(provider: () => Promise<Provider>, issuer: Issuer, clock: Clock): OauthEndpoint[] {
  const library = lazy(async () => (await provider()).callback())
  const forward = forwarder(library, issuer, clock)
  const { path } = issuer
  const discoveries = new Set(
    [discovery, openidDiscovery].flatMap((document) => [document, document + path, path + document]),
  )
  const { api, mcp } = issuer
  const documents = [api, mcp].map((resource) => [new URL(resource.metadata).pathname, resource] as const)
  const whole = { name: api.name, url: new URL(api.metadata).origin }
  const resources = [...documents, [resourceDocument, whole] as const]
  const post = (name: keyof typeof limits, run = forward()): OauthEndpoint => {
    return { method: 'POST', path: `${path}/oauth/${name}`, isOpen: true, limits: limits[name], load: library, run }
  }
  return [
    post('register'),
    post('token', inTurn(readTokenRequest(forward()))),
    post('introspect'),
    post('revoke'),
    { method: 'GET', path: `${path}/oauth/authorize`, limits: limits.authorize, load: library, run: forward() },
    { method: 'GET', path: `${path}/oauth/authorize/:uid`, limits: [], load: library, run: forward() },
    ...[...discoveries].map((url): OauthEndpoint => {
      return { method: 'GET', path: url, isOpen: true, limits: [], load: library, run: forward(discovery) }
    }),
    ...resources.map(([url, resource]): OauthEndpoint => {
      return { method: 'GET', path: url, isOpen: true, document: () => protectedResource(issuer, resource, scopes) }
    }),
  ]
}

// A token request may name the scope offline_access, which the library does not know.

function readTokenRequest(run: OauthHandler): OauthHandler {
  return (call, response) => {
    if (!call.body?.includes(offlineAccess)) return run(call, response)
    const form = new URLSearchParams(call.body.toString())
    const scopes = form.getAll('scope').map(withoutOfflineAccess)
    form.delete('scope')
    for (const scope of scopes) if (scope !== '') form.append('scope', scope)
    return run({ ...call, body: Buffer.from(form.toString()) }, response)
  }
}

// Codes and refresh tokens may be used once: requests that bring the same one take turns, so that the first has its
// tokens before a replay revokes them. On other nodes, the adapter's statement makes them wait.

function inTurn(run: OauthHandler): OauthHandler {
  const turns = new Map<string, Promise<void>>()
  return async (call, response) => {
    const key = hashTokenCredential(call)
    if (key === null) return run(call, response)
    const start = () => run(call, response)
    const turn = (turns.get(key) ?? Promise.resolve()).then(start, start)
    turns.set(key, turn)
    try {
      await turn
    } finally {
      if (turns.get(key) === turn) turns.delete(key)
    }
  }
}

function hashTokenCredential(call: OauthCall): string | null {
  const value = readBodyField(call, 'code') ?? readBodyField(call, 'refresh_token')
  return value ? createHash('sha256').update(value).digest('base64') : null
}

// The provider sees the path that it knows, the host of the issuer, and a readable body: a request looks the same
// regardless of the proxy in front.

type Library = () => Promise<(request: IncomingMessage, response: ServerResponse) => Promise<void>>

function forwarder(library: Library, issuer: Issuer, clock: Clock) {
  // The answer's addresses are made from these (host header injection).
  const protocol = issuer.isSecure ? 'https' : 'http'
  const headers = { host: issuer.host, 'x-forwarded-proto': protocol, 'x-forwarded-host': undefined }
  return (path?: string): OauthHandler =>
    async ({ raw, body }, response) => {
      const request = {
        method: raw.method,
        url: path ?? raw.url!.slice(issuer.path.length),
        headers: { ...raw.headers, ...headers, ...(body && { 'content-length': String(body.length) }) },
        baseUrl: issuer.path,
        socket: raw.socket,
        httpVersion: raw.httpVersion,
        httpVersionMajor: raw.httpVersionMajor,
        arrivedAt: clock.now(),
        ...toBodyStream(body),
      }
      const answer = await library()
      await answer(request as unknown as IncomingMessage, response)
    }
}

/** The body was read before the limits; this is the part of a stream that the library reads it from. */
function toBodyStream(body: Buffer | null) {
  return {
    readable: true,
    async *iterator() {
      if (body) yield body
    },
  }
}
