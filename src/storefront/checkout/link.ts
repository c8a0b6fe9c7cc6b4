// The recovery link of a draft. Unlike the token of the checkout, it shows only the cart, and never personal data that
// another browser has entered.
import { publicId } from '../../kit/values/ids.ts'
import { hashSecret, randomBase64url, type Vault } from '../../kit/values/secrets.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { CheckoutRow } from './checkout.ts'

const tokenBytes = 32

/** Makes a checkout token or a recovery token. */
export function newToken(): string {
  return randomBase64url(tokenBytes)
}

/** 32 bytes in base64url. */
export function isToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}

/** The URL where the shopper finds the checkout again. */
export function recoveryUrl({ storefront_url }: Pick<Store, 'storefront_url'>, token: string): string {
  return `${storefront_url}/recover/${token}`
}

/** A draft gets a link with its first contact, and a new one if SECRET_KEY cannot open the stored one. */
export function withLink(
  vault: Vault,
  storeId: string,
  row: CheckoutRow,
): { row: CheckoutRow; link: string | null; hash: { recovery_hash?: Buffer } } {
  const id = publicId('chk', row.id)
  const existing = openToken(vault, storeId, id, row.token)
  if (!row.draft_since || existing) return { row, link: existing, hash: {} }
  const link = newToken()
  const token = vault.seal(link, sealContext(storeId, id))
  return { row: { ...row, token }, link, hash: { recovery_hash: hashSecret(link) } }
}

/**
 * Opens a sealed token; `id` is the public ID of its checkout. Null if it is purged, or was sealed under another
 * SECRET_KEY: then the draft has lost its link, but works otherwise.
 */
export function openToken(vault: Vault, storeId: string, id: string, ciphertext: string | null): string | null {
  try {
    return ciphertext && vault.open(ciphertext, sealContext(storeId, id))
  } catch {
    return null
  }
}

/** The context that a sealed token is bound to; `id` is the public ID. */
export function sealContext(storeId: string, id: string): string {
  return `checkout ${storeId} ${id}`
}
