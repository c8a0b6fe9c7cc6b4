// A product: its pictures, what there is to choose, its price and stock, and the way into the cart.
import { html } from 'hono/html'
import { uuidOf } from '../../../kit/values/ids.ts'
import { takesOrders } from '../../checkout/offers/readiness.ts'
import { findPublicProduct, type PublicProduct } from '../../../commerce/catalog/public.ts'
import { findCategoryOfProduct, type PublicCategory } from '../../../commerce/catalog/publicgroups.ts'
import { readRelated } from '../../../commerce/catalog/related.ts'
import { termsOf } from '../../../tenancy/stores/terms.ts'
import { containsTax } from '../../../commerce/tax/treatment.ts'
import { cards } from './card.ts'
import { cartCookie, followCart, maximumQuantity, readCart, withLine } from '../frame/cart.ts'
import { choiceOf, choicesOf, type Choice } from './choice.ts'
import { filmsFrom, gallery } from './gallery.ts'
import { metaOf } from '../frame/meta.ts'
import type { Form } from '../../../platform/pages/form.ts'
import { aboutField, attributes, faultOf, notice } from '../../../platform/pages/parts.ts'
import { field, type Html, type Reply, type Visit } from '../frame/page.ts'
import { dataBlock, productData } from './structured.ts'
import { langOf, langOfTerm } from '../frame/tongue.ts'
import { frame, largestOf } from '../frame/view.ts'
import type { Say } from '../frame/words.ts'

export async function showProduct(visit: Visit): Promise<Reply> {
  const { db, store, params, query, translation } = visit
  const [product, category, related] = await Promise.all([
    findProduct(visit),
    findCategoryOfProduct(db, store.id, params.product!, translation),
    readRelated(db, store, params.product!, translation),
  ])
  const choices = choicesOf(product)
  const named = choices.find(({ variant_id }) => variant_id !== null && variant_id === query.variant)
  const first = named ?? choices.find(({ sells }) => sells) ?? choices[0]!
  const values = product.options.map((_, index) => query[`option.${index}`] ?? first.values[index]!)
  const chosen = { values, quantity: query.quantity ?? '1' }
  return { page: productPage(visit, product, chosen, { category, related }), ...filmsFrom(product) }
}

/** Into the cart. What cannot be had is said beside its field. */
export async function addToCart(visit: Visit): Promise<Reply> {
  const { form, say } = visit
  const product = await findProduct(visit)
  const chosen = choiceOf(choicesOf(product), valuesOf(form, product))
  const quantity = field(form, 'quantity') || '1'
  const refuse = (faults: Faults): Reply => ({
    status: 422,
    page: productPage(visit, product, { values: valuesOf(form, product), quantity, faults }),
    ...filmsFrom(product),
  })

  if (!chosen) return refuse({ options: say('no_such_variant') })
  if (!chosen.sells) return refuse({ options: say(product.options.length > 0 ? 'variant_sold_out' : 'sold_out') })
  if (!/^[1-9]\d{0,2}$/.test(quantity)) return refuse({ quantity: say('quantity_bad', { maximum: maximumQuantity }) })
  const line = { product_id: uuidOf('prod', product.id)!, variant_id: chosen.variant_id, quantity: Number(quantity) }
  const cart = withLine(readCart(visit), line)
  if (!cart) return refuse({ quantity: say('cart_full') })
  await followCart(visit, cart)
  return { to: '/cart?added=1', cookies: { cart: cartCookie(cart) } }
}

async function findProduct({ db, store, params, translation }: Visit): Promise<PublicProduct> {
  return (await findPublicProduct(db, store, params.product!, translation)).entity
}

function valuesOf(form: Form, { options }: PublicProduct): string[] {
  return options.map((_, index) => field(form, `option.${index}`))
}

type Faults = { options?: string; quantity?: string }
type Chosen = { values: string[]; quantity: string; faults?: Faults }

type Around = { category?: PublicCategory | undefined; related?: readonly PublicProduct[] }

function productPage(visit: Visit, product: PublicProduct, chosen: Chosen, around: Around = {}): Html {
  const { name, description, slug } = product
  const { category, related = [] } = around
  const choices = choicesOf(product)
  const choice = choiceOf(choices, chosen.values)
  return frame(visit, {
    title: name,
    head: html`${metaOf(visit, {
      title: name,
      description: description ?? name,
      path: `/products/${slug}`,
      type: 'product',
      image: product.main_image,
    })}
${productData(visit, { product, choices: first(choices, choice), category })}`,
    content: html`<article class="product">
${gallery(visit, product, choices, choice)}
<div class="about">
<h1${attributes({ lang: langOf(visit, product, 'name') })}>${name}</h1>
${priceAndStock(visit, choice)}
${takesOrders(visit.offer) ? '' : notice('warning', visit.say('not_ready'))}
${buying(visit, product, choices, chosen)}
${
  description
    ? html`<div class="text"><h2>${visit.say('description')}</h2>
<p${attributes({ lang: langOf(visit, product, 'description') })}>${description}</p></div>`
    : ''
}
${facts(visit, product, choices, choice)}
</div>
</article>
${related.length > 0 ? beside(visit, related) : ''}
${
  choices.length > 1
    ? dataBlock(
        'application/json',
        choices.map((one) => forScript(visit, one)),
        'choices',
      )
    : ''
}`,
  })
}

