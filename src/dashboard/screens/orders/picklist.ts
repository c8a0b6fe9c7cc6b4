// A pick list: what to take from the shelves for some orders, by product, variant and SKU.
import { html } from 'hono/html'
import { fulfillable } from '../../../commerce/orders/item.ts'
import { sql } from '../../../kit/database/sql.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { titleOf } from './address.ts'

type PickLine = {
  product_name: string
  variant_name: string | null
  sku: string | null
  quantity: number
  orders: string
}

/** The orders by their uuids. */
export async function pickList({ db, store, t }: PageContext, ids: readonly string[]): Promise<Html> {
  const lines = await db.rows<PickLine>(sql`
    select product_name, variant_name, order_items.sku, sum(${fulfillable})::int as quantity,
      string_agg('#' || order_number, ', ' order by order_number) as orders
    from order_items
    join orders on orders.store_id = ${store.id}
      and orders.id = order_items.order_id
    where order_items.store_id = ${store.id}
      and order_items.order_id = any(${ids}::uuid[])
      and ${fulfillable} > 0
      and orders.status not in ('cancelled', 'returned')
    group by product_id, variant_id, product_name, variant_name, order_items.sku
    order by product_name, variant_name, order_items.sku`)
  const rows = lines.map(
    (line) => html`<tr><td class="box" aria-hidden="true">☐</td><td><strong>${titleOf(line)}</strong>
<small>${line.orders}</small></td><td>${line.sku ?? ''}</td><td class="number">${line.quantity}</td></tr>`,
  )
  return html`<header><h2>${store.name}</h2><p>${t('print_picklist')}</p></header>
<table class="plain"><thead><tr><td></td><th scope="col">${t('items')}</th><th scope="col">${t('sku')}</th>
<th scope="col" class="number">${t('quantity')}</th></tr></thead><tbody>${rows}</tbody></table>`
}
