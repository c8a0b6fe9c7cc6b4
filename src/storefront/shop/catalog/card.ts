// Cards in lists of the shop: a product with image and price, a collection with its image.
import { html } from 'hono/html'
import type { ProductCard } from '../../../commerce/catalog/productcard.ts'
import type { PublicCollection } from '../../../commerce/catalog/publicgroups.ts'
import type { Language } from '../../../kit/values/language.ts'
import { percentIn } from '../../../kit/values/percents.ts'
import { formatLowestBefore, formatUnitPrice, showListPrice, taxNote } from './besideprice.ts'
import { isOnSale } from './choice.ts'
import type { Html, ShopContext } from '../frame/page.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { getTextLanguage } from '../frame/langattributes.ts'
import { picture } from '../frame/view.ts'

// Must match catalogue.css: two in a row on a phone, otherwise as many as fit with 14rem each.
const cardSizes = '(min-width: 40rem) 20rem, calc(50vw - 1.5rem)'

/** `eager`: the number of cards visible without scrolling. */
export function cards(context: ShopContext, products: readonly ProductCard[], eager = 0): Html {
  return html`<ul class="grid">${products.map((product, index) => card(context, product, index < eager))}</ul>`
}

function card(context: ShopContext, product: ProductCard, isFirst: boolean): Html {
  const { root, t, price, language } = context
  const { lowest, isFrom, percent } = showListPrice(context, product)
  const tax = context.taxView.way === 'excluded' ? taxNote(context) : null
  const besides = [tax, formatUnitPrice(context, lowest), formatLowestBefore(context, lowest)].filter(Boolean)
  const sale = percent > 0 ? percentOff(language, percent) : isOnSale(product) ? t('sale') : ''
  const badge = product.is_purchasable ? sale : t('sold_out')
  return html`<li class="card${product.is_purchasable ? '' : ' out'}"><a href="${root}/products/${product.slug}">
${picture(context, product.main_image, product.name, { eager: isFirst, sizes: cardSizes })}
${badge ? html`<span class="badge">${badge}</span>` : ''}
<h2${attributes({ lang: getTextLanguage(context, product, 'name') })}>${product.name}</h2>
<p class="price">${isFrom ? t('from_price', { price: price(lowest.price) }) : price(lowest.price)}
${lowest.compare ? html`<s><span class="hidden">${t('before')} </span>${price(lowest.compare)}</s>` : ''}</p>
${besides.map((text) => html`<p class="soft">${text}</p>`)}
</a></li>`
}

function percentOff(language: Language, percent: number): string {
  return percentIn(language)(-percent / 100).replace('-', '−')
}

export function collectionCards(context: ShopContext, collections: readonly PublicCollection[]): Html {
  return html`<section class="shelf"><h2>${context.t('collections')}</h2>
<ul class="grid">${collections.map(
    ({ slug, name, image, ...collection }) => html`<li class="card"><a href="${context.root}/collections/${slug}">
${picture(context, image, '', { name, sizes: cardSizes })}
<h3${attributes({ lang: getTextLanguage(context, collection, 'name') })}>${name}</h3></a></li>`,
  )}</ul></section>`
}
