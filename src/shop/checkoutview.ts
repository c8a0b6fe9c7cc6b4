// The page of the checkout. What the script exchanges when something is chosen is marked data-swap.
import { html } from 'hono/html'
import { publicId } from '../kit/values/ids.ts'
import { nameOf } from '../checkout/names.ts'
import { bumpsOffered, type Bump, type Rate } from '../checkout/offer.ts'
import type { Method } from '../payments/method.ts'
import { ratesTo } from '../checkout/shipping.ts'
import { aboutField, attributes, faultOf, notice } from '../pages/parts.ts'
import { faultyFields, type TextField } from './checkoutform.ts'
import { inWords } from './faults.ts'
import type { Html, Visit } from './page.ts'
import { countriesIn } from './places.ts'
import type { Parts, Shown } from './shown.ts'
import { summary } from './summary.ts'
import { frame } from './view.ts'

export function checkoutPage(visit: Visit, shown: Shown): Html {
  const { say, price, root } = visit
  const said = inWords(visit, [...shown.faults, ...shown.checkout.changes])
  const [first] = faultyFields(shown.faults)
  const parts: Parts = { ...shown, visit, said, first }
  return frame(visit, {
    title: say('checkout'),
    bare: true,
    content: html`
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
</form>
<p class="hidden" role="status" id="spoken"></p>`,
  })
}

const sums = /^(total|discount|shipping|tax|items)$/

/** What has no field of its own, and how many fields have to be looked at. */
function announced({ visit: { say }, said, faults, checkout }: Parts): Html {
  const own = Object.entries(said)
    .filter(([field]) => sums.test(field))
    .map(([, text]) => text)
  const hasLines = Object.keys(said).some((field) => field.startsWith('items.'))
  const count = faultyFields(faults).length
  const texts = [
    ...(count > 0 ? [say(count === 1 ? 'one_fault' : 'faults', { count })] : []),
    ...(hasLines ? [say('lines_changed')] : []),
    ...own,
  ]
  const kind = faults.length > 0 || checkout.changes.some(({ to }) => to === null) ? 'error' : 'warning'
  const lines = html`${texts.map((text) => html`<p>${text}</p>`)}`
  return html`<div id="announced" data-swap>${texts.length > 0 ? notice(kind, lines) : ''}</div>`
}

type Asked = {
  label: string
  autocomplete: string
  type?: 'text' | 'email' | 'tel'
  optional?: boolean
  hint?: string
  max: number
}

function input(parts: Parts, name: TextField, asked: Asked): Html {
  const {
    visit: { say },
    values,
    said,
    first,
  } = parts
  const { label, autocomplete, type = 'text', optional = false, hint, max } = asked
  const about = attributes({
    id: name,
    name,
    type,
    inputmode: type !== 'text' && type,
    autocomplete,
    maxlength: max,
    value: values[name],
    'aria-required': optional ? null : 'true',
  })
  return html`<p class="field"><label for="${name}">${label} ${small(optional && say('optional'))}</label>
<input${about}${aboutField(name, { fault: said[name], hint, focus: first === name })}>
${hint ? html`<span class="hint" id="${name}-hint">${hint}</span>` : ''}</p>${faultOf(name, said[name])}`
}

function contact(parts: Parts): Html {
  const { say } = parts.visit
  const phone: Asked = {
    label: say('phone'),
    type: 'tel',
    autocomplete: 'tel',
    optional: true,
    hint: say('phone_hint'),
    max: 40,
  }
  return html`<section><h2>${say('contact')}</h2>
${input(parts, 'customer.email', { label: say('email'), type: 'email', autocomplete: 'email', max: 254 })}
${input(parts, 'customer.phone', phone)}
${input(parts, 'customer.name', { label: say('name'), autocomplete: 'name', max: 200 })}
</section>`
}

function delivery(parts: Parts): Html {
  const { say } = parts.visit
  type Line = 'address' | 'city' | 'province' | 'postal_code'
  const line = (name: Line, token: string, { optional = false, max = 120 } = {}) =>
    input(parts, `shipping_address.${name}`, { label: say(name), autocomplete: `shipping ${token}`, optional, max })
  return html`<section id="address"><h2>${say('address_title')}</h2>
${country(parts)}
<noscript><p><button class="quiet" name="act" value="update">${say('update_shipping')}</button></p></noscript>
${line('address', 'address-line1', { max: 500 })}
<div class="columns">
<div>${line('city', 'address-level2')}</div>
<div>${line('postal_code', 'postal-code', { optional: true, max: 40 })}</div>
</div>
${line('province', 'address-level1', { optional: true })}
</section>`
}

/** Only where the store ships to; all 240 countries are 7 KB. */
function country({ visit: { offer, language, say }, values, said, first }: Parts): Html {
  const name = 'shipping_address.country_code'
  const chosen = values[name]
  const rates = offer.shipping_rates
  const codes = rates.some(({ country_codes }) => country_codes.length === 0)
    ? null
    : new Set([...rates.flatMap(({ country_codes }) => country_codes), chosen])
  const options = countriesIn(language)
    .filter(([code]) => codes === null || codes.has(code))
    .map(([code, text]) => html`<option value=${code}${code === chosen ? html` selected` : ''}>${text}`)
  const about = aboutField(name, { fault: said[name], focus: first === name })
  return html`<p class="field"><label for="${name}">${say('country')}</label>
<select id="${name}" name="${name}" autocomplete="shipping country"${about}>
${options}</select></p>${faultOf(name, said[name])}`
}

