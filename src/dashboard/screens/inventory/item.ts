// An editable grid of one product's stock with all variants.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { stockedProduct } from '../../../commerce/catalog/stockedproduct.ts'
import { placeBelow } from '../../framework/placement.ts'
import { record } from '../../framework/record.ts'
import { grid, buildStockLines, saveGrid } from './grid.ts'
import { inventoryScreen } from './inventory.ts'

const maxLines = 500

export const stockScreen = record({
  path: '/inventory/{productId}',
  ...placeBelow(inventoryScreen),
  resource: stockedProduct,
  limits: { fields: 3 * maxLines + 100, bytes: 512 * 1024 },
  actions: { save: saveGrid },
  name: ({ name }) => name,
  buttons: [{ to: (_, { params }) => `/products/${params.productId!}/stock`, text: 'stock_view_adjust' }],
  main: [
    (context, product) => {
      const lines = buildStockLines(product)
      if (lines.length === 0) return html`<p>${context.t('stock_not_tracked')}</p>`
      return grid(context, [{ lines }], mayUse(context.role, 'write:inventory'))
    },
  ],
})
