// The operations of the protocol's shopping service, shared by all transports.
import type { Json } from '../../kit/declare/resource.ts'
import { json, type Route } from '../../kit/declare/route.ts'
import type { Reader } from '../../kit/declare/shape.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { storefrontScope } from '../../storefront/checkout/routes.ts'
import { cancelCart, createCart, getCart, updateCart } from './cart.ts'
import { getProduct, lookUpCatalog, searchCatalog } from './catalog/operations.ts'
import { lookupInput, productInput, searchInput } from './catalog/inputs.ts'
import { cartInput, checkoutInput, completionInput, newCheckoutInput } from './checkout/inputs.ts'
import {
  cancelAgentCheckout,
  completeAgentCheckout,
  createCheckout,
  getCheckout,
  updateCheckout,
} from './checkout/operations.ts'
import { envelope } from './checkout/view.ts'
import { getOrder } from './order.ts'
import type { Capability } from './releases.ts'
import type { Visit } from './visit.ts'

/** An operation is an endpoint of REST, and a tool of MCP. */
export type Operation = Route<Store> & {
  /** The name of its MCP tool. */
  name: string
  capability: Capability
  /** The tool's argument that is the body of a request; null without a body. */
  argument: 'catalog' | 'cart' | 'checkout' | null
  /** True if it needs the ID of a cart, a checkout or an order. */
  hasId: boolean
  /** True if it requires an Idempotency-Key. */
  needsKey: boolean
  /** True if it changes nothing. */
  isRead: boolean
}

type DeclaredOperation = Pick<Operation, 'summary'> &
  Partial<Pick<Operation, 'needsKey' | 'status'>> & {
    /** JSON, or an object without its metadata. */
    run(visit: Visit, call: { id: string; body: any }): Promise<string | object>
  }

const declare =
  (capability: Capability, method: Operation['method'], argument: Operation['argument'], body: Reader<any> | null) =>
  (name: string, path: string, { run, ...own }: DeclaredOperation): Operation => ({
    name,
    path,
    capability,
    method: method as 'GET',
    argument,
    ...(body ? { body } : {}),
    hasId: path.includes('{id}'),
    needsKey: false,
    isRead: method === 'GET' || argument === 'catalog',
    status: 200,
    scope: storefrontScope,
    ownsTransactions: true,
    returns: {},
    makesRecord: false,
    tag: 'UCP',
    ...own,
    async run({ params: { id = '' }, body, ...visit }) {
      const answer = await run(visit as unknown as Visit, { id, body })
      if (typeof answer === 'string') return answer as Json<any>
      return json({ ucp: envelope(visit as unknown as Visit, capability), ...answer })
    },
  })

const [searching, lookingUp, cart, checkout, order] = [
  'dev.ucp.shopping.catalog.search',
  'dev.ucp.shopping.catalog.lookup',
  'dev.ucp.shopping.cart',
  'dev.ucp.shopping.checkout',
  'dev.ucp.shopping.order',
] as const

// prettier-ignore
export const operations: readonly Operation[] = [
  declare(searching, 'POST', 'catalog', searchInput)('search_catalog', '/catalog/search', {
    summary: 'Search the products of this store',
    run: (visit, { body }) => searchCatalog(visit, body),
  }),
  declare(lookingUp, 'POST', 'catalog', lookupInput)('lookup_catalog', '/catalog/lookup', {
    summary: 'Look up products or variants by ID',
    run: (visit, { body }) => lookUpCatalog(visit, body),
  }),
  declare(lookingUp, 'POST', 'catalog', productInput)('get_product', '/catalog/product', {
    summary: 'Get a product, and choose among its variants',
    run: (visit, { body }) => getProduct(visit, body),
  }),
  declare(cart, 'POST', 'cart', cartInput)('create_cart', '/carts', {
    summary: 'Create a cart',
    status: 201,
    run: (visit, { body }) => createCart(visit, body),
  }),
  declare(cart, 'GET', null, null)('get_cart', '/carts/{id}', {
    summary: 'Get a cart',
    run: (visit, { id }) => getCart(visit, id),
  }),
  declare(cart, 'PUT', 'cart', cartInput)('update_cart', '/carts/{id}', {
    summary: 'Replace a cart',
    run: (visit, { id, body }) => updateCart(visit, id, body),
  }),
  declare(cart, 'POST', null, null)('cancel_cart', '/carts/{id}/cancel', {
    summary: 'Cancel a cart',
    needsKey: true,
    run: (visit, { id }) => cancelCart(visit, id),
  }),
  declare(checkout, 'POST', 'checkout', newCheckoutInput)('create_checkout', '/checkout-sessions', {
    summary: 'Create a checkout',
    status: 201,
    run: (visit, { body }) => createCheckout(visit, body),
  }),
  declare(checkout, 'GET', null, null)('get_checkout', '/checkout-sessions/{id}', {
    summary: 'Get a checkout',
    run: (visit, { id }) => getCheckout(visit, id),
  }),
  declare(checkout, 'PUT', 'checkout', checkoutInput)('update_checkout', '/checkout-sessions/{id}', {
    summary: 'Replace a checkout',
    run: (visit, { id, body }) => updateCheckout(visit, id, body),
  }),
  declare(checkout, 'POST', 'checkout', completionInput)('complete_checkout', '/checkout-sessions/{id}/complete', {
    summary: 'Place the order of a checkout',
    needsKey: true,
    run: (visit, { id, body }) => completeAgentCheckout(visit, id, body),
  }),
  declare(checkout, 'POST', null, null)('cancel_checkout', '/checkout-sessions/{id}/cancel', {
    summary: 'Cancel a checkout',
    needsKey: true,
    run: (visit, { id }) => cancelAgentCheckout(visit, id),
  }),
  declare(order, 'GET', null, null)('get_order', '/orders/{id}', {
    summary: 'Get an order',
    run: (visit, { id }) => getOrder(visit, id),
  }),
]
