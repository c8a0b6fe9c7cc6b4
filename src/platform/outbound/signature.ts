// The headers of a delivery and of a request for a quote: the contract's four, the event's number, and those of
// Standard Webhooks (https://www.standardwebhooks.com) for its libraries. During the overlap after a rotation the
// previous secret signs too.
import { createHmac } from 'node:crypto'

export type SignedHeaders = {
  id: string
  event: string
  body: string
  timestamp: number
  /** The event's number in the store's log, if it has one. */
  sequence: number | null
}

export function signedHeaders(parts: SignedHeaders, current: string, previous: string | null): Record<string, string> {
  const secrets = previous === null ? [current] : [current, previous]
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Stoa-Webhooks/1',
    ...contractHeaders(parts, signature(parts, current)),
    ...(previous === null ? {} : { 'X-Webhook-Signature-Previous': signature(parts, previous) }),
    'webhook-id': parts.id,
    'webhook-timestamp': String(parts.timestamp),
    'webhook-signature': secrets.map((secret) => standardSignature(parts, secret)).join(' '),
  }
}

export function contractHeaders(
  { id, event, timestamp, sequence }: Omit<SignedHeaders, 'body'>,
  signature: string,
): Record<string, string> {
  return {
    'X-Webhook-Id': id,
    'X-Webhook-Timestamp': String(timestamp),
    'X-Webhook-Signature': signature,
    'X-Webhook-Event': event,
    ...(sequence === null ? {} : { 'X-Webhook-Sequence': String(sequence) }),
  }
}

/** hex(HMAC-SHA256(secret, timestamp + "." + body)) */
export function signature({ timestamp, body }: Pick<SignedHeaders, 'timestamp' | 'body'>, secret: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
}

/** The key is the secret's bytes, or what its base64 means where it begins with whsec_ as its libraries expect. */
function standardSignature({ id, timestamp, body }: SignedHeaders, secret: string): string {
  const encoding = /^whsec_([A-Za-z0-9+/]{22,}={0,2})$/.exec(secret)?.[1]
  const key = encoding ? Buffer.from(encoding, 'base64') : secret
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}
