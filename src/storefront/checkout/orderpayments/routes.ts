import { buildRouteVerbs } from '../../../kit/declare/route.ts'
import { order } from '../../../commerce/orders/order.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { CheckoutDeps } from '../checkout.ts'
import { createPaymentLink, newPaymentLink, paymentLink } from './link.ts'

const { act } = buildRouteVerbs<Store, CheckoutDeps>('Orders')

export const routes = [
  act('/orders/{id}/payment-link', {
    scope: 'write:orders',
    params: { id: order },
    body: newPaymentLink,
    returns: paymentLink,
    summary: 'Get or send a link to pay what is due of an order',
    run: ({ tx, store, params, body, ...deps }) => createPaymentLink(tx, store, params.id, body, deps),
  }),
]
