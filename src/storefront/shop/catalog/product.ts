// A product: images, options, price and stock, and a form that adds it to the cart.
import { html } from 'hono/html'
import { toUuid } from '../../../kit/values/ids.ts'
import { takesOrders } from '../../checkout/offers/readiness.ts'
import type { ProductCard } from '../../../commerce/catalog/productcard.ts'
import { withStoredItems } from '../../../commerce/catalog/bundle.ts'
import { findDayAhead } from '../../../commerce/catalog/availableon.ts'
import { findPublicProduct, findShownParts, type PublicProduct } from '../../../commerce/catalog/public.ts'
import { readCategoryTrail, type PublicCategory } from '../../../commerce/catalog/publicgroups.ts'
import { formatParts } from '../../../commerce/orders/parts.ts'
import { readRelated } from '../../../commerce/catalog/relatedproducts.ts'
import { buildTermTranslator } from '../../../tenancy/stores/terms.ts'
import { formatLowestBefore, formatUnitPrice, showPrices, taxNote } from './besideprice.ts'
import { cards } from './card.ts'
import { listCustomFacts, type CustomFact } from './customfacts.ts'
import { cartCookie, followCart, maxQuantity, readCart, withLine } from '../frame/cart.ts'
import { matchChoice, listChoices, isOnSale, type Choice } from './choice.ts'
import { filmsFrom, gallery } from './gallery.ts'
import { taxSwitch } from '../frame/headerfooter.ts'
import { renderMeta, buildSeoTexts } from '../frame/meta.ts'
import { renderProse } from '../../branding/prose.ts'
import { assetPath } from '../../../platform/pages/assets.ts'
import type { Form } from '../../../platform/pages/form.ts'
import { aboutField, attributes, renderFieldFault, notice } from '../../../platform/pages/parts.ts'
import { field, runReads, type Html, type ShopResult, type ShopContext, type ShopVisit } from '../frame/page.ts'
import { dataBlock, productData } from './structured.ts'
import { trail } from './trail.ts'
import { getTextLanguage, langOfTerm } from '../frame/langattributes.ts'
import { assets, formatShipsFrom, frame, toLargestImageUrl } from '../frame/view.ts'
import type { ShopTranslate } from '../frame/messages.ts'
import { withBundles } from '../frame/taxview.ts'

export function readProduct(visit: ShopVisit) {
  const { db, store, params, translation } = visit
  return Promise.all([
    findProduct(visit),
    readCategoryTrail(db, store, params.product!, translation),
    readRelated(db, store, params.product!, translation),
  ])
}

export async function showProduct(visit: ShopContext): Promise<ShopResult> {
  const { query } = visit
  const [product, categories, similar] = await runReads(visit, readProduct)
  const context = await withBundles(visit, [product, ...similar])
  const choices = listChoices(product)
  const linkedChoice = choices.find(({ variant_id }) => variant_id !== null && variant_id === query.variant)
  const first = linkedChoice ?? choices.find(({ sells }) => sells) ?? choices[0]!
  const values = product.options.map((_, index) => query[`option.${index}`] ?? first.values[index]!)
  const selection = { values, quantity: query.quantity ?? '1' }
  const around = { categories, related: similar, ...(await describeProduct(context, product)) }
  return { page: productPage(context, product, selection, around), ...filmsFrom(product) }
}

