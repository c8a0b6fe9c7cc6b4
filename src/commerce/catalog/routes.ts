import { count, find, page } from '../../kit/declare/page.ts'
import { countSchema, deleted, deletedSchema, routesOf } from '../../kit/declare/route.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { translationRoutes } from '../../tenancy/stores/translations.ts'
import { createCategory, deleteCategory, updateCategory } from './categories.ts'
import { category } from './category.ts'
import { addition, addProducts, removeProduct } from './collectionproducts.ts'
import { collected, listCollected } from './collectionpage.ts'
import { collection } from './collection.ts'
import { createCollection, deleteCollection, updateCollection } from './collections.ts'
import { createProduct, deleteProduct, updateProduct } from './operations.ts'
import { product } from './product.ts'
import { isCounted, stocked } from './stocked.ts'
import { categoryTranslations, collectionTranslations, productTranslated, productTranslations } from './translations.ts'

const products = routesOf<Store>('Products')
const categories = routesOf<Store>('Categories')
const collections = routesOf<Store>('Collections')
const inventories = routesOf<Store>('Inventory')

// Collections too: they sort products as categories do, and whoever was given the one has been given the other.
const readCategories = ['read:categories', 'read:products']
const writeCategories = ['write:categories', 'write:products']

export const routes = [
  products.get('/products', {
    scope: 'read:products',
    query: product.query,
    returns: product.entity,
    list: true,
    summary: 'List products',
    run: ({ db, store, query }) => page(db, product, store, query),
  }),
  products.get('/products/count', {
    scope: 'read:products',
    query: product.countQuery,
    returns: countSchema,
    summary: 'Count products',
    run: ({ db, store, query }) => count(db, product, store, query),
  }),
  products.post('/products', {
    scope: 'write:products',
    feature: featureOf,
    body: product.create,
    returns: product.entity,
    summary: 'Create a product',
    run: ({ tx, store, body, actor }) => createProduct(tx, store, body, actor),
  }),
  products.get('/products/{id}', {
    scope: 'read:products',
    params: { id: product },
    returns: product.entity,
    summary: 'Get a product',
    run: ({ db, store, params }) => find(db, product, store.id, params.id),
  }),
  products.patch('/products/{id}', {
    scope: 'write:products',
    feature: featureOf,
    params: { id: product },
    body: product.patch,
    returns: product.entity,
    summary: 'Update a product',
    run: ({ tx, store, params, body, actor }) => updateProduct(tx, store, params.id, body, actor),
  }),
  products.del('/products/{id}', {
    scope: 'write:products',
    params: { id: product },
    returns: deletedSchema,
    summary: 'Permanently delete a product',
    run: ({ tx, store, params }) => deleteProduct(tx, store, params.id).then(() => deleted),
  }),
  ...translationRoutes(
    productTranslations,
    { tag: 'Products', path: '/products', read: 'read:products', write: 'write:products' },
    productTranslated,
  ),
  inventories.get('/inventory/products', {
    scope: 'read:inventory',
    query: stocked.query,
    returns: stocked.entity,
    list: true,
    summary: 'List inventory of tracked products and variants',
    run: ({ db, store, query }) => page(db, stocked, store, query, isCounted),
  }),
  categories.get('/categories', {
    scope: readCategories,
    query: category.query,
    returns: category.entity,
    list: true,
    summary: 'List categories',
    run: ({ db, store, query }) => page(db, category, store, query),
  }),
  categories.post('/categories', {
    scope: writeCategories,
    body: category.create,
    returns: category.entity,
    summary: 'Create a category',
    run: ({ tx, store, body }) => createCategory(tx, store, body),
  }),
  categories.get('/categories/{id}', {
    scope: readCategories,
    params: { id: category },
    returns: category.entity,
    summary: 'Get a category',
    run: ({ db, store, params }) => find(db, category, store.id, params.id),
  }),
  categories.patch('/categories/{id}', {
    scope: writeCategories,
    params: { id: category },
    body: category.patch,
    returns: category.entity,
    summary: 'Update a category',
    run: ({ tx, store, params, body }) => updateCategory(tx, store, params.id, body),
  }),
  categories.del('/categories/{id}', {
    scope: writeCategories,
    params: { id: category },
    returns: deletedSchema,
    summary: 'Delete a category (products are kept)',
    run: ({ tx, store, params }) => deleteCategory(tx, store, params.id).then(() => deleted),
  }),
  ...translationRoutes(categoryTranslations, {
    tag: 'Categories',
    path: '/categories',
    read: readCategories,
    write: writeCategories,
  }),
  collections.get('/collections', {
    scope: readCategories,
    query: collection.query,
    returns: collection.entity,
    list: true,
    summary: 'List collections',
    run: ({ db, store, query }) => page(db, collection, store, query),
  }),
  collections.post('/collections', {
    scope: writeCategories,
    body: collection.create,
    returns: collection.entity,
    summary: 'Create a collection',
    run: ({ tx, store, body }) => createCollection(tx, store, body),
  }),
  collections.get('/collections/{id}', {
    scope: readCategories,
    params: { id: collection },
    returns: collection.entity,
    summary: 'Get a collection',
    run: ({ db, store, params }) => find(db, collection, store.id, params.id),
  }),
  collections.patch('/collections/{id}', {
    scope: writeCategories,
    params: { id: collection },
    body: collection.patch,
    returns: collection.entity,
    summary: 'Update a collection',
    run: ({ tx, store, params, body }) => updateCollection(tx, store, params.id, body),
  }),
  collections.del('/collections/{id}', {
    scope: writeCategories,
    params: { id: collection },
    returns: deletedSchema,
    summary: 'Delete a collection (products are kept)',
    run: ({ tx, store, params }) => deleteCollection(tx, store, params.id).then(() => deleted),
  }),
  collections.get('/collections/{id}/products', {
    scope: readCategories,
    params: { id: collection },
    query: collected,
    returns: product.entity,
    list: true,
    summary: "List a collection's products",
    run: ({ db, store, params, query }) => listCollected(db, store, params.id, query),
  }),
  collections.act('/collections/{id}/products', {
    scope: writeCategories,
    params: { id: collection },
    body: addition,
    returns: collection.entity,
    summary: "Add or reorder a collection's products",
    run: ({ tx, store, params, body }) => addProducts(tx, store, params.id, body),
  }),
  collections.del('/collections/{id}/products/{product_id}', {
    scope: writeCategories,
    params: { id: collection, product_id: product },
    returns: deletedSchema,
    summary: 'Remove a product from a collection',
    run: ({ tx, store, params }) => removeProduct(tx, store, params.id, params.product_id).then(() => deleted),
  }),
  ...translationRoutes(collectionTranslations, {
    tag: 'Collections',
    path: '/collections',
    read: readCategories,
    write: writeCategories,
  }),
]

/** The feature that a body asks for: tracked stock, wholesale prices. */
function featureOf(body: Record<string, unknown>): string | null {
  const variants = Array.isArray(body.variants) ? body.variants : []
  if (body.track_inventory === true || variants.some((one) => one?.manage_inventory === true)) return 'inventory'
  const wholesale = [body.wholesale_price, body.wholesale_min_quantity].some(
    (value) => value !== undefined && value !== null,
  )
  return wholesale ? 'wholesale' : null
}
