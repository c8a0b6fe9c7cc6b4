// The page of the checkout. The script replaces elements with data-swap after a choice.
import { html } from 'hono/html'
import type { Fault } from '../../../kit/values/faults.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { areAnyShipped } from '../../../commerce/orders/load.ts'
import { formatArrivalDays, formatMethodName } from '../../checkout/offers/names.ts'
import { formatMarketingText } from '../../checkout/offers/marketing.ts'
import { availableBumps, type OfferedBump, type OfferedRate } from '../../checkout/offers/offer.ts'
import {
  deliversElsewhere,
  findOnlyRate,
  getAddressCountry,
  methodsWith,
  needsBillingCountry,
  ratesOffered,
} from '../../checkout/offers/shipping.ts'
import { isAboutCode } from '../../../commerce/discounts/codes.ts'
import type { CheckoutMethod } from '../../../commerce/payments/method.ts'
import { listWallets } from '../../../commerce/payments/providers.ts'
import { attributes, choice, hidden, renderFieldFault, notice } from '../../../platform/pages/parts.ts'
import { answerFields } from './answerfields.ts'
import { faultyFields } from './checkoutform.ts'
import { fieldErrors } from '../frame/fielderrors.ts'
import { fieldsIn, small } from './formfields.ts'
import { rowsIn } from '../frame/formrows.ts'
import type { Html, ShopContext } from '../frame/page.ts'
import { testPayment } from './pay.ts'
import type { CheckoutParts, CheckoutProps } from './props.ts'
import { placing, summary } from './summary.ts'
import { frame, toLargestImageUrl, offline, buildImageSource, spoken } from '../frame/view.ts'
import type { CustomerAddress } from '../../../commerce/customers/address.ts'
import { accountPath } from '../frame/shopper.ts'

export function checkoutPage(context: ShopContext, props: CheckoutProps): Html {
  const { t, price, root } = context
  // The codes of the checkout say themselves why they do not apply.
  const changes = props.checkout.changes.filter((one) => !isAboutCode(one))
  const errors = fieldErrors(context, [...nameCodeField(props.faults), ...changes])
  const country = props.values['shipping_address.country_code'] || null
  const [focusField] = faultyFields(nameCodeField(props.faults), country, context.offer)
  const parts: CheckoutParts = { ...props, values: withBillingPlace(context, props), context, errors, focusField }
  return frame(context, {
    title: t('checkout'),
    bare: true,
    content: html`
<form class="checkout" id="checkout" method="post" action="${root}/checkout" novalidate data-once data-live="150">
<input type="hidden" id="tried" name="tried" value="${props.isTried ? '1' : ''}" data-swap>
<input type="hidden" name="checkout" value="${props.mark}">
<button class="hidden" name="act" value="update" tabindex="-1" aria-hidden="true">${t('update')}</button>
<div class="steps">
<h1>${t('checkout')}</h1>
<a class="peek" id="peek" href="#summary" data-swap><span>${t('summary')}</span>
<b>${price(props.checkout.total)}</b></a>
${offline(t)}
${renderErrorSummary(parts)}
${contact(parts)}
${delivery(parts)}
${shipping(parts)}
${answerFields(parts)}
${payment(parts)}
${billing(parts)}
${bumps(parts)}
${notes(parts)}
</div>
${summary(parts)}
${placing(parts)}
</form>
${spoken()}`,
  })
}

/** A billing address that is needed begins as what was typed for the delivery. */
function withBillingPlace({ offer }: ShopContext, { checkout, values }: CheckoutProps): CheckoutProps['values'] {
  if (checkout.billing_address || !needsBillingCountry(offer, checkout.items)) return values
  const own = rowsIn('billing').map((name) => {
    const typed = values[name.replace('billing_', 'shipping_') as keyof typeof values]
    return [name, values[name] || (typeof typed === 'string' ? typed : '')]
  })
  return { ...values, ...Object.fromEntries(own) }
}

/** The page has one field for codes. */
function nameCodeField(faults: readonly Fault[]): Fault[] {
  return faults.map((one) => (isAboutCode(one) ? { ...one, field: 'discount_code' } : one))
}

const sums = /^(total|discount|shipping|tax|items)$/

/** Errors without a field, and the number of fields with errors. */
function renderErrorSummary({ context: { t, offer }, errors, faults, checkout }: CheckoutParts): Html {
  const own = Object.entries(errors)
    .filter(([field]) => sums.test(field))
    .map(([, text]) => text)
  const hasLines = Object.keys(errors).some((field) => field.startsWith('items.'))
  const count = faultyFields(nameCodeField(faults), null, offer).length
  const texts = [...(count > 0 ? [t('faults', { count })] : []), ...(hasLines ? [t('lines_changed')] : []), ...own]
  const kind = faults.length > 0 || checkout.changes.some(({ to }) => to === null) ? 'error' : 'warning'
  const lines = html`${texts.map((text) => html`<p>${text}</p>`)}`
  return html`<div id="announced" data-swap>${texts.length > 0 ? notice(kind, lines) : ''}</div>`
}

