// The routes of the storefront API, under /storefront/{slug}.
import { routesOf, type Route } from '../kit/route.ts'
import {
  findPublicProduct, listPublicCategories, listPublicProducts, publicCategory, publicProduct,
} from '../catalog/public.ts'
import type { Store } from '../stores/store.ts'
import { factsSchema, findFacts } from './facts.ts'

const { get } = routesOf<Store>()

/** Whoever comes through the storefront has it. */
export const storefrontScope = 'storefront'

const scope = storefrontScope

export const storefrontRoutes: Route<Store>[] = [
  get('', {
    scope, returns: factsSchema,
    summary: 'What a shopper may know of the store',
    run: ({ db, store }) => findFacts(db, store),
  }),
  get('/products', {
    scope, query: publicProduct.query, returns: publicProduct.entity, list: true,
    summary: 'List the products for sale',
    run: ({ db, store, query }) => listPublicProducts(db, store, query),
  }),
  get('/products/{idOrSlug}', {
    scope, returns: publicProduct.entity,
    summary: 'Get a product for sale',
    run: ({ db, store, params }) => findPublicProduct(db, store, (params as { idOrSlug: string }).idOrSlug),
  }),
  get('/categories', {
    scope, query: publicCategory.query, returns: publicCategory.entity, list: true,
    summary: 'List the categories',
    run: ({ db, store, query }) => listPublicCategories(db, store, query),
  }),
]
