// The addresses: the issuer as clients know it, the path under which it is served, and the resource it protects.

export type Issuer = {
  /** AUTH_URL, without a slash at its end. */
  url: string
  origin: string
  host: string
  isSecure: boolean
  /** The prefix of its endpoints' paths: '' or '/auth'. */
  path: string
  /** The REST API as a protected resource (RFC 9728), and where its metadata is. */
  resource: string
  resourceMetadata: string
}

export function issuerOf({ authUrl, baseUrl }: { authUrl: string; baseUrl: string }): Issuer {
  const { origin, host, protocol, pathname } = new URL(authUrl)
  const base = new URL(baseUrl)
  const resource = `${baseUrl}/v1`
  return {
    url: authUrl,
    origin,
    host,
    isSecure: protocol === 'https:',
    path: pathname === '/' ? '' : pathname,
    resource,
    // RFC 9728 §3.1: the well-known part stands between host and path.
    resourceMetadata: `${base.origin}/.well-known/oauth-protected-resource${new URL(resource).pathname}`,
  }
}

/** RFC 9728 §2. §3.3: a document says of which resource it is, and its address says the same. */
export function protectedResource({ url }: Issuer, resource: string, scopes: readonly string[]): object {
  return {
    resource,
    authorization_servers: [url],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Stoa REST API',
  }
}

/** True if the audience names the API, a parent of the API, or nothing at all. */
export function isForThisApi(audience: unknown, { resource }: Issuer): boolean {
  if (audience === undefined) return true
  return [audience]
    .flat()
    .some((name) => typeof name === 'string' && URL.canParse(name) && covers(new URL(name), resource))
}

// Compares segments: /v10 is not above /v1, and another service on the same host does not match.
function covers(audience: URL, resource: string): boolean {
  const own = new URL(resource)
  const segments = segmentsOf(own)
  const isAbove = segmentsOf(audience).every((segment, at) => segment === segments[at])
  return audience.origin === own.origin && audience.search === '' && isAbove
}

function segmentsOf({ pathname }: URL): string[] {
  return pathname.split('/').filter(Boolean)
}
