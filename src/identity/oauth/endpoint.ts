// An endpoint of the authorization server is data: its path, its callers and limits, and its handler.
import type { IncomingMessage, ServerResponse } from 'node:http'

export type OauthEndpoint = {
  method: 'GET' | 'POST'
  path: string
  /** Scripts of any website may call it: it uses no cookie that they could misuse. */
  isOpen?: boolean
} & (
  | { document: (host: string | undefined) => object }
  | { limits: readonly EndpointLimit[]; load: () => Promise<unknown>; run: OauthHandler }
)

/** Handles the call itself once `load` has ended. */
export type OauthHandler = (call: OauthCall, response: ServerResponse) => Promise<void>

/** wrong: failed client authentications of an address, RFC 7662 §4. */
export type EndpointLimit = { by: 'ip' | 'client' | 'wrong'; count: number; windowSeconds: number }

export type OauthCall = { ip: string; raw: IncomingMessage; body: Buffer | null }

export function readBodyField({ body }: OauthCall, name: string): string | undefined {
  return body === null ? undefined : (new URLSearchParams(body.toString()).get(name) ?? undefined)
}
