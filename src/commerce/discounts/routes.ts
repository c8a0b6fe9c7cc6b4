import { find, page } from '../../kit/declare/page.ts'
import { deleted, deletedSchema, routesOf } from '../../kit/declare/route.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { discount } from './discount.ts'
import { createDiscount, deleteDiscount, updateDiscount } from './operations.ts'
import { cartBody, validateDiscount, verdictSchema } from './validate.ts'

const { get, post, act, patch, del } = routesOf<Store>('Discounts')

export const routes = [
  get('/discounts', {
    scope: 'read:discounts',
    query: discount.query,
    returns: discount.entity,
    list: true,
    summary: 'List discounts',
    run: ({ db, store, query }) => page(db, discount, store, query),
  }),
  post('/discounts', {
    scope: 'write:discounts',
    feature: featureOf,
    body: discount.create,
    returns: discount.entity,
    summary: 'Create a discount',
    run: ({ tx, store, body }) => createDiscount(tx, store, body),
  }),
  act('/discounts/validate', {
    scope: 'read:discounts',
    body: cartBody,
    returns: verdictSchema,
    summary: 'Validate a discount code against a cart',
    run: ({ tx, store, body }) => validateDiscount(tx, store, body),
  }),
  get('/discounts/{id}', {
    scope: 'read:discounts',
    params: { id: discount },
    returns: discount.entity,
    summary: 'Get a discount',
    run: ({ db, store, params }) => find(db, discount, store.id, params.id),
  }),
  patch('/discounts/{id}', {
    scope: 'write:discounts',
    feature: featureOf,
    params: { id: discount },
    body: discount.patch,
    returns: discount.entity,
    summary: 'Update a discount',
    run: ({ tx, store, params, body }) => updateDiscount(tx, store, params.id, body),
  }),
  del('/discounts/{id}', {
    scope: 'write:discounts',
    params: { id: discount },
    returns: deletedSchema,
    summary: 'Permanently delete a discount',
    run: ({ tx, store, params }) => deleteDiscount(tx, store, params.id).then(() => deleted),
  }),
]

/** A discount for some products or categories only is a feature of plans. */
function featureOf(body: Record<string, unknown>): string | null {
  const scopes = [body.applicable_product_ids, body.applicable_category_ids]
  const isScoped = body.applies_to_all === false || scopes.some((ids) => Array.isArray(ids) && ids.length > 0)
  return isScoped ? 'discounts_advanced' : null
}
