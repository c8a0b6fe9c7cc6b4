// The addresses: the issuer's public URL, its path on this server, and the resource that it protects.

export type Issuer = {
  /** AUTH_URL, without a slash at its end. */
  url: string
  origin: string
  host: string
  isSecure: boolean
  /** The prefix of its endpoints' paths: '' or '/auth'. */
  path: string
  /** The protected resources (RFC 9728): the REST API, and the MCP server. */
  api: ProtectedResource
  mcp: ProtectedResource
}

/** Its identifier, which is its URL, and the URL of its metadata. */
export type ProtectedResource = { name: string; url: string; metadata: string }

export function buildIssuer({ authUrl, baseUrl }: { authUrl: string; baseUrl: string }): Issuer {
  const { origin, host, protocol, pathname } = new URL(authUrl)
  return {
    url: authUrl,
    origin,
    host,
    isSecure: protocol === 'https:',
    path: pathname === '/' ? '' : pathname,
    api: buildProtectedResource('Stoa REST API', `${baseUrl}/v1`),
    mcp: buildProtectedResource('Stoa MCP server', `${baseUrl}/mcp`),
  }
}

/** RFC 9728 §3.1: the well-known part is between host and path. */
function buildProtectedResource(name: string, url: string): ProtectedResource {
  const { origin, pathname } = new URL(url)
  return { name, url, metadata: `${origin}/.well-known/oauth-protected-resource${pathname}` }
}

/** `of` chooses by the Host of a request: an unknown host gets the first. */
export type ByHost<T> = { own: T; of(host: string | undefined): T }

export function byHost<T>(parts: readonly T[], hostOf: (part: T) => string): ByHost<T> {
  const [own] = parts as [T]
  const others = new Map(parts.map((part) => [hostOf(part), part]))
  return { own, of: (host) => (host && others.get(host.toLowerCase())) || own }
}

/** RFC 9728 §2. §3.3: a document names its resource, and its address does the same. */
export function protectedResource(
  { url }: Issuer,
  { name, url: resource }: Pick<ProtectedResource, 'name' | 'url'>,
  scopes: readonly string[],
): object {
  return {
    resource,
    authorization_servers: [url],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: name,
  }
}

/** MCP, Access Token Usage: only a token that names this server, and no other, is valid for it. */
export function isForMcp(audience: unknown, { mcp }: Issuer): boolean {
  const names = [audience].flat()
  return names.length === 1 && normalize(names[0]) === normalize(mcp.url)
}

/** Normalizes scheme, host and the slash at the end. */
function normalize(name: unknown): string | null {
  const url = typeof name === 'string' ? URL.parse(name) : null
  return url && url.href.replace(/\/$/, '')
}

/** True for an address below the API or the MCP server that is neither: its token would open nothing. */
export function isMistaken(resource: string, issuer: Issuer): boolean {
  if (isForMcp(resource, issuer) || isForThisApi(resource, issuer)) return false
  const url = URL.parse(resource)
  return [issuer.api, issuer.mcp].some((own) => url !== null && isAbove(new URL(own.url), url))
}

/** True if the audience names the API, a parent of the API, or nothing at all. */
export function isForThisApi(audience: unknown, { api }: Issuer): boolean {
  if (audience === undefined) return true
  return [audience]
    .flat()
    .some((name) => typeof name === 'string' && URL.canParse(name) && covers(new URL(name), api.url))
}

// Compares segments: /v10 is not above /v1, and another service on the same host does not match.
function covers(audience: URL, resource: string): boolean {
  return audience.search === '' && isAbove(audience, new URL(resource))
}

function isAbove(parent: URL, url: URL): boolean {
  const segments = splitPath(url)
  return parent.origin === url.origin && splitPath(parent).every((segment, at) => segment === segments[at])
}

function splitPath({ pathname }: URL): string[] {
  return pathname.split('/').filter(Boolean)
}
