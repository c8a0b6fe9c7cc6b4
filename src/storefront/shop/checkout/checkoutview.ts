// The page of the checkout. What the script exchanges when something is chosen is marked data-swap.
import { html } from 'hono/html'
import { publicId } from '../../../kit/values/ids.ts'
import { nameOf } from '../../checkout/offers/names.ts'
import { availableBumps, type OfferedBump, type OfferedRate } from '../../checkout/offers/offer.ts'
import { methodsWith, ratesTo } from '../../checkout/offers/shipping.ts'
import type { CheckoutMethod } from '../../../money/payments/method.ts'
import { attributes, faultOf, notice } from '../../../platform/pages/parts.ts'
import { faultyFields } from './checkoutform.ts'
import { inWords } from '../frame/faults.ts'
import { fieldsIn, small } from './formfields.ts'
import { rowsIn } from '../frame/formrows.ts'
import type { Html, Visit } from '../frame/page.ts'
import type { Parts, Shown } from './shown.ts'
import { summary } from './summary.ts'
import { frame, largestOf, offline, sourceOf, spoken } from '../frame/view.ts'

export function checkoutPage(visit: Visit, shown: Shown): Html {
  const { say, price, root } = visit
  const said = inWords(visit, [...shown.faults, ...shown.checkout.changes])
  const [first] = faultyFields(shown.faults)
  const parts: Parts = { ...shown, visit, said, first }
  return frame(visit, {
    title: say('checkout'),
    bare: true,
    content: html`
<form class="checkout" id="checkout" method="post" action="${root}/checkout" novalidate data-once data-live="150">
<input type="hidden" id="tried" name="tried" value="${shown.isTried ? '1' : ''}" data-swap>
<input type="hidden" name="checkout" value="${shown.mark}">
<button class="hidden" name="act" value="update" tabindex="-1" aria-hidden="true">${say('update')}</button>
<div class="steps">
<h1>${say('checkout')}</h1>
<a class="peek" id="peek" href="#summary" data-swap><span>${say('summary')}</span>
<b>${price(shown.checkout.total)}</b></a>
${offline(say)}
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
${spoken()}`,
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
  const texts = [...(count > 0 ? [say('faults', { count })] : []), ...(hasLines ? [say('lines_changed')] : []), ...own]
  const kind = faults.length > 0 || checkout.changes.some(({ to }) => to === null) ? 'error' : 'warning'
  const lines = html`${texts.map((text) => html`<p>${text}</p>`)}`
  return html`<div id="announced" data-swap>${texts.length > 0 ? notice(kind, lines) : ''}</div>`
}

function contact(parts: Parts): Html {
  return html`<section><h2>${parts.visit.say('contact')}</h2>
${fieldsIn(parts, 'contact')}</section>`
}

function delivery(parts: Parts): Html {
  return html`<section id="address"><h2>${parts.visit.say('address_title')}</h2>
${fieldsIn(parts, 'address')}</section>`
}

function shipping(parts: Parts): Html {
  const { say } = parts.visit
  const { rates, chosen } = ratesOf(parts)
  const options = placed(parts, 'shipping_method', rates, chosen).map(({ option, ...place }) =>
    rateChoice(parts, option, place),
  )
  return html`<section id="shipping" data-swap>
${choices(parts, 'shipping_method', say('shipping'), options)}
${rates.length === 0 ? html`<p>${say('no_shipping_there')}</p>` : ''}
</section>`
}

/** The rates that ship there, and the one that is chosen. */
function ratesOf({ visit: { offer }, checkout, values }: Parts): {
  rates: OfferedRate[]
  chosen: OfferedRate | undefined
} {
  const rates = ratesTo(offer, values['shipping_address.country_code'])
  const named = (name: string | null) => rates.find(({ code }) => code === name)
  const only = rates.length === 1 ? rates[0] : undefined
  return { rates, chosen: named(values.shipping_method) ?? named(checkout.shipping_method) ?? only }
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

function rateChoice(parts: Parts, rate: OfferedRate, { isChosen, takesFocus }: Place): Html {
  const {
    visit: { say, price, language },
    checkout,
  } = parts
  const { code, description, pickup_address, free_from } = rate
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
<span>${nameOf(rate, language)}${small(description)}${small(pickup_address)}${small(freeFrom)}</span>
<b>${cost === 0 ? say('free') : price(cost)}</b></label>`
}

function payment(parts: Parts): Html {
  const {
    visit: { say, offer },
    checkout,
    values,
  } = parts
  const methods = methodsWith(offer, ratesOf(parts).chosen)
  const named = (name: string | null) => methods.find(({ code }) => code === name)
  const only = methods.length === 1 ? methods[0] : undefined
  const chosen = only ?? named(values.payment_method) ?? named(checkout.payment_method)
  const options = placed(parts, 'payment_method', methods, chosen).map(({ option, ...place }) =>
    methodChoice(parts, option, place),
  )
  return html`<section id="payment">
<div id="methods" data-swap>${choices(parts, 'payment_method', say('payment'), options)}</div>
${offer.payment_methods.some(({ provider }) => provider === 'test') ? testPayment(parts) : ''}</section>`
}

function methodChoice(
  { visit: { say, language } }: Parts,
  method: CheckoutMethod,
  { isChosen, takesFocus }: Place,
): Html {
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
  const offered = availableBumps(offer, values.order_bumps)
  if (offered.length === 0) return ''
  const fault = Object.entries(said).find(([field]) => field.startsWith('order_bumps'))?.[1]
  return html`<section id="bumps" data-swap><h2>${say('bumps')}</h2>
${offered.map((bump) => bumpChoice(parts, bump))}
${faultOf('order_bumps', fault)}</section>`
}

function bumpChoice({ visit, values }: Parts, { id, title, description, price: cost, image }: OfferedBump): Html {
  const value = publicId('bump', id)
  const box = attributes({ type: 'checkbox', name: 'order_bumps', value, checked: values.order_bumps.includes(value) })
  const drawn = attributes({ ...sourceOf(visit, image, '56px'), width: 56, height: 56, loading: 'lazy' })
  return html`<label class="choice bump"><input${box}>
${largestOf(visit, image) ? html`<img alt=""${drawn}>` : ''}
<span>${title}${small(description)}</span><b>+ ${visit.price(cost)}</b></label>`
}

/** Open as soon as there is something to see. */
function notes(parts: Parts): Html {
  const { visit, values, said } = parts
  const isOpen = rowsIn('notes').some((name) => values[name] !== '' || said[name] !== undefined)
  return html`<details${attributes({ class: 'notes', open: isOpen })}><summary>${visit.say('add_note')}</summary>
${fieldsIn(parts, 'notes')}</details>`
}
