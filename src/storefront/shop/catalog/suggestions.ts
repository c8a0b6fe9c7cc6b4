// What a search would find, for the list below the search field: a fragment that the script puts there.
import { html } from 'hono/html'
import { attributes } from '../../../platform/pages/parts.ts'
import { runReads, type Html, type ShopContext, type ShopResult, type ShopVisit } from '../frame/page.ts'
import { getTextLanguage } from '../frame/langattributes.ts'
import { picture } from '../frame/view.ts'
import { withBundles } from '../frame/taxview.ts'
import { showListPrice } from './besideprice.ts'
import { readProducts, readSearchText } from './home.ts'

const maxSuggestions = 6
/** A single letter finds most of a shop. */
const minLetters = 2

export async function readSuggestions(visit: ShopVisit) {
  if (readSearchText(visit).length < minLetters) return []
  return (await readProducts(visit, 'relevance')).data.slice(0, maxSuggestions)
}

export async function suggestions(visit: ShopContext): Promise<ShopResult> {
  const { root, t, price } = visit
  const products = await runReads(visit, readSuggestions)
  const context = await withBundles(visit, products)
  const rows = products.map((product): Html => {
    const { lowest, isFrom } = showListPrice(context, product)
    const { slug, main_image, name } = product
    return html`<li><a href="${root}/products/${slug}">${picture(context, main_image, '', { name })}
<span${attributes({ lang: getTextLanguage(context, product, 'name') })}>${name}</span>
<span class="sum">${isFrom ? t('from_price', { price: price(lowest.price) }) : price(lowest.price)}</span></a></li>`
  })
  return { page: html`<ul>${rows}</ul><p role="status" class="hidden">${t('products', { count: rows.length })}</p>` }
}
