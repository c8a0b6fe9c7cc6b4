// The provider sees the path that it knows, the host of the issuer, and a body that can be read: a request looks the
// same whatever the proxy in front did to it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../kit/values/clock.ts'
import type { OauthHandler } from './endpoint.ts'
import type { Issuer } from './issuer.ts'

type Library = () => Promise<(request: IncomingMessage, response: ServerResponse) => Promise<void>>

export function forwarder(library: Library, issuer: Issuer, clock: Clock) {
  // The answer's addresses are made from these (host header injection).
  const protocol = issuer.isSecure ? 'https' : 'http'
  const pinned = { host: issuer.host, 'x-forwarded-proto': protocol, 'x-forwarded-host': undefined }
  return (path?: string): OauthHandler =>
    async ({ raw, body }, response) => {
      const request = {
        method: raw.method,
        url: path ?? raw.url!.slice(issuer.path.length),
        headers: { ...raw.headers, ...pinned, ...(body && { 'content-length': String(body.length) }) },
        baseUrl: issuer.path,
        socket: raw.socket,
        httpVersion: raw.httpVersion,
        httpVersionMajor: raw.httpVersionMajor,
        arrivedAt: clock.now(),
        ...streamOf(body),
      }
      const answer = await library()
      await answer(request as unknown as IncomingMessage, response)
    }
}

/** The body was read before the limits: this much of a stream is what the library takes it from. */
function streamOf(body: Buffer | null) {
  return {
    readable: true,
    async *iterator() {
      if (body) yield body
    },
  }
}
