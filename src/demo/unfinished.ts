// What a merchant has to look after: shoppers who left their carts, and a receiver of webhooks that is not there.
import type { Tx } from '../kit/database/database.ts'
import type { Vault } from '../kit/values/secrets.ts'
import { newCheckout } from '../storefront/checkout/checkout.ts'
import type { CheckoutConfig } from '../storefront/checkout/checkout.ts'
import { createCheckout } from '../storefront/checkout/cart/operations.ts'
import type { Store } from '../tenancy/stores/store.ts'
import { createWebhook } from '../developer/webhooks/operations.ts'
import { newWebhook } from '../developer/webhooks/webhook.ts'
import { person } from './shelf.ts'

type Shelf = { id: string; variants: { id: string }[] }[]

// The server's own sweep finds them idle and announces them. The links in their mail are made then, with its settings.
const terms: CheckoutConfig = { baseUrl: '', abandonAfterSeconds: 1800, expireAfterSeconds: 30 * 86_400 }

/** Yesterday's cart and this morning's. */
export async function leaveCarts(tx: Tx, store: Store, products: Shelf, vault: Vault): Promise<void> {
  for (const [hoursAgo, who, cart] of [
    [26, 31, [0, 7, 7]],
    [5, 12, [14]],
  ] as const) {
    const then = tx.at(new Date(tx.now.getTime() - hoursAgo * 3_600_000))
    const { name, email, phone, shipping_address } = person(who)
    const input = newCheckout.read(
      {
        items: [...new Set(cart)].map((at) => ({
          product_id: products[at]!.id,
          quantity: cart.filter((other) => other === at).length,
        })),
        customer: { name, email, phone },
        shipping_address,
        shipping_method: 'standard',
        payment_method: 'card',
        locale: 'en',
      },
      { ...store, now: then.now },
    )
    await createCheckout(then, store, input as never, { vault, checkout: terms })
  }
}

/** RFC 2606 §2: no name below .invalid is ever found, so every delivery fails, and the log shows how that looks. */
export async function subscribeNobody(tx: Tx, store: Store, vault: Vault): Promise<void> {
  const input = newWebhook.read(
    {
      url: 'https://stock.harbour-and-pine.invalid/hooks',
      description: 'Stock sync, moved away last week',
      events: ['order.created', 'checkout.abandoned'],
    },
    { ...store, now: tx.now },
  )
  await createWebhook(tx, store, input as never, vault)
}
