// Ways in which receivers misread the rule of the signature: each is a signature that only such a receiver accepts. If
// one refuses a correct signature, the one it accepts shows what its code does.
import { createHmac } from 'node:crypto'
import { contractHeaders, type SignedHeaders } from '../../platform/outbound/signature.ts'

export type Misreading = {
  finding: MisreadBody
  headers: (message: SignedHeaders, secret: string) => Record<string, string> | null
}
export type MisreadBody = (typeof forms)[number][0] | 'timestamp_in_ms' | 'reserialised' | 'secret_misread'

function hmac(secret: string | Buffer, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex')
}

const whole = ({ timestamp, body }: SignedHeaders) => `${timestamp}.${body}`

const forms = [
  ['without_timestamp', (message: SignedHeaders, secret: string) => hmac(secret, message.body)],
  ['without_dot', ({ timestamp, body }: SignedHeaders, secret: string) => hmac(secret, `${timestamp}${body}`)],
  ['with_id', ({ id, ...signed }: SignedHeaders, secret: string) => hmac(secret, `${id}.${whole({ id, ...signed })}`)],
  ['with_prefix', (message: SignedHeaders, secret: string) => `sha256=${hmac(secret, whole(message))}`],
  [
    'in_base64',
    (message: SignedHeaders, secret: string) => Buffer.from(hmac(secret, whole(message)), 'hex').toString('base64'),
  ],
] as const

/** Ways a configuration can alter a secret. */
const secrets: ((secret: string) => string | Buffer)[] = [
  (secret) => `${secret}\n`,
  (secret) => `"${secret}"`,
  (secret) => Buffer.from(secret, 'hex'),
  (secret) => Buffer.from(secret, 'base64'),
  (secret) => secret.replace(/^whsec_/, ''),
  (secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64'),
]

/** JSON as rewritten by libraries that have parsed it. */
const serialisers: ((value: unknown) => string)[] = [
  (value) => write(value, {}),
  (value) => write(value, { comma: ', ', colon: ': ', escape: inAscii }),
  (value) => write(value, { escape: (text) => inAscii(text).replaceAll('/', '\\/') }),
  (value) => write(value, { isSorted: true }),
  (value) => JSON.stringify(value, null, 2),
]

export const misreadings: readonly Misreading[] = [
  ...forms.map(([finding, sign]) => ({
    finding,
    headers: (message: SignedHeaders, secret: string) => contractHeaders(message, sign(message, secret)),
  })),
  {
    finding: 'timestamp_in_ms',
    headers: (message, secret) => {
      const inMs = { ...message, timestamp: message.timestamp * 1000 }
      return contractHeaders(inMs, hmac(secret, whole(inMs)))
    },
  },
  ...serialisers.map((serialise) => ({
    finding: 'reserialised' as const,
    headers: (message: SignedHeaders, secret: string) => {
      const body = serialise(JSON.parse(message.body))
      return body === message.body ? null : contractHeaders(message, hmac(secret, whole({ ...message, body })))
    },
  })),
  ...secrets.map((misread) => ({
    finding: 'secret_misread' as const,
    headers: (message: SignedHeaders, secret: string) => {
      const key = misread(secret)
      return key === secret || key.length === 0 ? null : contractHeaders(message, hmac(key, whole(message)))
    },
  })),
]

type JsonStyle = { comma?: string; colon?: string; isSorted?: boolean; escape?: (text: string) => string }

function write(value: unknown, style: JsonStyle): string {
  const { comma = ',', colon = ':', isSorted = false, escape = (text) => text } = style
  if (typeof value !== 'object' || value === null) return escape(JSON.stringify(value))
  if (Array.isArray(value)) return `[${value.map((part) => write(part, style)).join(comma)}]`
  const entries = Object.entries(value)
  if (isSorted) entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([name, part]) => escape(JSON.stringify(name)) + colon + write(part, style)).join(comma)}}`
}

function inAscii(text: string): string {
  return text.replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