/** Adds to the cart. Errors appear beside their fields. */
export async function addToCart(context: ShopContext): Promise<ShopResult> {
  const { form, t } = context
  const product = await findProduct(context)
  const selection = matchChoice(listChoices(product), readOptionValues(form, product))
  const quantity = field(form, 'quantity') || '1'
  const reject = async (faults: Faults): Promise<ShopResult> => {
    const rejected = { values: readOptionValues(form, product), quantity, faults }
    const shown = await withBundles(context, [product])
    const page = productPage(shown, product, rejected, await describeProduct(shown, product))
    return { status: 422, page, ...filmsFrom(product) }
  }

  if (!selection) return reject({ options: t('no_such_variant') })
  if (!selection.sells) return reject({ options: t(product.options.length > 0 ? 'variant_sold_out' : 'sold_out') })
  if (!/^[1-9]\d{0,2}$/.test(quantity)) return reject({ quantity: t('quantity_bad', { maximum: maxQuantity }) })
  const line = { product_id: toUuid('prod', product.id)!, variant_id: selection.variant_id, quantity: Number(quantity) }
  const cart = withLine(readCart(context), line)
  if (!cart) return reject({ quantity: t('cart_full') })
  await followCart(context, cart)
  return { to: '/cart?added=1', cookies: { cart: cartCookie(cart) } }
}

async function findProduct({ db, store, params, translation }: ShopVisit): Promise<PublicProduct> {
  return (await findPublicProduct(db, store, params.product!, translation)).entity
}

function readOptionValues(form: Form, { options }: PublicProduct): string[] {
  return options.map((_, index) => field(form, `option.${index}`))
}

type Faults = { options?: string; quantity?: string }
type ProductSelection = { values: string[]; quantity: string; faults?: Faults }

type Around = Record<'text' | 'added', Html | ''> & {
  contents: readonly { text: string; variant_id: string | null }[]
  own: readonly CustomFact[]
  categories?: readonly PublicCategory[]
  related?: readonly ProductCard[]
}

async function describeProduct(context: ShopContext, product: PublicProduct): Promise<Around> {
  const [text, contents, added, own] = await Promise.all([
    describe(context, product),
    listContents(context, product),
    context.deps.slots.product(context, product),
    listCustomFacts(context, product),
  ])
  return { text, contents, added, own }
}

async function describe(context: ShopContext, product: PublicProduct): Promise<Html | ''> {
  const { description } = product
  if (!description) return ''
  const prose = await renderProse(description, context.root)
  return html`<div class="text"><h2>${context.t('description')}</h2>
<div class="prose"${attributes({ lang: getTextLanguage(context, product, 'description') })}>${prose}</div></div>`
}

function productPage(context: ShopContext, product: PublicProduct, selection: ProductSelection, around: Around): Html {
  const { name, slug } = product
  const { categories = [], related = [], text, added, own } = around
  const choices = listChoices(product)
  const choice = matchChoice(choices, selection.values)
  const seo = buildSeoTexts(product)
  return frame(context, {
    title: seo.title,
    head: html`${renderMeta(context, {
      title: seo.title,
      description: seo.description ?? name,
      path: `/products/${slug}`,
      type: 'product',
      image: product.main_image,
    })}
${productData(context, { product, choices: first(choices, choice), categories })}`,
    content: html`${context.store.has_subcategories ? trail(context, categories) : ''}
<article class="product">
${gallery(context, product, choices, choice)}
<div class="about">
<h1${attributes({ lang: getTextLanguage(context, product, 'name') })}>${name}</h1>
${priceAndStock(context, product, choice)}
${isOrderable(context, choices) ? '' : notice('warning', context.t('not_ready'))}
${renderContents(around.contents, choice)}
${buying(context, product, choices, selection)}
${added}
${text}
${facts(context, product, own, choices, choice)}
</div>
</article>
${related.length > 0 ? relatedProducts(context, related) : ''}
${drawer(context)}
${
  choices.length > 1
    ? dataBlock(
        'application/json',
        choices.map((one) => toScriptData(context, product, one)),
        'choices',
      )
    : ''
}`,
  })
}

function isOrderable({ offer }: ShopContext, choices: readonly Choice[]): boolean {
  return choices.some(({ ships }) => takesOrders(offer, [{ requires_shipping: ships }]))
}

/** The selected choice comes first for search engines too. */
function first(choices: readonly Choice[], selection: Choice | undefined): readonly Choice[] {
  return selection ? [selection, ...choices.filter((one) => one !== selection)] : choices
}

function relatedProducts(context: ShopContext, products: readonly ProductCard[]): Html {
  return html`<section class="beside"><h2>${context.t('related')}</h2>${cards(context, products)}</section>`
}