function contact(parts: CheckoutParts): Html {
  return html`<section><h2>${parts.context.t('contact')}</h2>
${whoIsIn(parts)}
${fieldsIn(parts, 'contact')}
${marketing(parts)}</section>`
}

/** Never ticked beforehand. */
function marketing({ context: { offer, language }, values }: CheckoutParts): Html | '' {
  const text = formatMarketingText(offer, language, (own) => own)
  const box = { type: 'checkbox', name: 'accepts_marketing', value: '1', checked: values.accepts_marketing } as const
  return text === null ? '' : choice(box, text)
}

function delivery(parts: CheckoutParts): Html {
  return html`<section id="address"><h2>${parts.context.t('address_title')}</h2>
${savedAddresses(parts)}
${fieldsIn(parts, 'address')}</section>
<section>${fieldsIn(parts, 'phone')}</section>`
}

function shipping(parts: CheckoutParts): Html {
  const { t } = parts.context
  const { rates, selected } = selectRates(parts)
  const isThere = isDeliveredThere(parts, rates)
  const options = withState(parts, 'shipping_method', rates, selected).map(({ option, ...state }) =>
    rateChoice(parts, option, { ...state, isThere }),
  )
  return html`<section id="shipping" data-swap>
${choices(parts, 'shipping_method', t('shipping'), options)}
${isThere ? '' : html`<p>${t('no_shipping_there')}</p>`}
</section>`
}

/** False if the store delivers elsewhere only. */
function isDeliveredThere({ context: { offer }, checkout }: CheckoutParts, rates: readonly OfferedRate[]): boolean {
  if (rates.some(({ requires_address }) => requires_address)) return true
  return rates.length > 0 && !deliversElsewhere(offer, placeOf(checkout))
}

function placeOf({ shipping_address: address, items }: CheckoutParts['checkout']) {
  return { ...address, country_code: getAddressCountry(address), isShipped: areAnyShipped(items) }
}

/** The rates to the destination, and the selected one. */
function selectRates({ context: { offer }, checkout, values }: CheckoutParts): {
  rates: OfferedRate[]
  selected: OfferedRate | undefined
} {
  const rates = ratesOffered(offer, checkout)
  const byCode = (name: string | null) => rates.find(({ code }) => code === name)
  const selected =
    byCode(values.shipping_method) ??
    byCode(checkout.shipping_method) ??
    findOnlyRate(rates, offer, placeOf(checkout)) ??
    undefined
  return { rates, selected }
}

type Choosable = 'shipping_method' | 'payment_method'

/** Radio buttons under a heading, with the error of the choice. */
function choices({ errors }: CheckoutParts, name: Choosable, heading: string, options: Html[]): Html {
  const fault = errors[name]
  const group = attributes({
    role: 'radiogroup',
    'aria-labelledby': `${name}-title`,
    'aria-describedby': fault && `${name}-fault`,
  })
  return html`<h2 id="${name}-title">${heading}</h2><div${group}>${options}</div>${renderFieldFault(name, fault)}`
}

/** The focus goes to the selected option, else to the first. */
type ChoiceState = { isSelected: boolean; takesFocus: boolean }

/** Adds its state to each option. */
function withState<Option>(
  { focusField }: CheckoutParts,
  name: Choosable,
  options: readonly Option[],
  selectedOption: Option | undefined,
) {
  return options.map((option, index) => {
    const isSelected = option === selectedOption
    return { option, isSelected, takesFocus: focusField === name && (selectedOption ? isSelected : index === 0) }
  })
}

const joinLines = (text: string | null) =>
  text &&
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join(', ')

type RateState = ChoiceState & { isThere: boolean }

function rateChoice(parts: CheckoutParts, rate: OfferedRate, { isSelected, takesFocus, isThere }: RateState): Html {
  const {
    context: { t, price, language },
    checkout,
  } = parts
  const { code, description, pickup_address, pickup_hours, free_from } = rate
  const line = checkout.shipping_costs.find((one) => one.code === code)
  const days = line?.arrives_from && line.arrives_to ? { from: line.arrives_from, to: line.arrives_to } : null
  const arrival = formatArrivalDays(days, rate, language)
  const cost = line?.price ?? rate.price
  const freeFrom = free_from !== null && cost > 0 && t('free_from', { price: price(free_from) })
  const notes = [description, joinLines(pickup_address), joinLines(pickup_hours), arrival, freeFrom]
  const radio = attributes({
    type: 'radio',
    name: 'shipping_method',
    value: code,
    checked: isSelected,
    autofocus: takesFocus,
    // The address is shown as long as another one may lead to a delivery.
    'data-away': !rate.requires_address && isThere,
  })
  return html`<label class="choice"><input${radio}>
<span>${line?.name ?? formatMethodName(rate, language)}${notes.map(small)}</span>
<b>${cost === 0 ? t('free') : price(cost)}</b></label>`
}

