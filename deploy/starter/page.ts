// A page with the products of a store. The storefront API needs no key.
import type { Stoa, Store } from './stoa/index.ts'

export async function productsPage(stoa: Stoa, store: Store) {
  const { data } = await stoa.storefront.products.list(store.slug, { per_page: 20 })
  const items = data.map(
    ({ name, slug, price }) =>
      `<li><a href="${escaped(`${store.storefront_url}/products/${slug}`)}">${escaped(name)}</a> ${price} ${store.currency}</li>`,
  )
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(store.name)}</title>
<h1>${escaped(store.name)}</h1><ul>${items.join('\n')}</ul></html>`
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)
}