function priceAndStock(context: ShopContext, product: PublicProduct, choice: Choice | undefined): Html {
  const { price, compare, unit, lowest, stock, state } = choice
    ? toScriptData(context, product, choice)
    : { price: '', compare: '', unit: '', lowest: '', stock: context.t('no_such_variant'), state: ' out' }
  const before = html`<span class="hidden">${context.t('before')} </span><span>${compare}</span>`
  return html`<div id="offer" aria-live="polite">
<p class="price big"><span id="price">${price}</span>
<s${attributes({ id: 'compare', hidden: !compare })}>${before}</s></p>
<p id="unit" class="soft">${unit}</p>
<p id="lowest" class="soft">${lowest}</p>
<p id="stock" class="stock${state}">${stock}</p>
${isOnSale(product) ? html`<p class="soft">${context.t('sale_text')}</p>` : ''}
${taxNote(context) ? html`<p class="soft">${taxNote(context)} ${taxSwitch(context)}</p>` : ''}
</div>`
}

/** What is in a bundle, or in each of the variants that are bundles. */
async function listContents(
  { db, store, translation, t }: ShopContext,
  product: PublicProduct,
): Promise<{ text: string; variant_id: string | null }[]> {
  const { bundle_items, variants } = withStoredItems(product)
  const bundles = [{ id: null, bundle_items }, ...variants].filter((one) => one.bundle_items !== null)
  const parts = await findShownParts(
    db,
    store.id,
    translation,
    bundles.map((one) => one.bundle_items),
  )
  return bundles.map(({ id }, index) => ({
    text: t('bundle_contents', { items: formatParts(parts[index]!) }),
    variant_id: id,
  }))
}

/** The script shows the contents of the selected variant. */
function renderContents(contents: Around['contents'], choice: Choice | undefined): Html[] {
  return contents.map(({ text, variant_id }) => {
    const isOther = variant_id !== null && variant_id !== choice?.variant_id
    return html`<p${attributes({ 'data-variant': variant_id, hidden: isOther })}>${text}</p>`
  })
}

/** The texts of a choice, for the script that switches between choices. */
function toScriptData(context: ShopContext, product: PublicProduct, choice: Choice) {
  const { price, db, store } = context
  const shown = showPrices(context, choice, product, choice.variant_id)
  const { values, sells, left, image, sku } = choice
  const day = sells ? findDayAhead(db, store, choice.available_on) : null
  return {
    values,
    price: price(shown.price),
    compare: shown.compare === null ? '' : price(shown.compare),
    unit: formatUnitPrice(context, shown),
    lowest: formatLowestBefore(context, shown),
    stock: day ? formatShipsFrom(context, day, choice.ships) : formatStock(context.t, choice),
    state: !sells ? ' out' : left === null && !day ? '' : ' few',
    sells,
    sku: sku ?? '',
    image: toLargestImageUrl(context, image),
    variant: choice.variant_id,
  }
}

/** Hides the exact stock, which is not public. */
function formatStock(t: ShopTranslate, { sells, left }: Choice): string {
  if (!sells) return t('sold_out')
  return t(left === null ? 'in_stock' : 'few_left')
}

/** Stays empty until its script shows the cart in it. */
function drawer({ t }: ShopContext): Html {
  return html`<dialog class="drawer" id="drawer" aria-label="${t('cart')}" tabindex="-1">
<form method="dialog"><button class="quiet" aria-label="${t('close')}">×</button></form>
<div data-cart></div></dialog>
<script src="${assetPath('drawer.js', assets)}" defer></script>`
}