function payment(parts: CheckoutParts): Html {
  const { context, checkout, values } = parts
  const { t, offer } = context
  const methods = methodsWith(offer, selectRates(parts).selected)
  const byCode = (name: string | null) => methods.find(({ code }) => code === name)
  const only = methods.length === 1 ? methods[0] : undefined
  const method = only ?? byCode(values.payment_method) ?? byCode(checkout.payment_method)
  const options = withState(parts, 'payment_method', methods, method).map(({ option, ...state }) =>
    methodChoice(parts, option, state),
  )
  return html`<section id="payment">
<div id="methods" data-swap>${choices(parts, 'payment_method', t('payment'), options)}</div>
${offer.payment_methods.some(({ provider }) => provider === 'test') ? testPayment(context) : ''}</section>`
}

function methodChoice(
  { context: { t, language } }: CheckoutParts,
  method: CheckoutMethod,
  { isSelected, takesFocus }: ChoiceState,
): Html {
  const { code, provider, instructions } = method
  const radio = attributes({
    type: 'radio',
    name: 'payment_method',
    value: code,
    checked: isSelected,
    autofocus: takesFocus,
    'data-test': provider === 'test',
  })
  return html`<label class="choice"><input${radio}>
<span>${formatMethodName(method, language)}${small(instructions && t('instructions_later'))}
${small(listWallets(provider).join(' · '))}</span></label>`
}

/** The fields come once the box is not ticked, since all countries are 7 KB. */
function billing(parts: CheckoutParts): Html {
  const { context, values, checkout } = parts
  const { t } = context
  const isNeeded = needsBillingCountry(context.offer, checkout.items)
  const isDelivered = selectRates(parts).selected?.requires_address !== false
  const hasFields = isNeeded || values.has_billing
  const about = { id: 'billing', 'data-swap': true, 'data-key': `${hasFields} ${isNeeded} ${isDelivered}` }
  const box = { type: 'checkbox', name: 'billing_same', id: 'billing_same', value: '1', checked: !values.has_billing }
  const label = t(isDelivered ? 'billing_same' : 'billing_none')
  const same = html`<label class="choice"><input${attributes(box)}><span>${label}</span></label>
<noscript><button class="quiet" name="act" value="update">${t('update')}</button></noscript>`
  return html`<section${attributes(about)}><h2>${t('billing_title')}</h2>${hidden('billing', '1')}
${isNeeded ? '' : same}
${hasFields ? fieldsIn(parts, 'billing') : ''}</section>`
}

function bumps(parts: CheckoutParts): Html | '' {
  const {
    context: { t, offer },
    errors,
    values,
  } = parts
  const available = availableBumps(offer, values.order_bumps)
  if (available.length === 0) return ''
  const fault = Object.entries(errors).find(([field]) => field.startsWith('order_bumps'))?.[1]
  return html`<section id="bumps" data-swap><h2>${t('bumps')}</h2>
${available.map((bump) => bumpChoice(parts, bump))}
${renderFieldFault('order_bumps', fault)}</section>`
}

function bumpChoice(
  { context, values }: CheckoutParts,
  { id, title, description, price: cost, image }: OfferedBump,
): Html {
  const value = publicId('bump', id)
  const box = attributes({ type: 'checkbox', name: 'order_bumps', value, checked: values.order_bumps.includes(value) })
  const imageAttributes = attributes({
    ...buildImageSource(context, image, '56px'),
    width: 56,
    height: 56,
    loading: 'lazy',
  })
  return html`<label class="choice bump"><input${box}>
${toLargestImageUrl(context, image) ? html`<img alt=""${imageAttributes}>` : ''}
<span>${title}${small(description)}</span><b>+ ${context.price(cost)}</b></label>`
}

/** Open if it has content. */
function notes(parts: CheckoutParts): Html {
  const { context, values, errors } = parts
  const isOpen = rowsIn('notes').some((name) => values[name] !== '' || errors[name] !== undefined)
  return html`<details${attributes({ class: 'notes', open: isOpen })}><summary>${context.t('add_note')}</summary>
${fieldsIn(parts, 'notes')}</details>`
}

// What the checkout offers to signed-in shoppers, and the way to sign in.

function whoIsIn({ context: { t, root, store }, shopper }: CheckoutParts): Html | '' {
  if (!store.customer_accounts) return ''
  if (shopper) return html`<p class="soft">${t('signed_in_as', { email: shopper.email })}</p>`
  return html`<p><a href="${root}${accountPath}?next=checkout">${t('sign_in_checkout')}</a></p>`
}

function savedAddresses({ context: { t }, shopper }: CheckoutParts): Html | '' {
  if (!shopper || shopper.addresses.length === 0) return ''
  const options = shopper.addresses.map((one) => html`<option value="${one.id}">${formatSavedAddress(one)}</option>`)
  return html`<div class="code"><p class="field"><label for="saved_address">${t('address_saved')}</label>
<select id="saved_address" name="saved_address" autocomplete="off">${options}</select></p>
<button class="quiet" name="act" value="address">${t('address_use')}</button></div>`
}

function formatSavedAddress({ name, address, city, country_code }: CustomerAddress): string {
  return [name, address, city, country_code].filter(Boolean).join(', ')
}
