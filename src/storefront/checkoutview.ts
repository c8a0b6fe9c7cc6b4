// The page of the checkout. What the script exchanges when something is chosen is marked data-swap.
import { html } from 'hono/html'
import type { Fault } from '../kit/errors.ts'
import { publicId } from '../kit/ids.ts'
import type { Thumbnail } from '../catalog/public.ts'
import { nameOf } from '../checkout/names.ts'
import type { Bump, Method, Offer, Rate } from '../checkout/offer.ts'
import type { Checkout } from '../checkout/view.ts'
import { needsAddress, ratesFor, type TextField, type Values } from './checkoutform.ts'
import { inWords } from './faults.ts'
import type { Html, Visit } from './page.ts'
import { countriesIn } from './places.ts'
import { summary } from './summary.ts'
import { faultOf, frame, notice } from './view.ts'

export type Shown = {
  checkout: Checkout
  thumbnails: readonly (Thumbnail | null)[]
  values: Values
  faults: readonly Fault[]
  /** Tells this checkout from another of the same shopper. */
  mark: string
}

/** What all parts of the page know. */
export type Parts = Shown & {
  visit: Visit
  /** field → what is wrong with it. */
  said: Record<string, string>
  /** The field that gets the focus. */
  first: string | undefined
}

export function checkoutPage(visit: Visit, shown: Shown): Html {
  const { say, price, root } = visit
  const said = inWords(visit, [...shown.faults, ...shown.checkout.changes])
  const first = Object.keys(inWords(visit, shown.faults)).find((name) => focusable.test(name))
  const parts: Parts = { ...shown, visit, said, first }
  return frame(visit, { title: say('checkout'), bare: true, content: html`
<form class="checkout" method="post" action="${root}/checkout" novalidate data-once data-live>
<input type="hidden" name="checkout" value="${shown.mark}">
<button class="hidden" name="act" value="update" tabindex="-1" aria-hidden="true">${say('update')}</button>
<div class="steps">
<h1>${say('checkout')}</h1>
<a class="peek" href="#summary"><span>${say('summary')}</span> <b>${price(shown.checkout.total)}</b></a>
${announced(parts)}
${contact(parts)}
${delivery(parts)}
${shipping(parts)}
${payment(parts)}
${bumps(parts)}
${notes(parts)}
</div>
${summary(parts)}
</form>` })
}

const focusable = /^(customer|shipping_address|shipping_method|payment_method|discount_code)/

/** What has no field of its own, and how many fields have to be looked at. */
function announced({ visit: { say }, said, faults, checkout }: Parts): Html {
  const own = Object.entries(said).filter(([field]) => /^(total|discount|shipping|tax|items)$/.test(field)).map(([, text]) => text)
  const lines = Object.keys(said).some((field) => field.startsWith('items.'))
  const count = faults.filter(({ field }) => focusable.test(field)).length
  const texts = [
    ...(count > 0 ? [say(count === 1 ? 'one_fault' : 'faults', { count })] : []),
    ...(lines ? [say('lines_changed')] : []),
    ...own,
  ]
  const kind = faults.length > 0 || checkout.changes.some(({ to }) => to === null) ? 'error' : 'warning'
  return html`<div id="announced" data-swap>${texts.length > 0 ? notice(kind, html`${texts.map((text) => html`<p>${text}</p>`)}`) : ''}</div>`
}

type Attributes = {
  label: string
  autocomplete: string
  type?: 'text' | 'email' | 'tel'
  inputmode?: 'email' | 'tel'
  optional?: boolean
  hint?: string
  max: number
}

export function input({ visit: { say }, values, said, first }: Parts, name: TextField, attributes: Attributes): Html {
  const { label, autocomplete, type = 'text', inputmode, optional = false, hint, max } = attributes
  const about = [hint ? `${name}-hint` : '', said[name] ? `${name}-fault` : ''].filter(Boolean).join(' ')
  return html`<p class="field"><label for="${name}">${label}${optional ? html` <small>${say('optional')}</small>` : ''}</label>
<input id="${name}" name="${name}" type="${type}" value="${values[name]}" autocomplete="${autocomplete}" maxlength="${max}"${inputmode ? html` inputmode="${inputmode}"` : ''}${optional ? '' : html` aria-required="true"`}${about ? html` aria-describedby="${about}"` : ''}${said[name] ? html` aria-invalid="true"` : ''}${first === name ? html` autofocus` : ''}>
${hint ? html`<span class="hint" id="${name}-hint">${hint}</span>` : ''}</p>${faultOf(name, said[name])}`
}

