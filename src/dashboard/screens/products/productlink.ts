// A product's image, name and SKU in lists.
import { html } from 'hono/html'
import type { Product } from '../../../commerce/catalog/product.ts'
import { mark, thumbnail } from '../../framework/parts.ts'
import type { Html, PageContext } from '../../framework/screen.ts'

const statusTones = { active: 'good', draft: 'warn', scheduled: 'half', archived: 'plain' } as const

/** The status as a mark. A draft with a publication time is scheduled. */
export function renderProductStatus({ t }: PageContext, { product_status, publish_at }: ShownStatus): Html {
  const status = publish_at === null ? product_status : 'scheduled'
  return mark(t(`product_status_${status}`), statusTones[status])
}

type ShownStatus = Pick<Product, 'product_status' | 'publish_at'>

/** Links the name to the product's screen. */
export function productLink({ base, store }: PageContext, { id, name, sku, main_image }: Product): Html {
  const picture = thumbnail(main_image, store.id)
  return html`<span class="thing">${picture}<span><a class="main" href="${base}/products/${id}">${name}</a>${
    sku ? html`<small>${sku}</small>` : ''
  }</span></span>`
}
