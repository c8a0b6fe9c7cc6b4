// An editable grid of one product's stock with all variants.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import { stockedProduct } from '../../../commerce/catalog/stockedproduct.ts'
import type { Screen } from '../../framework/screen.ts'
import { grid, buildStockLines, saveGrid } from './grid.ts'
import { inventoryScreen } from './inventory.ts'
import { placeBelow } from '../../framework/placement.ts'

const maxLines = 500

export const stockScreen: Screen = {
  path: '/inventory/{productId}',
  ...placeBelow(inventoryScreen),
  params: { productId: stockedProduct },
  limits: { fields: 3 * maxLines + 100, bytes: 512 * 1024 },
  actions: { save: saveGrid },
  async show(context) {
    const { db, store, ids, t, base, params, role } = context
    const { entity } = await findRecord(db, stockedProduct, store.id, ids.productId!)
    const lines = buildStockLines(entity)
    const table = await grid(context, [{ lines }], mayUse(role, 'write:inventory'))
    const history = html`<a class="button quiet" href="${base}/products/${params.productId!}/stock">${t(
      'stock_view_adjust',
    )}</a>`
    return {
      title: entity.name,
      buttons: history,
      content: lines.length > 0 ? table : html`<p>${t('stock_not_tracked')}</p>`,
    }
  },
}
