// A product as a row of lists shows it.
import { html } from 'hono/html'
import type { Product } from '../../../commerce/catalog/product.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { previewOf } from '../../framework/picturepreview.ts'

export const statusTones = { active: 'good', draft: 'warn', archived: 'plain' } as const

/** Its name leads to where it is edited. */
export function thing({ base, store }: PageContext, { id, name, sku, main_image }: Product): Html {
  const picture = main_image
    ? html`<img src="${previewOf(main_image, store.id)}" alt="" loading="lazy" width="40" height="40">`
    : html`<i></i>`
  return html`<span class="thing">${picture}<span><a class="main" href="${base}/products/${id}">${name}</a>${
    sku ? html`<small>${sku}</small>` : ''
  }</span></span>`
}
