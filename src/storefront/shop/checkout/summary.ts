// The lines and totals, with the discount code and the button that places the order.
import { html } from 'hono/html'
import { euCountries } from '../../../kit/values/countries.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { discountRows, findWaiver } from '../../../commerce/orders/discountrows.ts'
import type { AppliedDiscountView } from '../../../commerce/orders/item.ts'
import { listSupplies, type SuppliedOrder } from '../../../commerce/orders/supply.ts'
import type { NamedPart } from '../../../commerce/orders/parts.ts'
import type { Checkout } from '../../checkout/cart/view.ts'
import { severalTaxes, taxName } from '../../../commerce/tax/summary.ts'
import type { TaxLine } from '../../../commerce/tax/taxline.ts'
import { renderFieldFault } from '../../../platform/pages/parts.ts'
import { codeField } from '../cart/codes.ts'
import type { Html, ShopContext } from '../frame/page.ts'
import type { CheckoutParts } from './props.ts'
import { picture, renderParts, renderShipsFrom } from '../frame/view.ts'

export function summary(parts: CheckoutParts): Html {
  const {
    context: { t, root },
    checkout,
  } = parts
  return html`<aside class="summary" id="summary" data-swap aria-labelledby="summary-title">
<input type="hidden" name="total" value="${checkout.total}">
<div class="bar"><h2 id="summary-title">${t('summary')}</h2><a href="${root}/cart">${t('edit_cart')}</a></div>
<ul class="lines">${checkout.items.map((item, index) => itemLine(parts, item, index))}
${bumpLines(parts.context, checkout.order_bumps)}</ul>
${discount(parts)}
${totals(parts)}
<noscript><p><button class="quiet full" name="act" value="apply">${t('update_total')}</button></p></noscript>
</aside>`
}

/** The last step, below payment and, on a phone, below the summary: what is ordered stands right above it. */
export function placing(parts: CheckoutParts): Html {
  const { context, checkout } = parts
  const { t, price } = context
  return html`<div class="placing" id="placing" data-swap>
${renderAcceptance(context)}
<button class="full" id="place" name="act" value="place">
${t(placeOrderKey(parts), { price: price(checkout.total) })}</button>
</div>`
}

/** Links the terms and policies that the button accepts. */
function renderAcceptance({ face, t, language, root }: ShopContext): Html | '' {
  const terms = face.policies.filter(({ kind }) => kind === 'terms' || kind === 'returns')
  if (terms.length === 0) return ''
  const links = terms.map(
    ({ slug, title, titles }) =>
      html`<a href="${root}/pages/${slug}" target="_blank">${titles?.[language] ?? title}</a>`,
  )
  const names = new Intl.ListFormat(language).formatToParts(links.map((_, index) => String(index)))
  const list = names.map(({ type, value }) => (type === 'element' ? links[Number(value)]! : value))
  const [before, after] = t('accept', { policies: '|' }).split('|')
  return html`<p class="soft">${before}${list}${after}</p>`
}

/** In the EU the button must say that the order costs money (Directive 2011/83, article 8). */
function placeOrderKey({ context: { store }, values }: CheckoutParts): 'place' | 'place_paying' {
  const countries = [store.country_code, values['shipping_address.country_code']]
  return countries.some((country) => euCountries.has(country)) ? 'place_paying' : 'place'
}

type CheckoutLine = Checkout['items'][number]

function itemLine({ context, errors, thumbnails }: CheckoutParts, item: CheckoutLine, index: number): Html {
  const fault = Object.entries(errors).find(([field]) => field.startsWith(`items.${index}.`))?.[1]
  const image = bumpImage(context, item.bump_id) ?? thumbnails[index]?.image
  const parts = thumbnails[index]?.parts
  return summaryLine(context, { ...item, parts }, image, renderFieldFault(`items.${index}`, fault))
}

type SummaryItem = Pick<CheckoutLine, 'product_name' | 'variant_name' | 'quantity' | 'total_price'> & {
  parts?: readonly NamedPart[] | null | undefined
  available_on?: string | null | undefined
}

/** A line of a checkout or of an order. */
export function summaryLine(
  context: ShopContext,
  item: SummaryItem,
  image: string | null | undefined,
  fault: Html | '' = '',
): Html {
  const { price, t } = context
  const name = item.product_name || t('gone_product')
  const notes = html`${renderParts(item.parts)}${renderShipsFrom(context, item)}`
  return html`<li>${picture(context, image, name)}
<div><p class="name">${name}${item.variant_name ? html` <small>${item.variant_name}</small>` : ''}</p>
<p class="soft">${t('pieces', { count: item.quantity })}</p>${notes}${fault}</div>
<p class="sum">${price(item.total_price)}</p></li>`
}

