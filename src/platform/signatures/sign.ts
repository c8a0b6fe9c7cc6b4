// Signs a request by ES256, as others verify it: RFC 9421, with the digest of its body (RFC 9530).
import { hash, sign, type KeyObject } from 'node:crypto'
import { serializeInnerList, type InnerList } from 'structured-headers'
import { signatureBase } from './message.ts'

type Outgoing = { method: string; url: string; headers: Record<string, string>; body: string }
type SignatureKey = { keyId: string; privateKey: KeyObject; created: Date }

const label = 'sig1'

/** The headers of the request, which the signature covers all, and its own. */
export function signedHeaders(request: Outgoing, { keyId, privateKey, created }: SignatureKey): Record<string, string> {
  const { protocol, host, pathname, search } = new URL(request.url)
  const headers = { ...request.headers, 'content-digest': buildContentDigest(request.body) }
  const names = ['@method', '@authority', '@path', ...(search ? ['@query'] : []), ...Object.keys(headers)]
  const seconds = Math.floor(created.getTime() / 1000)
  const parameters = new Map<string, number | string>([
    ['created', seconds],
    ['keyid', keyId],
  ])
  const input: InnerList = [names.map((name) => [name, new Map()]), parameters]
  const scheme = protocol === 'https:' ? 'https' : 'http'
  const base = signatureBase(
    { method: request.method, scheme, authority: host, target: pathname + search, headers },
    input,
  )
  const signature = sign('sha256', Buffer.from(base!), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return {
    ...headers,
    'signature-input': `${label}=${serializeInnerList(input)}`,
    signature: `${label}=:${signature.toString('base64')}:`,
  }
}

function buildContentDigest(body: string): string {
  return `sha-256=:${hash('sha256', body, 'base64')}:`
}
