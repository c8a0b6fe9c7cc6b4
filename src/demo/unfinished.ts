// What a merchant has to look after: shoppers who left their carts, and a receiver of webhooks that is not there.
import type { Database, Tx } from '../kit/database.ts'
import type { Reader } from '../kit/shape.ts'
import type { Vault } from '../kit/secrets.ts'
import { newCheckout } from '../checkout/checkout.ts'
import { createCheckout, type CheckoutTerms } from '../checkout/operations.ts'
import type { Store } from '../stores/store.ts'
import { createWebhook } from '../webhooks/operations.ts'
import { newWebhook } from '../webhooks/webhook.ts'
import { person } from './shelf.ts'

type Shelf = { id: string; variants: { id: string }[] }[]

// The server's own sweep finds them idle and announces them. The links in their mail are made then, with its settings.
const terms: CheckoutTerms = { baseUrl: '', abandonAfterSeconds: 1800, expireAfterSeconds: 30 * 86_400 }

/** Yesterday's cart and this morning's. */
export async function leaveCarts(db: Database, store: Store, products: Shelf, clock: { time: number }, vault: Vault): Promise<void> {
  const now = clock.time
  for (const [hoursAgo, who, cart] of [[26, 31, [0, 7, 7]], [5, 12, [14]]] as const) {
    clock.time = now - hoursAgo * 3_600_000
    const { name, email, phone, shipping_address } = person(who)
    const body = {
      items: [...new Set(cart)].map((at) => ({ product_id: products[at]!.id, quantity: cart.filter((other) => other === at).length })),
      customer: { name, email, phone }, shipping_address, locale: 'en',
    }
    await write(db, store, newCheckout, body, (tx, input) => createCheckout(tx, store, input as never, { vault, checkout: terms }))
  }
  clock.time = now
}

/** RFC 2606 §2: no name below .invalid is ever found, so that every delivery fails, and the log shows how that looks. */
export async function subscribeNobody(db: Database, store: Store, vault: Vault): Promise<void> {
  const body = {
    url: 'https://stock.harbour-and-pine.invalid/hooks', description: 'Stock sync, moved away last week',
    events: ['order.created', 'checkout.abandoned'],
  }
  await write(db, store, newWebhook, body, (tx, input) => createWebhook(tx, store, input as never, vault))
}

function write<T>(db: Database, store: Store, reader: Reader<T>, body: object, run: (tx: Tx, input: T) => Promise<unknown>) {
  const input = reader.read(body, { ...store, now: db.clock.now() })
  return db.transaction((tx) => run(tx, input))
}
