// The secrets of webhooks: made here, sealed at rest, bound to store and record.
import { randomHex, type Vault } from '../../kit/values/secrets.ts'

export const overlapHours = 24

export function newSecretText(): string {
  return randomHex(32)
}

export function sealSecret(vault: Vault, storeId: string, id: string, secret: string): string {
  return vault.seal(secret, buildWebhookSealContext(storeId, id))
}

export function openSecret(vault: Vault, storeId: string, id: string, ciphertext: string): string {
  return vault.open(ciphertext, buildWebhookSealContext(storeId, id))
}

/** The context to which a secret is sealed. */
export function buildWebhookSealContext(storeId: string, id: string): string {
  return `webhooks ${storeId} ${id}`
}
