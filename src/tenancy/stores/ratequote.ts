// Quotes of shipping rates: which rates ask an app for their price, the secret that signs the questions, and the last
// failure. The storefront's checkout asks.
import type { Db, Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { withOneTimeValues } from '../../kit/declare/onetime.ts'
import { assignments } from '../../kit/declare/resource.ts'
import { json, type WriteResult } from '../../kit/declare/route.ts'
import { notFound } from '../../kit/values/errors.ts'
import { randomHex, type Vault } from '../../kit/values/secrets.ts'
import { shippingRate, type QuoteError } from './shippingrate.ts'
import { storeChanged, type Store } from './store.ts'

export type QuotedRate = {
  id: string
  code: string
  quote_url: string
  quote_fallback: 'price' | 'not_offered'
  /** Sealed; null until one is made. */
  quote_secret: string | null
}

/** The active rates whose price an app quotes. No statement where the store has none. */
export async function findQuotedRates(db: Db, store: Store): Promise<QuotedRate[]> {
  if (!store.has_quoted_rates) return []
  return db.rows<QuotedRate>(sql`
    select id, code, quote_url, quote_fallback, quote_secret
    from shipping_rates
    where store_id = ${store.id}
      and is_active
      and quote_url is not null
    order by position, id`)
}

/** The context to which the secret is sealed. */
export function buildQuoteSealContext(storeId: string, rateId: string): string {
  return `shipping_rates ${storeId} ${rateId}`
}

/** The answer that shows a new secret, once. */
export const rateWithSecret = withOneTimeValues(shippingRate.entity, 'Shipping rate with secret', {
  quote_secret: {
    type: 'string',
    minLength: 64,
    maxLength: 64,
    description: 'Secret that signs the requests to its app',
  },
})

/** Replaces the secret; from now on the new one signs. */
export async function rotateQuoteSecret(tx: Tx, store: Store, id: string, vault: Vault): Promise<WriteResult<object>> {
  const secret = randomHex(32)
  const quote_secret = vault.seal(secret, buildQuoteSealContext(store.id, id))
  const [row] = await tx.texts(sql`
    update shipping_rates
    set ${assignments(shippingRate, {}, { quote_secret, quote_secret_last4: secret.slice(-4), updated_at: tx.now })}
    where store_id = ${store.id}
      and id = ${id}
    returning ${shippingRate.columns}`)
  if (!row) throw notFound(shippingRate.noun)
  tx.afterCommit(() => tx.bus.publish(storeChanged, store.id))
  const { id: publicId, entity } = shippingRate.record(row)
  return { id: publicId, json: json({ ...entity, quote_secret: secret }) }
}

export type QuoteFailure = { id: string; error: QuoteError; detail: string | null }

/** Keeps the last failure of a rate. The same one is written once a minute at most. */
export function recordQuoteFailure(tx: Tx, storeId: string, { id, error, detail }: QuoteFailure): void {
  const minuteAgo = new Date(tx.now.getTime() - 60_000)
  tx.later(sql`
    update shipping_rates
    set quote_error = ${error}, quote_error_detail = ${detail}, quote_failed_at = ${tx.now}
    where store_id = ${storeId}
      and id = ${id}
      and (quote_failed_at is null or quote_failed_at < ${minuteAgo} or quote_error <> ${error})`)
}
