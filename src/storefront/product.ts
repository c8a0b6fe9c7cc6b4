// A product: its pictures, what there is to choose, its price and stock, and the way into the cart.
import { html } from 'hono/html'
import { findPublicProduct, type PublicProduct } from '../catalog/public.ts'
import { cartCookie, followCart, maximumQuantity, readCart, withLine } from './cart.ts'
import { choiceOf, choicesOf, type Choice } from './choice.ts'
import { dataBlock, metaOf, productData } from './meta.ts'
import { field, type Form, type Html, type Reply, type Visit } from './page.ts'
import { uuidOf } from '../kit/ids.ts'
import { faultOf, frame, picture } from './view.ts'

export async function showProduct(visit: Visit): Promise<Reply> {
  const product = await findProduct(visit)
  const { query } = visit
  const choices = choicesOf(product)
  const named = choices.find(({ variant_id }) => variant_id !== null && variant_id === query.variant)
  const first = named ?? choices.find(({ sells }) => sells) ?? choices[0]!
  const values = product.options.map((_, index) => query[`option.${index}`] ?? first.values[index]!)
  return { page: productPage(visit, product, { values, quantity: query.quantity ?? '1' }) }
}

/** Into the cart. What cannot be had is said beside its field. */
export async function addToCart(visit: Visit): Promise<Reply> {
  const { form, say } = visit
  const product = await findProduct(visit)
  const chosen = choiceOf(choicesOf(product), valuesOf(form, product))
  const quantity = field(form, 'quantity') || '1'
  const refuse = (faults: Faults): Reply =>
    ({ status: 422, page: productPage(visit, product, { values: valuesOf(form, product), quantity, faults }) })

  if (!chosen) return refuse({ options: say('no_such_variant') })
  if (!chosen.sells) return refuse({ options: say(product.options.length > 0 ? 'variant_sold_out' : 'sold_out') })
  if (!/^[1-9]\d{0,2}$/.test(quantity)) return refuse({ quantity: say('quantity_bad', { maximum: maximumQuantity }) })
  const { variant_id } = chosen
  const cart = withLine(readCart(visit), { product_id: uuidOf('prod', product.id)!, variant_id, quantity: Number(quantity) })
  if (!cart) return refuse({ quantity: say('cart_full') })
  await followCart(visit, cart)
  return { to: '/cart?added=1', cookies: { cart: cartCookie(cart) } }
}

async function findProduct({ db, store, params }: Visit): Promise<PublicProduct> {
  return JSON.parse(await findPublicProduct(db, store, params.product!))
}

function valuesOf(form: Form, { options }: PublicProduct): string[] {
  return options.map((_, index) => field(form, `option.${index}`))
}

type Faults = { options?: string; quantity?: string }
type Chosen = { values: string[]; quantity: string; faults?: Faults }

function productPage(visit: Visit, product: PublicProduct, chosen: Chosen): Html {
  const { name, description, slug } = product
  const choices = choicesOf(product)
  const choice = choiceOf(choices, chosen.values)
  return frame(visit, {
    title: name,
    head: html`${metaOf(visit, {
      title: name, description: description ?? name, path: `/products/${slug}`, type: 'product', image: product.main_image,
    })}
${productData(visit, product, choices)}`,
    content: html`<article class="product">
${gallery(visit, product, choice)}
<div class="about">
<h1>${name}</h1>
${priceAndStock(visit, choice)}
${buying(visit, product, choices, chosen)}
${description ? html`<div class="text"><h2>${visit.say('description')}</h2><p>${description}</p></div>` : ''}
${facts(visit, product)}
</div>
</article>
${choices.length > 1 ? dataBlock('application/json', choices.map((one) => forScript(visit, one)), 'choices') : ''}`,
  })
}

function gallery({ say }: Visit, { name, main_image, gallery }: PublicProduct, choice: Choice | undefined): Html {
  const shown = choice?.image ?? main_image
  const others = gallery.filter(({ url }) => url !== shown)
  return html`<div class="gallery" role="group" aria-label="${say('pictures')}"${others.length > 0 ? html` tabindex="0"` : ''}>
<div id="shown">${picture(shown, name, { eager: true })}</div>
${others.map(({ url, alt_text }) => picture(url, alt_text ?? name))}
</div>`
}

