// Whoever has a key has an account: nothing is asked, for no money is real. What signs its webhooks follows from the
// key, so that an account survives a provider that remembers nothing.
import { createHmac } from 'node:crypto'
import { hashSecret, randomBase62 } from '../../kit/values/secrets.ts'
import { Refusal } from './refusal.ts'

export type Account = { key: string; name: string; webhook_url: string | null }

const form = /^sk_sandbox_\w{8,80}$/

export function newKey(): string {
  return `sk_sandbox_${randomBase62(32)}`
}

export function accountOf(key: string): Account {
  if (!form.test(key)) throw new Refusal(401, 'unknown_key', 'the API key begins with sk_sandbox_')
  return { key, name: 'Sandbox shop', webhook_url: null }
}

export function webhookSecretOf({ key }: Account): string {
  return `whsec_${hashSecret(`webhooks of ${key}`).toString('base64')}`
}

/** https://www.standardwebhooks.com: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`. */
export function signatureOf(secret: string, { id, timestamp, body }: { id: string; timestamp: string; body: string }) {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}
