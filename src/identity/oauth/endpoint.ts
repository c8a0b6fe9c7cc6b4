// An endpoint of the authorization server is data: where it is, who may call it how often, and what answers.
import type { IncomingMessage, ServerResponse } from 'node:http'

export type OauthEndpoint = {
  method: 'GET' | 'POST'
  path: string
  /** Scripts of any website may call it: there is no cookie that they could misuse. */
  isOpen?: boolean
} & (
  | { document: (host: string | undefined) => object }
  | { limits: readonly EndpointLimit[]; load: () => Promise<unknown>; run: OauthHandler }
)

/** It answers on its own, once `load` has ended. */
export type OauthHandler = (call: OauthCall, response: ServerResponse) => Promise<void>

/** wrong: failed client authentications of an address, RFC 7662 §4. */
export type EndpointLimit = { by: 'ip' | 'client' | 'wrong'; count: number; windowSeconds: number }

export type OauthCall = { ip: string; raw: IncomingMessage; body: Buffer | null }

export function readBodyField({ body }: OauthCall, name: string): string | undefined {
  return body === null ? undefined : (new URLSearchParams(body.toString()).get(name) ?? undefined)
}
