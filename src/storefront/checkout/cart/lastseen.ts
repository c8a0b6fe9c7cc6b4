// The row of a checkout as this process last saw it. With it, a completion reads the data for the order together with
// the row, which saves one round trip. Nothing else may rely on it, since any process can have changed the
// checkout since then.
import { LRUCache } from 'lru-cache'
import { hashSecret } from '../../../kit/values/secrets.ts'
import type { CheckoutRow } from '../checkout.ts'

const maxRows = 500
const hourMs = 3_600_000

const rows = new LRUCache<string, CheckoutRow>({ max: maxRows, ttl: hourMs })

export function remember(token: string, row: CheckoutRow): void {
  rows.set(hashCartToken(token), row)
}

export function lastSeen(token: string): CheckoutRow | undefined {
  return rows.get(hashCartToken(token))
}

function hashCartToken(token: string): string {
  return hashSecret(token).toString('base64url')
}
