import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import { page } from '../../kit/declare/page.ts'
import { deleted, deletedSchema, json, buildRouteVerbs } from '../../kit/declare/route.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { translationRoutes } from '../../tenancy/stores/translations.ts'
import { changeProducts } from './bulkchange.ts'
import { bulkChange, type BulkChange } from './bulkfields.ts'
import { createCategory, deleteCategory, updateCategory } from './categories.ts'
import { category } from './category.ts'
import { collectionAddition, addCollectionProducts, removeCollectionProduct } from './collectionproducts.ts'
import { collectionQuery, listCollectionProducts } from './collectionpage.ts'
import { collection } from './collection.ts'
import { createCollection, deleteCollection, updateCollection } from './collections.ts'
import { getRequiredProductFeature } from './features.ts'
import { createProduct, deleteProduct, updateProduct } from './operations.ts'
import { product } from './product.ts'
import { hasTrackedStock, stockedProduct } from './stockedproduct.ts'
import {
  categoryTranslations,
  collectionTranslations,
  emitTranslationChange,
  productTranslations,
} from './translations.ts'

// Collections group products as categories do, so the same scopes apply.
const read = ['read:categories', 'read:products']
const write = ['write:categories', 'write:products']

const productAccess = { tag: 'Products', path: '/products', read: 'read:products', write: 'write:products' }
const categoryAccess = { tag: 'Categories', path: '/categories', read, write }
const collectionAccess = { tag: 'Collections', path: '/collections', read, write }

const products = buildCrudRoutes<Store>('Products')(product, productAccess)
const categories = buildCrudRoutes<Store>('Categories')(category, categoryAccess)
const collections = buildCrudRoutes<Store>('Collections')(collection, collectionAccess)

const { act: actOnProducts } = buildRouteVerbs<Store>('Products')
const { get } = buildRouteVerbs<Store>('Inventory')
const { get: getOfCollection, act, del } = buildRouteVerbs<Store>('Collections')

const bulkResponse = {
  title: 'Changed products',
  type: 'object',
  properties: { products: describeCount('products'), variants: describeCount('variants') },
  required: ['products', 'variants'],
}

export const routes = [
  products.list(),
  products.count(),
  products.create(({ tx, store, body, actor }) => createProduct(tx, store, body, actor), {
    feature: getRequiredProductFeature,
  }),
  products.get(),
  products.update(({ tx, store, params, body, actor }) => updateProduct(tx, store, params.id, body, actor), {
    runsUnchanged: true,
    feature: getRequiredProductFeature,
  }),
  products.remove(({ tx, store, params }) => deleteProduct(tx, store, params.id), {
    summary: 'Permanently delete a product',
  }),
  actOnProducts('/products/batch', {
    scope: 'write:products',
    body: bulkChange,
    operationId: 'batchUpdateProducts',
    returns: bulkResponse,
    summary: 'Change many products and variants at once',
    run: async ({ tx, store, body, actor }) => json(await changeProducts(tx, store, body as BulkChange, actor)),
  }),
  ...translationRoutes(productTranslations, productAccess, emitTranslationChange),
  get('/inventory/products', {
    scope: 'read:inventory',
    query: stockedProduct.query,
    returns: stockedProduct.entity,
    list: true,
    summary: 'List inventory of tracked products and variants',
    run: ({ db, store, query }) => page(db, stockedProduct, store, query, hasTrackedStock),
  }),
  categories.list(),
  categories.create(({ tx, store, body }) => createCategory(tx, store, body)),
  categories.get(),
  categories.update(({ tx, store, params, body }) => updateCategory(tx, store, params.id, body)),
  categories.remove(({ tx, store, params }) => deleteCategory(tx, store, params.id), {
    summary: 'Delete a category (products are kept)',
  }),
  ...translationRoutes(categoryTranslations, categoryAccess),
  collections.list(),
  collections.create(({ tx, store, body }) => createCollection(tx, store, body)),
  collections.get(),
  collections.update(({ tx, store, params, body }) => updateCollection(tx, store, params.id, body)),
  collections.remove(({ tx, store, params }) => deleteCollection(tx, store, params.id), {
    summary: 'Delete a collection (products are kept)',
  }),
  getOfCollection('/collections/{id}/products', {
    scope: read,
    params: { id: collection },
    query: collectionQuery,
    returns: product.entity,
    list: true,
    summary: "List a collection's products",
    run: ({ db, store, params, query }) => listCollectionProducts(db, store, params.id, query),
  }),
  act('/collections/{id}/products', {
    scope: write,
    params: { id: collection },
    body: collectionAddition,
    returns: collection.entity,
    summary: "Add or reorder a collection's products",
    run: ({ tx, store, params, body }) => addCollectionProducts(tx, store, params.id, body),
  }),
  del('/collections/{id}/products/{product_id}', {
    scope: write,
    params: { id: collection, product_id: product },
    returns: deletedSchema,
    summary: 'Remove a product from a collection',
    run: ({ tx, store, params }) =>
      removeCollectionProduct(tx, store, params.id, params.product_id).then(() => deleted),
  }),
  ...translationRoutes(collectionTranslations, collectionAccess),
]

function describeCount(things: string) {
  return { type: 'integer', minimum: 0, description: `Number of ${things} that changed` }
}
