// The addresses of the authorization server. http hangs them up; behind each is the library, or a document of ours.
import type Provider from 'oidc-provider'
import type { Clock } from '../../kit/values/clock.ts'
import { lazy } from '../../kit/values/lazy.ts'
import { scopes } from '../apikeys/scopes.ts'
import type { OauthEndpoint, EndpointLimit } from './endpoint.ts'
import { forwarder } from './forward.ts'
import { protectedResource, type ByHost, type Issuer } from './issuer.ts'
import { inTurn } from './singleuse.ts'
import { readTokenRequest } from './tokenrequest.ts'

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

/** The same endpoints at several hosts: the one that was asked answers with its own addresses. */
export function endpointsAt({ own, of }: ByHost<OauthEndpoint[]>): OauthEndpoint[] {
  return own.map((endpoint, index): OauthEndpoint => {
    const at = (host: string | undefined) => of(host)[index]!
    if ('document' in endpoint) {
      return { ...endpoint, document: (host) => (at(host) as typeof endpoint).document(host) }
    }
    return { ...endpoint, run: (call, response) => (at(call.raw.headers.host) as typeof endpoint).run(call, response) }
  })
}

export function endpointsOf(provider: () => Promise<Provider>, issuer: Issuer, clock: Clock): OauthEndpoint[] {
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
