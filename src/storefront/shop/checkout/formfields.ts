// Draws the fields of the checkout's form from their rows.
import { html } from 'hono/html'
import { provinceCodeOf, type Province } from '../../../kit/values/provinces.ts'
import { levelOf, provincesIn } from '../../checkout/offers/shipping.ts'
import { aboutField, attributes, faultOf } from '../../../platform/pages/parts.ts'
import { maximumOf, rowOf, rowsIn, type FormRow, type TextField } from '../frame/formrows.ts'
import type { Html } from '../frame/page.ts'
import type { Level } from '../../../tenancy/stores/checkoutfields.ts'
import { countriesIn } from './places.ts'
import type { Parts } from './shown.ts'

/** Those of one part that the store asks for, one below the other. */
export function fieldsIn(parts: Parts, part: FormRow['part']): Html {
  const shown = rowsIn(part).filter((name) => level(parts, name) !== 'hidden' || rowOf(name).isLocal)
  return html`<div class="fields">${shown.map((name) => place(parts, name))}</div>`
}

/** What is otherwise in another country is exchanged with it, and with nothing else: it may be typed in just then. */
function place(parts: Parts, name: TextField): Html {
  const { isHalf, isLocal } = rowOf(name)
  const isHidden = level(parts, name) === 'hidden'
  const local = isLocal && { id: `${name}-place`, 'data-swap': true, 'data-key': countryIn(parts), hidden: isHidden }
  return html`<div${attributes({ class: isHalf && 'half', ...local })}>${isHidden ? '' : field(parts, name)}</div>`
}

const countryIn = ({ values }: Parts) => values['shipping_address.country_code']

function level(parts: Parts, name: TextField): Level {
  return levelOf(name, parts.visit.offer, countryIn(parts) || null)
}

export function small(text: string | null | false): Html | '' {
  return text ? html`<small>${text}</small>` : ''
}

function field(parts: Parts, name: TextField): Html {
  const {
    visit: { say },
    said,
  } = parts
  const { label, hint } = rowOf(name)
  return html`<p class="field"><label for="${name}">${say(label)} ${small(besideLabel(parts, name))}</label>
${control(parts, name)}
${hint ? html`<span class="hint" id="${name}-hint">${say(hint)}</span>` : ''}</p>${faultOf(name, said[name])}`
}

/** That it need not be filled in, or that another will do. */
function besideLabel(parts: Parts, name: TextField): string | false {
  const { say, offer } = parts.visit
  const { or, type } = rowOf(name)
  if (type === 'country' || level(parts, name) === 'required') return false
  return say(or && offer.asking.phone === 'optional' ? or : 'optional')
}

function control(parts: Parts, name: TextField): Html {
  const {
    visit: { say, offer },
    values,
    said,
    first,
  } = parts
  const { type: usual, autocomplete, hint } = rowOf(name)
  const provinces = usual === 'province' ? provincesIn(offer, countryIn(parts)) : []
  const type = usual === 'province' ? undefined : usual
  const about = aboutField(name, { fault: said[name], hint: hint && say(hint), focus: first === name })
  if (type === 'country') return country(parts, name, about)
  const shared = {
    id: name,
    name,
    autocomplete,
    maxlength: maximumOf(name),
    'aria-required': level(parts, name) === 'required' && 'true',
  }
  if (provinces.length > 0) return province(parts, shared, provinces, about)
  if (type === 'area')
    return html`<textarea rows="3"${attributes(shared)}${about}>
${values[name]}</textarea>`
  const own = attributes({ ...shared, type: type ?? 'text', inputmode: type, value: values[name] })
  return html`<input${own}${about}>`
}

/** By name; what was typed otherwise is on the list too, unless it is not of this country. */
function province(
  parts: Parts,
  { id, name, autocomplete, ...shared }: Shared,
  provinces: readonly Province[],
  about: Html,
) {
  const { visit, values } = parts
  const chosen = provinceCodeOf(countryIn(parts), values[name])
  const { compare } = new Intl.Collator(visit.language)
  const options = provinces
    .toSorted((a, b) => compare(a.name, b.name))
    .map(({ code, name }) => html`<option value=${code}${code === chosen ? html` selected` : ''}>${name}`)
  const own = attributes({ id, name, autocomplete, 'aria-required': shared['aria-required'] })
  return html`<select${own}${about}><option value="">${visit.say('province_choose')}${options}</select>`
}

type Shared = { id: string; name: TextField; autocomplete: string | undefined; 'aria-required': string | false }

/** Only where the store ships to; all 240 countries are 7 KB. */
function country({ visit: { offer, language, say }, values }: Parts, name: TextField, about: Html): Html {
  const chosen = values[name]
  const rates = offer.shipping_rates
  const codes = rates.some(({ country_codes }) => country_codes.length === 0)
    ? null
    : new Set([...rates.flatMap(({ country_codes }) => country_codes), chosen])
  const options = countriesIn(language)
    .filter(([code]) => codes === null || codes.has(code))
    .map(([code, text]) => html`<option value=${code}${code === chosen ? html` selected` : ''}>${text}`)
  return html`<select${attributes({ id: name, name, autocomplete: rowOf(name).autocomplete })}${about}>
${options}</select>
<noscript><button class="quiet" name="act" value="update">${say('update_shipping')}</button></noscript>`
}