function priceAndStock(visit: Visit, choice: Choice | undefined): Html {
  const { price, compare, stock, state } = choice
    ? forScript(visit, choice)
    : { price: '', compare: '', stock: visit.say('no_such_variant'), state: ' out' }
  return html`<div id="offer" aria-live="polite">
<p class="price big"><span id="price">${price}</span> <s id="compare"${compare ? '' : html` hidden`}><span class="hidden">${visit.say('before')} </span><span>${compare}</span></s></p>
<p id="stock" class="stock${state}">${stock}</p>
</div>`
}

/** A choice in words, as the script shows it when another is chosen. */
function forScript({ price, say }: Visit, choice: Choice) {
  return {
    values: choice.values,
    price: price(choice.price),
    compare: choice.compare === null ? '' : price(choice.compare),
    stock: say(!choice.sells ? 'sold_out' : choice.left === null ? 'in_stock' : choice.left === 1 ? 'one_left' : 'left', { count: choice.left ?? 0 }),
    state: !choice.sells ? ' out' : choice.left === null ? '' : ' few',
    sells: choice.sells,
    image: choice.image?.startsWith('https:') ? choice.image : null,
  }
}

function buying({ root, say }: Visit, product: PublicProduct, choices: Choice[], { values, quantity, faults = {} }: Chosen): Html {
  const path = `${root}/products/${product.slug}`
  return html`<form class="buying" method="post" action="${path}" novalidate data-once>
${product.options.map((option, index) => html`
<fieldset${faults.options ? html` aria-describedby="options-fault"` : ''}><legend>${option.title}</legend><div class="chips">
${option.values.map((value) => chip(choices, values, { index, value, isFaulty: index === 0 && faults.options !== undefined }))}
</div></fieldset>`)}
${faultOf('options', faults.options)}
${choices.length > 1 ? html`<noscript><button class="quiet" formmethod="get">${say('show_price')}</button></noscript>` : ''}
<div class="pair">
<p class="field short"><label for="quantity">${say('quantity')}</label>
<input id="quantity" name="quantity" type="number" inputmode="numeric" min="1" max="${maximumQuantity}" value="${quantity}"${faults.quantity ? html` aria-invalid="true" aria-describedby="quantity-fault" autofocus` : ''}></p>
<button id="add"${product.is_purchasable ? '' : html` disabled`}>${say(product.is_purchasable ? 'add_to_cart' : 'sold_out')}</button>
</div>
${faultOf('quantity', faults.quantity)}
</form>`
}

/** Struck through when nothing with it is left beside the other values. */
function chip(
  choices: Choice[], values: string[], { index, value, isFaulty }: { index: number; value: string; isFaulty: boolean },
): Html {
  const sells = choices.some((choice) => choice.sells && choice.values.every((one, at) => one === (at === index ? value : values[at])))
  const isChosen = values[index] === value
  return html`<label class="chip${sells ? '' : ' out'}"><input type="radio" name="option.${index}" value="${value}"${isChosen ? html` checked` : ''}${isFaulty && isChosen ? html` autofocus` : ''}><span>${value}</span></label>`
}

function facts({ say }: Visit, { sku, condition, warranty_months, fast_shipping, invoice_available }: PublicProduct): Html {
  const rows: [string, string][] = []
  if (condition !== 'new') rows.push([say('condition'), say(condition === 'used' ? 'condition_used' : 'condition_refurbished')])
  if (warranty_months) rows.push([say('warranty'), say(warranty_months === 1 ? 'one_month' : 'months', { count: warranty_months })])
  if (fast_shipping) rows.push([say('shipping'), say('fast_shipping')])
  if (invoice_available) rows.push([say('invoice'), say('invoice_available')])
  if (sku) rows.push([say('sku'), sku])
  return rows.length === 0 ? html`` : html`<dl class="facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}