/** Accepted order bumps without a product. */
export function bumpLines(context: ShopContext, bumps: readonly Partial<Checkout['order_bumps'][number]>[]): Html[] {
  const { price, translateTerm } = context
  return bumps.map(
    ({ bump_id, title = '', price: cost = 0 }) => html`<li>${picture(context, bumpImage(context, bump_id), title)}
<p class="name">${translateTerm(title)}</p><p class="sum">${price(cost)}</p></li>`,
  )
}

/** The image of the offered bump. */
function bumpImage({ offer }: ShopContext, bumpId: string | null | undefined): string | null | undefined {
  return offer.order_bumps.find(({ id }) => publicId('bump', id) === bumpId)?.image
}

function discount({ context, checkout, values, errors, focusField }: CheckoutParts): Html {
  return codeField(context, {
    codes: checkout.discount_codes,
    discounts: checkout.discounts,
    shipping: checkout.totals.shipping,
    value: values.discount_code,
    fault: errors.discount_code,
    isFocused: focusField === 'discount_code',
  })
}

function totals({ context, checkout }: CheckoutParts): Html {
  const { included_tax } = checkout.totals
  const discounts = checkout.discounts.filter(({ applied }) => applied)
  const isOpen = checkout.shipping_method === null
  const { country_code } = checkout.shipping_address
  return renderTotals(context, { ...checkout, country_code, discount_code: null, discounts, included_tax, isOpen })
}

type SummaryTotals = SuppliedOrder & {
  subtotal: number
  discount: number
  discount_code: string | null
  discounts: readonly Pick<AppliedDiscountView, 'label' | 'amount'>[]
  shipping: number
  tax: number
  included_tax: number
  taxes: readonly Pick<TaxLine, 'reason' | 'name' | 'rate' | 'amount'>[]
  total: number
  /** True until a shipping rate is chosen. */
  isOpen?: boolean
}

/** Totals of a checkout or of an order. */
export function renderTotals(context: ShopContext, sums: SummaryTotals): Html {
  const { t, price } = context
  const { subtotal, discount, discount_code: code, discounts, shipping, total, isOpen } = sums
  const discounted = { discount_amount: discount, discount_code: code, discounts }
  const waiver = findWaiver(discounted)
  const shippingName = waiver !== null && shipping === 0 ? t('shipping_with', { code: waiver }) : t('shipping')
  const renderTotalRow = (name: string, amount: string) =>
    html`<div class="row"><dt>${name}</dt> <dd>${amount}</dd></div>`
  return html`<dl class="totals">
${renderTotalRow(t('subtotal'), price(subtotal))}
${discountRows(discounted).map(({ name, amount }) =>
  amount > 0 ? renderTotalRow(name ? t('discount_with', { code: name }) : t('discount'), `−${price(amount)}`) : '',
)}
${renderTotalRow(shippingName, shipping > 0 ? price(shipping) : t(isOpen ? 'not_yet' : 'free'))}
${addedTaxes(context, sums).map(({ name, amount }) => renderTotalRow(name, price(amount)))}
<div class="row total"><dt>${t('total')}</dt> <dd id="total">${price(total)}</dd></div>
</dl>
${taxNote(context, sums)}`
}

/** Several taxes have one row each. */
function addedTaxes({ t, language }: ShopContext, { tax, taxes }: SummaryTotals): { name: string; amount: number }[] {
  if (tax === 0) return []
  const several = severalTaxes(taxes).map((one) => ({ name: taxName(one, language), amount: one.amount }))
  return several.length > 0 ? several : [{ name: t('tax'), amount: tax }]
}

const untaxedReasons = ['reverse_charge', 'exempt', 'export'] as const

/** The included tax, or the reason for no tax. */
function taxNote({ t, price, language, store }: ShopContext, sums: SummaryTotals): Html | '' {
  const { included_tax, taxes } = sums
  const reason = untaxedReasons.find(
    (candidate) => taxes.length > 0 && taxes.every((line) => line.reason === candidate),
  )
  if (reason) {
    const words = reason === 'reverse_charge' ? listSupplies(sums, store.country_code) : [reason]
    return html`<p class="soft">${words.map((word) => t(`untaxed_${word}`)).join(' ')}</p>`
  }
  if (included_tax === 0) return ''
  const several = severalTaxes(taxes).map((one) => `${taxName(one, language)}: ${price(one.amount)}`)
  const parts = several.length > 0 ? ` (${several.join(', ')})` : ''
  return html`<p class="soft">${t('tax_included', { price: price(included_tax) })}${parts}</p>`
}
