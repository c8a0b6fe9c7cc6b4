// An endpoint of the authorization server is data: where it is, who may call it how often, and what answers.
import type { IncomingMessage, ServerResponse } from 'node:http'

export type Endpoint = {
  method: 'GET' | 'POST'
  path: string
  /** Scripts of any website may call it: there is no cookie that they could misuse. */
  isOpen?: boolean
} & ({ document: object } | { limits: readonly Limit[]; run: Run })

export type Run = (call: Call, response: ServerResponse) => Promise<void>

/** wrong: failed client authentications of an address, RFC 7662 §4. */
export type Limit = { by: 'ip' | 'client' | 'wrong'; count: number; windowSeconds: number }

export type Call = { ip: string; raw: IncomingMessage; body: Buffer | null }

export function fieldOf({ body }: Call, name: string): string | undefined {
  return body === null ? undefined : (new URLSearchParams(body.toString()).get(name) ?? undefined)
}
