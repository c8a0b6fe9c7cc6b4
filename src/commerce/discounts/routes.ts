import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import { buildRouteVerbs } from '../../kit/declare/route.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { discount } from './discount.ts'
import { createDiscount, deleteDiscount, updateDiscount } from './operations.ts'
import { cartBody, validateDiscount, validationSchema } from './validation.ts'

const { act } = buildRouteVerbs<Store>('Discounts')

const discounts = buildCrudRoutes<Store>('Discounts')(discount, {
  path: '/discounts',
  read: 'read:discounts',
  write: 'write:discounts',
})

export const routes = [
  discounts.list(),
  discounts.create(({ tx, store, body }) => createDiscount(tx, store, body), { feature: getRequiredDiscountFeature }),
  act('/discounts/validate', {
    scope: 'read:discounts',
    body: cartBody,
    returns: validationSchema,
    summary: 'Validate a discount code against a cart',
    run: ({ tx, store, body }) => validateDiscount(tx, store, body),
  }),
  discounts.get(),
  discounts.update(({ tx, store, params, body }) => updateDiscount(tx, store, params.id, body), {
    feature: getRequiredDiscountFeature,
  }),
  discounts.remove(({ tx, store, params }) => deleteDiscount(tx, store, params.id), {
    summary: 'Permanently delete a discount',
  }),
]

/** Discounts for some products or categories only require a plan feature. */
function getRequiredDiscountFeature(body: Record<string, unknown>): string | null {
  const { applicable_product_ids, applicable_category_ids, buy_product_ids, buy_category_ids } = body
  const scopes = [applicable_product_ids, applicable_category_ids, buy_product_ids, buy_category_ids]
  const isScoped = body.applies_to_all === false || scopes.some((ids) => Array.isArray(ids) && ids.length > 0)
  return isScoped ? 'discounts_advanced' : null
}
