// Draws the fields of the checkout's form from their rows.
import { html } from 'hono/html'
import { getAddressRules, parseProvinceCode, type Province } from '../../../kit/values/provinces.ts'
import { getBillingLevel, getFieldLevel, provincesIn } from '../../checkout/offers/shipping.ts'
import { aboutField, attributes, renderFieldFault } from '../../../platform/pages/parts.ts'
import { labelIn, getMaxLength, getFormRow, rowsIn, type FormRow, type TextField } from '../frame/formrows.ts'
import type { Html } from '../frame/page.ts'
import type { Offer } from '../../checkout/offers/offer.ts'
import type { Level } from '../../../tenancy/stores/checkoutfields.ts'
import { takesEitherContact } from './checkoutform.ts'
import { countriesIn } from './countries.ts'
import type { CheckoutParts } from './props.ts'

/** The fields of one part that the store asks for. */
export function fieldsIn(parts: CheckoutParts, part: FormRow['part']): Html {
  const isBilling = part === 'billing'
  const country = countryIn(parts, isBilling ? 'billing_address' : 'shipping_address')
  const visible = rowsIn(part, country || null).filter((name) => level(parts, name) !== 'hidden')
  const [town, others] = [visible.filter(isTown), visible.filter((name) => !isTown(name))]
  // Replaced only with the country, since its fields may be in use just then.
  const about = attributes({
    id: isBilling ? 'billing-town' : 'town',
    class: 'fields town',
    'data-swap': true,
    'data-key': country,
  })
  return html`<div class="fields">${others.map((name) => slot(parts, name))}
${town.length > 0 ? html`<div${about}>${town.map((name) => slot(parts, name))}</div>` : ''}</div>`
}

const isTown = (name: TextField) => getFormRow(name).isTown === true

function slot(parts: CheckoutParts, name: TextField): Html {
  return html`<div${attributes({ class: getFormRow(name).isHalf && 'half' })}>${field(parts, name)}</div>`
}

/** The country of the form's address; that of the checkout, if the form had no billing address yet. */
function countryIn({ values, checkout }: CheckoutParts, address: string): string {
  if (address !== 'billing_address') return values['shipping_address.country_code']
  return values['billing_address.country_code'] || (checkout.billing_address?.country_code ?? '')
}

const countryFor = (parts: CheckoutParts, name: TextField) => countryIn(parts, name.split('.')[0]!)

function listProvinceChoices(offer: Offer, name: TextField, country: string): readonly Province[] {
  if (!name.startsWith('billing')) return provincesIn(offer, country)
  return country ? getAddressRules(country).provinces : []
}

function level(parts: CheckoutParts, name: TextField): Level {
  const [address, part] = name.split('.') as [string, string | undefined]
  const country = countryIn(parts, address) || null
  const { offer } = parts.context
  return address === 'billing_address' ? getBillingLevel(part!, offer, country) : getFieldLevel(name, offer, country)
}

export function small(text: string | null | false): Html | '' {
  return text ? html`<small>${text}</small>` : ''
}

function field(parts: CheckoutParts, name: TextField): Html {
  const {
    context: { t },
    errors,
  } = parts
  const { hint } = getFormRow(name)
  const label = t(isEitherContact(parts, name) ? 'email_or_phone' : labelIn(name, countryFor(parts, name) || null))
  return html`<p class="field"><label for="${name}">${label} ${small(formatLabelNote(parts, name))}</label>
${control(parts, name)}
${hint ? html`<span class="hint" id="${name}-hint">${t(hint)}</span>` : ''}</p>${renderFieldFault(name, errors[name])}`
}

function isEitherContact({ context: { offer } }: CheckoutParts, name: TextField): boolean {
  return name === 'customer.email' && takesEitherContact(offer)
}

/** Marks the field as optional. */
function formatLabelNote(parts: CheckoutParts, name: TextField): string | false {
  const isNeeded = level(parts, name) === 'required' || isEitherContact(parts, name)
  return getFormRow(name).type !== 'country' && !isNeeded && parts.context.t('optional')
}

function control(parts: CheckoutParts, name: TextField): Html {
  const {
    context: { t, offer },
    values,
    errors,
    focusField,
  } = parts
  const { type: usual, autocomplete, hint } = getFormRow(name)
  const provinces = usual === 'province' ? listProvinceChoices(offer, name, countryFor(parts, name)) : []
  const type = usual === 'province' ? undefined : usual
  const about = aboutField(name, { fault: errors[name], hint: hint && t(hint), focus: focusField === name })
  if (type === 'country') return country(parts, name, about)
  const inputAttributes = {
    id: name,
    name,
    autocomplete,
    maxlength: getMaxLength(name),
    'aria-required': level(parts, name) === 'required' && 'true',
  }
  if (provinces.length > 0) return province(parts, inputAttributes, provinces, about)
  if (type === 'area')
    return html`<textarea rows="3"${attributes(inputAttributes)}${about}>
${values[name]}</textarea>`
  const shownType = isEitherContact(parts, name) ? 'text' : (type ?? 'text')
  const own = attributes({ ...inputAttributes, type: shownType, inputmode: type, value: values[name] })
  return html`<input${own}${about}>`
}

/** A select of names. It includes the typed text, unless that is a province of another country. */
function province(
  parts: CheckoutParts,
  { id, name, autocomplete, ...shared }: ControlAttributes,
  provinces: readonly Province[],
  about: Html,
) {
  const { context, values } = parts
  const selectedProvince = parseProvinceCode(countryFor(parts, name), values[name])
  const { compare } = new Intl.Collator(context.language)
  const options = provinces
    .toSorted((a, b) => compare(a.name, b.name))
    .map(({ code, name }) => html`<option value=${code}${code === selectedProvince ? html` selected` : ''}>${name}`)
  const own = attributes({ id, name, autocomplete, 'aria-required': shared['aria-required'] })
  return html`<select${own}${about}><option value="">${context.t('province_choose')}${options}</select>`
}

type ControlAttributes = {
  id: string
  name: TextField
  autocomplete: string | undefined
  'aria-required': string | false
}

/** For the delivery only countries that the store ships to, since all 240 countries are 7 KB. */
function country(parts: CheckoutParts, name: TextField, about: Html): Html {
  const { offer, language, t } = parts.context
  const value = countryFor(parts, name)
  const rates = offer.shipping_rates
  const isAnywhere = rates.some(({ country_codes }) => country_codes.length === 0)
  const codes =
    isAnywhere || name.startsWith('billing')
      ? null
      : new Set([...rates.flatMap(({ country_codes }) => country_codes), value])
  const options = countriesIn(language)
    .filter(([code]) => codes === null || codes.has(code))
    .map(([code, text]) => html`<option value=${code}${code === value ? html` selected` : ''}>${text}`)
  const update = t(name.startsWith('billing') ? 'update' : 'update_shipping')
  return html`<select${attributes({ id: name, name, autocomplete: getFormRow(name).autocomplete })}${about}>
${options}</select>
<noscript><button class="quiet" name="act" value="update">${update}</button></noscript>`
}
