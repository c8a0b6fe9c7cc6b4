// Work that waits for the merchant: abandoned carts and an unreachable webhook receiver.
import type { Tx } from '../kit/database/database.ts'
import type { Vault } from '../kit/values/secrets.ts'
import { newCheckout } from '../storefront/checkout/checkout.ts'
import type { CheckoutConfig } from '../storefront/checkout/checkout.ts'
import { createCheckout } from '../storefront/checkout/cart/operations.ts'
import type { Store } from '../tenancy/stores/store.ts'
import { createWebhook } from '../developer/webhooks/operations.ts'
import { newWebhook } from '../developer/webhooks/webhook.ts'
import { person } from './catalog.ts'

type CartProducts = { id: string; variants: { id: string }[] }[]

// The server's own sweep finds these carts idle and sends the recovery mail, with links from its own settings.
const terms: CheckoutConfig = { baseUrl: '', abandonAfterSeconds: 1800, expireAfterSeconds: 30 * 86_400 }

/** Creates two carts: one from yesterday, one from this morning. */
export async function abandonCarts(tx: Tx, store: Store, products: CartProducts, vault: Vault): Promise<void> {
  for (const [hoursAgo, personNumber, cart] of [
    [26, 31, [0, 7, 7]],
    [5, 12, [14]],
  ] as const) {
    const then = tx.at(new Date(tx.now.getTime() - hoursAgo * 3_600_000))
    const { name, email, phone, shipping_address } = person(personNumber)
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
      store,
    )
    await createCheckout(then, store, input as never, { vault, checkout: terms })
  }
}

/** Names below .invalid never resolve (RFC 2606 §2), so the delivery log shows failures. */
export async function subscribeUnreachableReceiver(tx: Tx, store: Store, vault: Vault): Promise<void> {
  const input = newWebhook.read(
    {
      url: 'https://stock.harbour-and-pine.invalid/hooks',
      description: 'Stock sync (moved last week)',
      events: ['order.created', 'checkout.abandoned'],
    },
    store,
  )
  await createWebhook(tx, store, input as never, { vault })
}