function shipping(parts: Parts): Html {
  const {
    visit: { say, offer },
    checkout,
    values,
  } = parts
  const rates = ratesTo(offer, values['shipping_address.country_code'])
  const named = (name: string | null) => rates.find(({ code }) => code === name)
  const only = rates.length === 1 ? rates[0] : undefined
  const chosen = named(values.shipping_method) ?? named(checkout.shipping_method) ?? only
  const options = placed(parts, 'shipping_method', rates, chosen).map(({ option, ...place }) =>
    rateChoice(parts, option, place),
  )
  return html`<section id="shipping" data-swap>
${choices(parts, 'shipping_method', say('shipping'), options)}
${rates.length === 0 ? html`<p>${say('no_shipping_there')}</p>` : ''}
</section>`
}

type Choosable = 'shipping_method' | 'payment_method'

/** Radio buttons under a heading, and what is wrong with the choice. */
function choices({ said }: Parts, name: Choosable, heading: string, options: Html[]): Html {
  const fault = said[name]
  const group = attributes({
    role: 'radiogroup',
    'aria-labelledby': `${name}-title`,
    'aria-describedby': fault && `${name}-fault`,
  })
  return html`<h2 id="${name}-title">${heading}</h2><div${group}>${options}</div>${faultOf(name, fault)}`
}

/** Whether it is the chosen one, and whether it gets the focus: the chosen one, else the first. */
type Place = { isChosen: boolean; takesFocus: boolean }

/** Each option with its place. */
function placed<Option>({ first }: Parts, name: Choosable, options: readonly Option[], chosen: Option | undefined) {
  return options.map((option, index) => {
    const isChosen = option === chosen
    return { option, isChosen, takesFocus: first === name && (chosen ? isChosen : index === 0) }
  })
}

function rateChoice(parts: Parts, rate: Rate, { isChosen, takesFocus }: Place): Html {
  const {
    visit: { say, price, language },
    checkout,
  } = parts
  const { code, description, free_from } = rate
  const cost = checkout.shipping_costs.find((known) => known.code === code)?.price ?? rate.price
  const freeFrom = free_from !== null && cost > 0 && say('free_from', { price: price(free_from) })
  const radio = attributes({
    type: 'radio',
    name: 'shipping_method',
    value: code,
    checked: isChosen,
    autofocus: takesFocus,
    'data-away': !rate.requires_address,
  })
  return html`<label class="choice"><input${radio}>
<span>${nameOf(rate, language)}${small(description)}${small(freeFrom)}</span>
<b>${cost === 0 ? say('free') : price(cost)}</b></label>`
}

function small(text: string | null | false): Html | '' {
  return text ? html`<small>${text}</small>` : ''
}

function payment(parts: Parts): Html {
  const {
    visit: {
      say,
      offer: { payment_methods: methods },
    },
    values,
  } = parts
  const chosen = methods.length === 1 ? methods[0] : methods.find(({ code }) => code === values.payment_method)
  const options = placed(parts, 'payment_method', methods, chosen).map(({ option, ...place }) =>
    methodChoice(parts, option, place),
  )
  return html`<section id="payment">${choices(parts, 'payment_method', say('payment'), options)}
${methods.some(({ provider }) => provider === 'test') ? testPayment(parts) : ''}</section>`
}

function methodChoice({ visit: { say, language } }: Parts, method: Method, { isChosen, takesFocus }: Place): Html {
  const { code, provider, instructions } = method
  const radio = attributes({
    type: 'radio',
    name: 'payment_method',
    value: code,
    checked: isChosen,
    autofocus: takesFocus,
    'data-test': provider === 'test',
  })
  return html`<label class="choice"><input${radio}>
<span>${nameOf(method, language)}${small(instructions && say('instructions_later'))}</span></label>`
}

/** Shown while a method of the test provider is chosen. */
function testPayment({ visit: { say } }: Parts): Html {
  return html`<p class="field pay"><label for="pay">${say('test_payment')}</label>
<select id="pay" name="pay"><option value="ok">${say('test_ok')}<option value="fail">${say('test_fail')}</select></p>`
}

function bumps(parts: Parts): Html | '' {
  const {
    visit: { say, offer },
    said,
    values,
  } = parts
  const offered = bumpsOffered(offer, values.order_bumps)
  if (offered.length === 0) return ''
  const fault = Object.entries(said).find(([field]) => field.startsWith('order_bumps'))?.[1]
  return html`<section id="bumps" data-swap><h2>${say('bumps')}</h2>
${offered.map((bump) => bumpChoice(parts, bump))}
${faultOf('order_bumps', fault)}</section>`
}

function bumpChoice({ visit: { price }, values }: Parts, { id, title, description, price: cost, image }: Bump): Html {
  const value = publicId('bump', id)
  const box = attributes({ type: 'checkbox', name: 'order_bumps', value, checked: values.order_bumps.includes(value) })
  const drawn = attributes({ src: image, width: 56, height: 56, loading: 'lazy', referrerpolicy: 'no-referrer' })
  return html`<label class="choice bump"><input${box}>
${image?.startsWith('https:') ? html`<img alt=""${drawn}>` : ''}
<span>${title}${small(description)}</span><b>+ ${price(cost)}</b></label>`
}

function notes({ visit: { say }, values, said }: Parts): Html {
  const name = 'customer_notes'
  const fault = said[name]
  return html`<details${attributes({ class: 'notes', open: values[name] !== '' || fault !== undefined })}>
<summary>${say('add_note')}</summary>
<p class="field"><label for="${name}">${say('note')} <small>${say('optional')}</small></label>
<textarea id="${name}" name="${name}" rows="3" maxlength="1000"${aboutField(name, { fault })}>
${values[name]}</textarea></p>
${faultOf(name, fault)}</details>`
}
