// Checkouts that begin as copies of others: by a recovery link, or by a link that hands a checkout over.
import type { Db, Tx } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { pick } from '../../../kit/declare/row.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { personalFieldNames, type CheckoutDeps, type CheckoutRow } from '../checkout.ts'
import { findOffer } from '../offers/offer.ts'
import { getAddressCountry } from '../offers/shipping.ts'
import { toCartInput, insertCheckout, newRow } from './operations.ts'
import { quoteCart } from './quote.ts'
import type { Checkout } from './view.ts'

const cartFieldNames = [
  'channel',
  'agent',
  'items',
  'bump_ids',
  'discount_code',
  'discount_codes',
  'shipping_method',
  'payment_method',
  'presets',
  'locale',
] as const

/** Creates a checkout for a shopper with the link of a draft: with its cart, without personal data. */
export function restartCheckout(tx: Tx, store: Store, draft: CheckoutRow, deps: CheckoutDeps): Promise<Checkout> {
  const country_code = getAddressCountry(draft.shipping_address)
  const shipping_address = country_code ? { country_code } : null
  return copyCheckout(tx, store, { ...pick(draft, cartFieldNames), shipping_address, recovers: draft.id }, deps)
}

/**
 * Creates a checkout for the browser that a checkout is handed over to, with all of its input. Later input is not added
 * to the first one. The copy becomes a draft when its shopper changes it.
 */
export function continueCheckout(tx: Tx, store: Store, first: CheckoutRow, deps: CheckoutDeps): Promise<Checkout> {
  const { token: _, ...personal } = pick(first, personalFieldNames)
  const recovers = first.status === 'abandoned' ? first.id : null
  return copyCheckout(tx, store, { ...pick(first, cartFieldNames), ...personal, recovers, continues: first.id }, deps)
}

async function copyCheckout(tx: Tx, store: Store, cells: Partial<CheckoutRow>, deps: CheckoutDeps): Promise<Checkout> {
  const row: CheckoutRow = { ...newRow(store, tx.now), ...cells }
  const quote = await quoteCart(tx, store, toCartInput(row), findOffer(tx, store), { now: tx.now, existing: row.items })
  return insertCheckout(tx, store, row, quote, deps)
}

/** True if the order was placed in a browser that got the checkout by a link: it contains that buyer's input. */
export async function wasPlacedElsewhere(db: Db, storeId: string, id: string): Promise<boolean> {
  const row = await db.one<{ placed_in: string | null }>(sql`
    select placed_in
    from checkouts
    where store_id = ${storeId}
      and id = ${id}`)
  return row !== undefined && row.placed_in !== null
}