/** What is on the page comes first for search engines too. */
function first(choices: readonly Choice[], chosen: Choice | undefined): readonly Choice[] {
  return chosen ? [chosen, ...choices.filter((one) => one !== chosen)] : choices
}

function beside(visit: Visit, related: readonly PublicProduct[]): Html {
  return html`<section class="beside"><h2>${visit.say('related')}</h2>${cards(visit, related)}</section>`
}

function priceAndStock(visit: Visit, choice: Choice | undefined): Html {
  const { price, compare, stock, state } = choice
    ? forScript(visit, choice)
    : { price: '', compare: '', stock: visit.say('no_such_variant'), state: ' out' }
  const before = html`<span class="hidden">${visit.say('before')} </span><span>${compare}</span>`
  return html`<div id="offer" aria-live="polite">
<p class="price big"><span id="price">${price}</span>
<s${attributes({ id: 'compare', hidden: !compare })}>${before}</s></p>
<p id="stock" class="stock${state}">${stock}</p>
${containsTax(visit.offer, visit.store) ? html`<p class="soft">${visit.say('tax_within')}</p>` : ''}
</div>`
}

/** A choice in words, as the script shows it when another is chosen. */
function forScript(visit: Visit, choice: Choice) {
  const { price, say } = visit
  const { values, sells, left, image, sku } = choice
  return {
    values,
    price: price(choice.price),
    compare: choice.compare === null ? '' : price(choice.compare),
    stock: stockOf(say, choice),
    state: !sells ? ' out' : left === null ? '' : ' few',
    sells,
    sku: sku ?? '',
    image: largestOf(visit, image),
  }
}

/** How many there are is the merchant's to know. */
function stockOf(say: Say, { sells, left }: Choice): string {
  if (!sells) return say('sold_out')
  return say(left === null ? 'in_stock' : 'few_left')
}

function buying(visit: Visit, product: PublicProduct, choices: Choice[], chosen: Chosen): Html {
  const { root, say } = visit
  const { slug, options, is_purchasable: sells } = product
  const called = termsOf(product.terms)
  const langOfWord = (term: string) => langOfTerm(visit, term, called(term))
  const { values, quantity, faults = {} } = chosen
  const takesFocus = (index: number) => index === 0 && faults.options !== undefined
  const number = attributes({
    id: 'quantity',
    name: 'quantity',
    type: 'number',
    inputmode: 'numeric',
    value: quantity,
    min: 1,
    max: maximumQuantity,
  })
  return html`<form class="buying" method="post" action="${root}/products/${slug}" novalidate data-once>
${options.map(
  ({ title, values: names }, index) => html`
<fieldset${attributes({ 'aria-describedby': faults.options && 'options-fault' })}>
<legend${attributes({ lang: langOfWord(title) })}>${called(title)}</legend>
<div class="chips">
${names.map((value) => {
  const words = { text: called(value), lang: langOfWord(value) }
  return chip(choices, values, { index, value, ...words, takesFocus: takesFocus(index) })
})}
</div></fieldset>`,
)}
${faultOf('options', faults.options)}
${
  choices.length > 1
    ? html`<noscript>
<button class="quiet" formmethod="get">${say('show_price')}</button></noscript>`
    : ''
}
<div class="pair">
<p class="field short"><label for="quantity">${say('quantity')}</label>
<input${number}${aboutField('quantity', { fault: faults.quantity, focus: faults.quantity !== undefined })}></p>
<button${attributes({ id: 'add', disabled: !sells })}>${say(sells ? 'add_to_cart' : 'sold_out')}</button>
</div>
${faultOf('quantity', faults.quantity)}
</form>`
}

type Chip = { index: number; value: string; text: string; lang: string | null; takesFocus: boolean }

/** Struck through when nothing with it is left beside the other values. */
function chip(choices: Choice[], values: string[], { index, value, text, lang, takesFocus }: Chip): Html {
  const beside = values.map((one, at) => (at === index ? value : one))
  const sells = choices.some((choice) => choice.sells && choice.values.every((one, at) => one === beside[at]))
  const isChosen = values[index] === value
  const input = attributes({
    type: 'radio',
    name: `option.${index}`,
    value,
    checked: isChosen,
    autofocus: takesFocus && isChosen,
  })
  const word = html`<span${attributes({ lang })}>${text}</span>`
  return html`<label class="chip${sells ? '' : ' out'}"><input${input}>${word}</label>`
}

function facts({ say }: Visit, product: PublicProduct, choices: readonly Choice[], choice?: Choice): Html | '' {
  const { brand, condition, warranty_months: months, fast_shipping, invoice_available } = product
  const rows = [
    brand && [say('brand'), brand],
    condition !== 'new' && [say('condition'), say(condition === 'used' ? 'condition_used' : 'condition_refurbished')],
    months && [say('warranty'), say('months', { count: months })],
    fast_shipping && [say('fast_shipping'), say('yes')],
    invoice_available && [say('invoice'), say('invoice_available')],
  ].filter((row) => Array.isArray(row))
  // The script says that of another choice in the same place.
  const hasSku = choices.some(({ sku }) => sku !== null)
  if (rows.length === 0 && !hasSku) return ''
  const sku = html`<div${attributes({ id: 'sku-row', hidden: !choice?.sku })}><dt>${say('sku')}</dt>
<dd id="sku">${choice?.sku ?? ''}</dd></div>`
  return html`<dl class="facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
${hasSku ? sku : ''}</dl>`
}