function contact(parts: Parts): Html {
  const { say } = parts.visit
  return html`<section><h2>${say('contact')}</h2>
${input(parts, 'customer.email', { label: say('email'), type: 'email', inputmode: 'email', autocomplete: 'email', max: 254 })}
${input(parts, 'customer.phone', { label: say('phone'), type: 'tel', inputmode: 'tel', autocomplete: 'tel', optional: true, hint: say('phone_hint'), max: 40 })}
${input(parts, 'customer.name', { label: say('name'), autocomplete: 'name', max: 200 })}
</section>`
}

function delivery(parts: Parts): Html {
  const { visit: { say }, said } = parts
  return html`<section id="address"><h2>${say('address_title')}</h2>
<p class="field"><label for="shipping_address.country_code">${say('country')}</label>
${countrySelect(parts)}</p>${faultOf('shipping_address.country_code', said['shipping_address.country_code'])}
<noscript><p><button class="quiet" name="act" value="update">${say('update_shipping')}</button></p></noscript>
${input(parts, 'shipping_address.address', { label: say('address'), autocomplete: 'shipping address-line1', max: 500 })}
<div class="columns">
<div>${input(parts, 'shipping_address.city', { label: say('city'), autocomplete: 'shipping address-level2', max: 120 })}</div>
<div>${input(parts, 'shipping_address.postal_code', { label: say('postal_code'), autocomplete: 'shipping postal-code', optional: true, max: 40 })}</div>
</div>
${input(parts, 'shipping_address.province', { label: say('province'), autocomplete: 'shipping address-level1', optional: true, max: 120 })}
</section>`
}

/** Only where the store ships to; 240 countries are 6 KB. */
function countrySelect({ visit: { offer, language }, values, said, first }: Parts): Html {
  const name = 'shipping_address.country_code'
  const chosen = values[name]
  const codes = offer.shipping_rates.some(({ country_codes }) => country_codes.length === 0)
    ? null
    : new Set([...offer.shipping_rates.flatMap(({ country_codes }) => country_codes), chosen])
  const countries = countriesIn(language).filter(([code]) => codes === null || codes.has(code))
  return html`<select id="${name}" name="${name}" autocomplete="shipping country"${said[name] ? html` aria-invalid="true" aria-describedby="${name}-fault"` : ''}${first === name ? html` autofocus` : ''}>${
    countries.map(([code, text]) => html`<option value=${code}${code === chosen ? html` selected` : ''}>${text}`)}</select>`
}

function shipping(parts: Parts): Html {
  const { visit: { say, offer }, checkout, values, said, first } = parts
  const rates = ratesFor(offer, values['shipping_address.country_code'])
  const named = (name: string | null) => rates.find(({ code }) => code === name)
  const chosen = named(values.shipping_method) ?? named(checkout.shipping_method) ?? (rates.length === 1 ? rates[0] : undefined)
  return html`<section id="shipping" data-swap><h2 id="shipping-title">${say('shipping')}</h2>
<div role="radiogroup" aria-labelledby="shipping-title"${said.shipping_method ? html` aria-describedby="shipping_method-fault"` : ''}>
${rates.length === 0 ? html`<p>${say('no_shipping_there')}</p>` : ''}
${rates.map((rate, index) => rateChoice(parts, rate, { isChosen: rate === chosen, isFirst: index === 0 && first === 'shipping_method' }))}
</div>${faultOf('shipping_method', said.shipping_method)}</section>`
}

type Choosing = { isChosen: boolean; isFirst: boolean }

