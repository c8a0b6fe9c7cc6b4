// Every well-formed key is an account, because no real money moves. The webhook secret derives from the key, so that an
// account survives a provider without storage.
import { createHmac } from 'node:crypto'
import { hashSecret, randomBase62 } from '../../kit/values/secrets.ts'
import { SandboxError } from './errors.ts'

export type SandboxAccount = { key: string; name: string; webhook_url: string | null }

const form = /^sk_sandbox_\w{8,80}$/

export function newKey(): string {
  return `sk_sandbox_${randomBase62(32)}`
}

export function requireSandboxAccount(key: string): SandboxAccount {
  if (!form.test(key)) throw new SandboxError(401, 'unknown_key', 'the API key must start with sk_sandbox_')
  return { key, name: 'Sandbox store', webhook_url: null }
}

export function deriveWebhookSecret({ key }: SandboxAccount): string {
  return `whsec_${hashSecret(`webhooks of ${key}`).toString('base64')}`
}

/** https://www.standardwebhooks.com: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`. */
export function signSandboxWebhook(
  secret: string,
  { id, timestamp, body }: { id: string; timestamp: string; body: string },
) {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}
