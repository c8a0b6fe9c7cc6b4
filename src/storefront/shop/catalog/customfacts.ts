// The custom fields of a product and of the selected variant, as shoppers read them.
import { html } from 'hono/html'
import { formatAnswer } from '../../../commerce/orders/answers.ts'
import { findProductsForSale, type PublicProduct } from '../../../commerce/catalog/public.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import type { ShownCustomValue } from '../../../tenancy/stores/customvalues.ts'
import type { Html, ShopContext } from '../frame/page.ts'

/** A fact, and the variant that it is about; null: the product. */
export type CustomFact = { label: string; value: Html | string; variant_id: string | null }

/** Reads the products that values name, where there are any. */
export async function listCustomFacts(context: ShopContext, product: PublicProduct): Promise<CustomFact[]> {
  const all = [
    ...product.custom_fields.map((one) => ({ ...one, variant_id: null })),
    ...product.variants.flatMap(({ id, custom_fields }) => custom_fields.map((one) => ({ ...one, variant_id: id }))),
  ]
  const { db, store, translation } = context
  const ids = all.flatMap(({ type, value }) => (type === 'product' ? (toUuid('prod', String(value)) ?? []) : []))
  const products =
    ids.length > 0 ? await findProductsForSale(db, store, { products: ids, variants: [] }, translation) : []
  return all.flatMap(({ variant_id, ...one }) => {
    const value = formatCustomValue(context, one, products)
    return value === null ? [] : [{ label: one.label, value, variant_id }]
  })
}

/** Null where the value names a product that is not for sale. */
function formatCustomValue(
  { t, root, language }: ShopContext,
  { type, value }: ShownCustomValue,
  products: readonly PublicProduct[],
): Html | string | null {
  const text = String(value)
  switch (type) {
    case 'boolean':
    case 'number':
    case 'date':
      return formatAnswer(value, { language, yes: t('yes'), no: t('no') })
    case 'color':
      return html`${swatch(text)} ${text}`
    case 'url':
    case 'file':
      return html`<a${attributes({ href: text, rel: 'nofollow noopener' })}>${readAddressName(text, type)}</a>`
    case 'product': {
      const product = products.find(({ id }) => id === text)
      return product ? html`<a href="${root}/products/${product.slug}">${product.name}</a>` : null
    }
    default:
      return text
  }
}

/** The host of a link, or the last part of a file's path. */
function readAddressName(address: string, type: 'url' | 'file'): string {
  const { host, pathname } = new URL(address)
  return type === 'file' ? pathname.split('/').at(-1) || host : host
}

export function swatch(color: string): Html {
  return html`<svg class="swatch" viewBox="0 0 14 14" aria-hidden="true">
<circle cx="7" cy="7" r="6.5"${attributes({ fill: color })} stroke="currentColor" stroke-opacity=".3"/></svg>`
}
