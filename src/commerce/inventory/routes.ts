import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import { buildRouteVerbs } from '../../kit/declare/route.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { adjustment, inventory, inventoryTransaction, stockSettings } from './inventory.ts'
import { adjustInventory, setStockSettings } from './operations.ts'

const { patch } = buildRouteVerbs<Store>('Inventory')

const inventories = buildCrudRoutes<Store>('Inventory')(inventory, {
  path: '/inventory/products',
  read: 'read:inventory',
  write: 'write:inventory',
  id: 'productId',
})

export const routes = [
  inventories.get({ summary: "Get a product's inventory" }),
  inventories.update(
    ({ tx, store, params, body, actor }) => adjustInventory(tx, store, params.productId, body, actor),
    { body: adjustment, summary: "Adjust a product's stock" },
  ),
  patch('/inventory/products/{productId}/settings', {
    scope: 'write:inventory',
    params: { productId: inventory },
    body: stockSettings,
    returns: inventory.entity,
    summary: 'Update low-stock threshold and backorder setting',
    operationId: 'setStockSettings',
    run: ({ tx, store, params, body }) => setStockSettings(tx, store, params.productId, body),
  }),
  inventories.children(
    inventoryTransaction,
    { path: 'transactions', column: 'product_id' },
    { summary: "List a product's stock movements" },
  ),
]