function rateChoice({ visit: { say, price, language, offer }, checkout }: Parts, rate: Rate, { isChosen, isFirst }: Choosing): Html {
  const { code, description, free_from } = rate
  const cost = costOf(rate, checkout, offer)
  const isFreeFrom = free_from !== null && cost > 0
  return html`<label class="choice"><input type="radio" name="shipping_method" value="${code}"${isChosen ? html` checked` : ''}${isFirst ? html` autofocus` : ''}${needsAddress(rate, offer) ? '' : html` data-away`}>
<span>${nameOf(rate, language)}${description ? html`<small>${description}</small>` : ''}${isFreeFrom ? html`<small>${say('free_from', { price: price(free_from) })}</small>` : ''}</span>
<b>${cost === 0 ? say('free') : price(cost)}</b></label>`
}

/** As the sum has it: nothing from a certain sum on, or with a code for free shipping. */
function costOf(rate: Rate, checkout: Checkout, { shipping_rates }: Offer): number {
  const goods = checkout.subtotal - checkout.discount
  const usual = ({ price, free_from }: Rate) => (free_from !== null && goods >= Number(free_from) ? 0 : Number(price))
  const chosen = shipping_rates.find(({ code }) => code === checkout.shipping_method)
  const isWaived = chosen !== undefined && usual(chosen) > 0 && checkout.shipping === 0
  return isWaived ? 0 : usual(rate)
}

function payment(parts: Parts): Html {
  const { visit: { say, offer }, values, said, first } = parts
  const methods = offer.payment_methods
  return html`<section id="payment"><h2 id="payment-title">${say('payment')}</h2>
<div role="radiogroup" aria-labelledby="payment-title"${said.payment_method ? html` aria-describedby="payment_method-fault"` : ''}>
${methods.map((method, index) => methodChoice(parts, method, {
    isChosen: method.code === values.payment_method || methods.length === 1,
    isFirst: index === 0 && first === 'payment_method',
  }))}
</div>${faultOf('payment_method', said.payment_method)}
${methods.some(({ provider }) => provider === 'test') ? html`<p class="field pay"><label for="pay">${say('test_payment')}</label>
<select id="pay" name="pay"><option value="ok">${say('test_ok')}<option value="fail">${say('test_fail')}</select></p>` : ''}
</section>`
}

function methodChoice({ visit: { say, language } }: Parts, method: Method, { isChosen, isFirst }: Choosing): Html {
  return html`<label class="choice"><input type="radio" name="payment_method" value="${method.code}"${isChosen ? html` checked` : ''}${isFirst ? html` autofocus` : ''}${method.provider === 'test' ? html` data-test` : ''}>
<span>${nameOf(method, language)}${method.instructions ? html`<small>${say('instructions_later')}</small>` : ''}</span></label>`
}

function bumps(parts: Parts): Html | '' {
  const { visit: { say, offer }, said } = parts
  if (offer.order_bumps.length === 0) return ''
  const fault = Object.entries(said).find(([field]) => field.startsWith('order_bumps'))?.[1]
  return html`<section id="bumps" data-swap><h2>${say('bumps')}</h2>
${offer.order_bumps.map((bump) => bumpChoice(parts, bump))}
${faultOf('order_bumps', fault)}</section>`
}

function bumpChoice({ visit: { price }, values }: Parts, { id, title, description, price: cost, image }: Bump): Html {
  const value = publicId('bump', id)
  return html`<label class="choice bump"><input type="checkbox" name="order_bumps" value="${value}"${values.order_bumps.includes(value) ? html` checked` : ''}>
${image?.startsWith('https:') ? html`<img src="${image}" alt="" width="56" height="56" loading="lazy" referrerpolicy="no-referrer">` : ''}
<span>${title}${description ? html`<small>${description}</small>` : ''}</span><b>+ ${price(cost)}</b></label>`
}

function notes({ visit: { say }, values, said }: Parts): Html {
  const name = 'customer_notes'
  return html`<details class="notes"${values[name] || said[name] ? html` open` : ''}><summary>${say('add_note')}</summary>
<p class="field"><label for="${name}">${say('note')} <small>${say('optional')}</small></label>
<textarea id="${name}" name="${name}" rows="3" maxlength="1000"${said[name] ? html` aria-invalid="true" aria-describedby="${name}-fault"` : ''}>${values[name]}</textarea></p>${faultOf(name, said[name])}</details>`
}
