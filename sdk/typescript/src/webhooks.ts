// Verification of webhooks, which says which check failed and what to do about it.
import type { EventType, WebhookPayloads } from './types.ts'

export type WebhookRequest = {
  /** The webhook's secret; during a rotation, the old one and the new one. */
  secret: string | readonly string[]
  headers: Headers | Record<string, string | string[] | undefined>
  /** The body as it was received, before it is parsed. */
  body: string | Uint8Array
  /** By default 300. */
  toleranceSeconds?: number
  /** Milliseconds since 1970; the current time by default. */
  now?: number
}

export type WebhookEvent = {
  [Type in EventType]: {
    event: Type
    /** Id of the delivery: skip one that you have seen. */
    id: string
    /** Place in the event log; null for test events. */
    sequence: number | null
    isTest: boolean
    body: WebhookPayloads[Type]
  }
}[EventType]

export type WebhookCheck = 'header' | 'body' | 'timestamp' | 'signature' | 'json'

export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  /** The check that failed. */
  readonly check: WebhookCheck

  constructor(check: WebhookCheck, message: string) {
    super(message)
    this.check = check
  }
}

/** The event of a request that is from Stoa; otherwise it throws a WebhookError. Answer that with 400. */
export async function verify(request: WebhookRequest): Promise<WebhookEvent> {
  const { headers, body, toleranceSeconds = 300, now = Date.now() } = request
  const [id, event, timestamp, signature] = ['Id', 'Event', 'Timestamp', 'Signature'].map((name) =>
    required(headers, `X-Webhook-${name}`),
  ) as [string, string, string, string]
  const bytes = bytesOf(body)
  if (!/^\d+$/.test(timestamp))
    throw new WebhookError('timestamp', `X-Webhook-Timestamp is not in seconds: ${timestamp}`)
  const ageSeconds = Math.round(now / 1000 - Number(timestamp))
  if (Math.abs(ageSeconds) > toleranceSeconds)
    throw new WebhookError('timestamp', staleness(ageSeconds, toleranceSeconds))
  if (!/^[0-9a-f]{64}$/i.test(signature)) {
    throw new WebhookError('signature', 'X-Webhook-Signature is not 64 hexadecimal digits')
  }
  const previous = header(headers, 'X-Webhook-Signature-Previous')
  const signatures = previous ? [signature, previous] : [signature]
  const secrets = [request.secret].flat()
  if (!(await isSigned(secrets, signatures, timestamp, bytes))) {
    throw new WebhookError('signature', await explanation(secrets, signatures, timestamp, bytes))
  }
  const sequence = header(headers, 'X-Webhook-Sequence')
  return {
    event,
    id,
    sequence: sequence ? Number(sequence) : null,
    isTest: header(headers, 'X-Webhook-Test') === 'true',
    body: parsed(bytes),
  } as WebhookEvent
}

function required(headers: WebhookRequest['headers'], name: string): string {
  const value = header(headers, name)
  if (!value)
    throw new WebhookError('header', `${name} is missing: a proxy removed it, or the request is not from Stoa`)
  return value
}

function header(headers: WebhookRequest['headers'], name: string): string | null {
  if (headers instanceof Headers) return headers.get(name)
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
  return [found].flat()[0] ?? null
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof Uint8Array) return body
  throw new WebhookError(
    'body',
    `The body is ${body === null ? 'null' : typeof body}: pass the raw body, before it is parsed`,
  )
}

function staleness(ageSeconds: number, tolerance: number): string {
  const offset = ageSeconds > 0 ? `${ageSeconds} seconds old` : `${-ageSeconds} seconds ahead of this clock`
  return `The request is ${offset}, more than ${tolerance}: it was sent again by someone, or this clock is wrong`
}

async function isSigned(secrets: readonly string[], signatures: string[], timestamp: string, body: Uint8Array) {
  const prefix = new TextEncoder().encode(`${timestamp}.`)
  const signed = new Uint8Array(prefix.length + body.length)
  signed.set(prefix)
  signed.set(body, prefix.length)
  let found = false
  for (const secret of secrets) {
    const raw = new TextEncoder().encode(secret)
    if (raw.length === 0) continue
    const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
    for (const signature of signatures) {
      // Compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, fromHex(signature), signed)) found = true
    }
  }
  return found
}

function fromHex(text: string) {
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}

async function explanation(secrets: readonly string[], signatures: string[], timestamp: string, body: Uint8Array) {
  const why = 'The signature is not of this body and secret: '
  if (secrets.every((secret) => secret === '')) return `${why}the secret is empty`
  const trimmed = secrets.map((secret) => secret.trim())
  if (await isSigned(trimmed, signatures, timestamp, body))
    return `${why}the secret has spaces or a line break around it`
  for (const other of rewritten(new TextDecoder().decode(body))) {
    if (await isSigned(secrets, signatures, timestamp, bytesOf(other))) {
      return `${why}the body was changed on the way, for example parsed and written again. Pass the bytes as received`
    }
  }
  return `${why}the secret is that of another webhook or was rotated, or the body was changed`
}

function rewritten(text: string): string[] {
  try {
    return [text.trim(), JSON.stringify(JSON.parse(text))]
  } catch {
    return [text.trim()]
  }
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new WebhookError('json', 'The body is signed, but it is not JSON')
  }
}
