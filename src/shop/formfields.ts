// Draws the fields of the checkout's form from their rows.
import { html } from 'hono/html'
import { levelOf } from '../checkout/shipping.ts'
import { aboutField, attributes, faultOf } from '../pages/parts.ts'
import { maximumOf, rowOf, rowsIn, type FormRow, type TextField } from './formrows.ts'
import type { Html } from './page.ts'
import { countriesIn } from './places.ts'
import type { Parts } from './shown.ts'

/** Those of one part that the store asks for, one below the other. */
export function fieldsIn(parts: Parts, part: FormRow['part']): Html {
  const { asking } = parts.visit.offer
  const asked = rowsIn(part).filter((name) => levelOf(name, asking) !== 'hidden')
  const drawn = asked.map(
    (name) => html`<div${attributes({ class: rowOf(name).isHalf && 'half' })}>${field(parts, name)}</div>`,
  )
  return html`<div class="fields">${drawn}</div>`
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
function besideLabel({ visit: { say, offer } }: Parts, name: TextField): string | false {
  const { or, type } = rowOf(name)
  if (type === 'country' || levelOf(name, offer.asking) === 'required') return false
  return say(or && offer.asking.phone === 'optional' ? or : 'optional')
}

function control(parts: Parts, name: TextField): Html {
  const {
    visit: { say, offer },
    values,
    said,
    first,
  } = parts
  const { type, autocomplete, hint } = rowOf(name)
  const about = aboutField(name, { fault: said[name], hint: hint && say(hint), focus: first === name })
  if (type === 'country') return country(parts, name, about)
  const shared = {
    id: name,
    name,
    autocomplete,
    maxlength: maximumOf(name),
    'aria-required': levelOf(name, offer.asking) === 'required' && 'true',
  }
  if (type === 'area')
    return html`<textarea rows="3"${attributes(shared)}${about}>
${values[name]}</textarea>`
  const own = attributes({ ...shared, type: type ?? 'text', inputmode: type, value: values[name] })
  return html`<input${own}${about}>`
}

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