function buying(context: ShopContext, product: PublicProduct, choices: Choice[], selection: ProductSelection): Html {
  const { root, t } = context
  const { slug, options, is_purchasable: sells } = product
  const translateTerm = buildTermTranslator(product.terms)
  const langOfValue = (term: string) => langOfTerm(context, term, translateTerm(term))
  const { values, quantity, faults = {} } = selection
  const takesFocus = (index: number) => index === 0 && faults.options !== undefined
  const number = attributes({
    id: 'quantity',
    name: 'quantity',
    type: 'number',
    inputmode: 'numeric',
    value: quantity,
    min: 1,
    max: maxQuantity,
  })
  return html`<form class="buying" method="post" action="${root}/products/${slug}" novalidate data-once>
${options.map(
  ({ title, values: names }, index) => html`
<fieldset${attributes({ 'aria-describedby': faults.options && 'options-fault' })}>
<legend${attributes({ lang: langOfValue(title) })}>${translateTerm(title)}</legend>
<div class="chips">
${names.map((value) => {
  const words = { text: translateTerm(value), lang: langOfValue(value) }
  return chip(choices, values, { index, value, ...words, takesFocus: takesFocus(index) })
})}
</div></fieldset>`,
)}
${renderFieldFault('options', faults.options)}
${
  choices.length > 1
    ? html`<noscript>
<button class="quiet" formmethod="get">${t('show_price')}</button></noscript>`
    : ''
}
<div class="pair">
<p class="field short"><label for="quantity">${t('quantity')}</label>
<input${number}${aboutField('quantity', { fault: faults.quantity, focus: faults.quantity !== undefined })}></p>
<button${attributes({ id: 'add', disabled: !sells })}>${t(sells ? 'add_to_cart' : 'sold_out')}</button>
</div>
${renderFieldFault('quantity', faults.quantity)}
</form>`
}

type Chip = { index: number; value: string; text: string; lang: string | null; takesFocus: boolean }

/** Struck through if no available choice has it together with the other selected values. */
function chip(choices: Choice[], values: string[], { index, value, text, lang, takesFocus }: Chip): Html {
  const neighbour = values.map((one, at) => (at === index ? value : one))
  const sells = choices.some((choice) => choice.sells && choice.values.every((one, at) => one === neighbour[at]))
  const isSelected = values[index] === value
  const input = attributes({
    type: 'radio',
    name: `option.${index}`,
    value,
    checked: isSelected,
    autofocus: takesFocus && isSelected,
  })
  const label = html`<span${attributes({ lang })}>${text}</span>`
  return html`<label class="chip${sells ? '' : ' out'}"><input${input}>${label}</label>`
}

/** Texts of the product that are facts, each beside the message of its name. */
const textFacts = ['brand'] as const

function facts(
  { t }: ShopContext,
  product: PublicProduct,
  own: readonly CustomFact[],
  choices: readonly Choice[],
  choice?: Choice,
): Html | '' {
  const { condition, warranty_months: months, fast_shipping, requires_shipping, invoice_available } = product
  const rows = [
    ...textFacts.map((name) => product[name] && [t(name), product[name]]),
    condition !== 'new' && [t('condition'), t(condition === 'used' ? 'condition_used' : 'condition_refurbished')],
    months && [t('warranty'), t('months', { count: months })],
    fast_shipping && requires_shipping && [t('fast_shipping'), t('yes')],
    invoice_available && [t('invoice'), t('invoice_available')],
  ].filter((row) => Array.isArray(row))
  // The script replaces it when another choice is selected, and shows the rows of that variant.
  const hasSku = choices.some(({ sku }) => sku !== null)
  if (rows.length === 0 && own.length === 0 && !hasSku) return ''
  const sku = html`<div${attributes({ id: 'sku-row', hidden: !choice?.sku })}><dt>${t('sku')}</dt>
<dd id="sku">${choice?.sku ?? ''}</dd></div>`
  const ownRows = own.map(({ label, value, variant_id }) => {
    const isOther = variant_id !== null && variant_id !== choice?.variant_id
    return html`<div${attributes({ 'data-variant': variant_id, hidden: isOther })}><dt>${label}</dt>
<dd>${value}</dd></div>`
  })
  return html`<dl class="facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
${ownRows}${hasSku ? sku : ''}</dl>`
}
