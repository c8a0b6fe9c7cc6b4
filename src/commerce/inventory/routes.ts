import { find, page } from '../../kit/declare/page.ts'
import { routesOf } from '../../kit/declare/route.ts'
import { sql } from '../../kit/database/sql.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { adjustment, inventory, inventoryTransaction, stockSettings } from './inventory.ts'
import { adjustInventory, setStockSettings } from './operations.ts'

const { get, patch } = routesOf<Store>('Inventory')

const params = { productId: inventory }

export const routes = [
  get('/inventory/products/{productId}', {
    scope: 'read:inventory',
    params,
    returns: inventory.entity,
    summary: "Get a product's inventory",
    run: ({ db, store, params }) => find(db, inventory, store.id, params.productId),
  }),
  patch('/inventory/products/{productId}', {
    scope: 'write:inventory',
    params,
    body: adjustment,
    returns: inventory.entity,
    summary: "Adjust a product's stock",
    run: ({ tx, store, params, body, actor }) => adjustInventory(tx, store, params.productId, body, actor),
  }),
  patch('/inventory/products/{productId}/settings', {
    scope: 'write:inventory',
    params,
    body: stockSettings,
    returns: inventory.entity,
    summary: 'Update low-stock threshold and backorder setting',
    operationId: 'setStockSettings',
    run: ({ tx, store, params, body }) => setStockSettings(tx, store, params.productId, body),
  }),
  get('/inventory/products/{productId}/transactions', {
    scope: 'read:inventory',
    params,
    query: inventoryTransaction.query,
    returns: inventoryTransaction.entity,
    list: true,
    summary: "List a product's stock movements",
    async run({ db, store, params, query }) {
      await find(db, inventory, store.id, params.productId)
      return page(db, inventoryTransaction, store, query, sql`inventory_transactions.product_id = ${params.productId}`)
    },
  }),
]
