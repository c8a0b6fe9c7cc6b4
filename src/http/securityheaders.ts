// Security headers of every response: no content sniffing, no referrer to other sites, and permanent https
// if the service uses https.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { malformed } from '../kit/values/errors.ts'

export const baseHeaders = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' }

/** Without subdomains: the neighbours of a store's own domain belong to others. */
const strictTransport = 'max-age=31536000'

/** `isSecure`: clients reach this service by https, even if a proxy ends it. */
export function securityHeaders(isSecure: boolean) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    reply.headers(baseHeaders)
    if (isSecure || request.protocol === 'https') reply.header('strict-transport-security', strictTransport)
  }
}

/** HTTP/0.9 has no headers, in requests or in responses. */
export function requireHeaders({ raw }: FastifyRequest): void {
  if (raw.httpVersionMajor < 1) throw malformed('HTTP/0.9')
}

type RequestTarget = { url?: string | undefined; headers: { host?: string | undefined } }

/**
 * RFC 9112 §3.2.2: a target in absolute form replaces the Host header. In any case, the address used afterwards is
 * a path of this service.
 */
export function originForm(request: RequestTarget): string {
  const { url = '/', headers } = request
  const [whole, host] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? []
  if (whole === undefined) return url
  headers.host = host
  const path = url.slice(whole.length)
  return path.startsWith('/') ? path : `/${path}`
}
