// The addresses of a signed-in shopper.
import { html } from 'hono/html'
import { addressChanges, newAddress, type CustomerAddress } from '../../../commerce/customers/address.ts'
import { createAddress, deleteAddress, listAddresses, updateAddress } from '../../../commerce/customers/addresses.ts'
import { townLine } from '../../../commerce/orders/address.ts'
import { ApiError, notFound } from '../../../kit/values/errors.ts'
import { townFields } from '../../../kit/values/provinces.ts'
import { aboutField, attributes, choice, renderFieldFault } from '../../../platform/pages/parts.ts'
import { countriesIn } from '../checkout/countries.ts'
import { fieldErrors } from '../frame/fielderrors.ts'
import { labelIn, rows } from '../frame/formrows.ts'
import type { ShopMessageKey } from '../frame/messages.ts'
import { field, type Html, type ShopResult } from '../frame/page.ts'
import { toShopperName } from '../frame/prefill.ts'
import { accountPath, forShopper, type ShopperContext } from '../frame/shopper.ts'
import { accountPage } from './layout.ts'

const path = `${accountPath}/addresses`
const place = '/addresses'

type AddressRow = { label: ShopMessageKey; autocomplete: string; max: number; isHalf?: boolean }

// prettier-ignore
const fields = {
  name:        { label: rows['customer.name'].label, autocomplete: 'name', max: 200 },
  company:     { label: rows['shipping_address.company'].label, autocomplete: 'organization', max: 200 },
  address:     { label: rows['shipping_address.address'].label, autocomplete: 'address-line1', max: 500 },
  address_2:   { label: rows['shipping_address.address_2'].label, autocomplete: 'address-line2', max: 500 },
  postal_code: {
    label: rows['shipping_address.postal_code'].label, autocomplete: 'postal-code', max: 40, isHalf: true,
  },
  city:        { label: rows['shipping_address.city'].label, autocomplete: 'address-level2', max: 120, isHalf: true },
  province:    { label: rows['shipping_address.province'].label, autocomplete: 'address-level1', max: 120 },
  phone:       { label: rows['customer.phone'].label, autocomplete: 'tel', max: 40 },
} as const satisfies Record<string, AddressRow>

type TextName = keyof typeof fields
const names = Object.keys(fields) as TextName[]
const requiredNames: readonly TextName[] = ['name', 'address', 'city']

type AddressValues = Record<TextName | 'country_code', string> & { isDefault: boolean }

export const showAddresses = forShopper(async (context) => {
  const { db, store, shopper, t, root } = context
  const addresses = await listAddresses(db, store, shopper.id)
  const items = addresses.map(
    (one) => html`<li><address>${addressLines(context, one)}</address>
${one.is_default_shipping ? html`<span class="soft">${t('address_default')}</span>` : ''}
<a href="${root}${path}/${one.id}">${t('edit')}<span class="hidden">: ${one.address ?? one.city}</span></a></li>`,
  )
  const list = items.length > 0 ? html`<ul class="records">${items}</ul>` : html`<p>${t('addresses_none')}</p>`
  const content = html`${list}
<p><a class="button" href="${root}${path}/new">${t('address_add')}</a></p>`
  return { page: accountPage(context, { place, content }) }
})

/** Several lines, as on an envelope. */
function addressLines(context: ShopperContext, one: CustomerAddress): Html {
  const lines = [
    ...formatAddressLines(one),
    new Map(countriesIn(context.language)).get(one.country_code) ?? one.country_code,
  ]
  return html`${lines.map((line) => html`${line}<br>`)}`
}

function formatAddressLines({ name, company, address, address_2, ...one }: CustomerAddress): string[] {
  const town = townLine({ ...one, country: null, notes: null }, one.country_code)
  return [name, company, address, address_2, town].filter((line) => line !== null && line !== '') as string[]
}

export const showAddress = forShopper(async (context) => {
  const { params, store, shopper } = context
  if (params.address === 'new') {
    const empty = Object.fromEntries(names.map((name) => [name, ''])) as Record<TextName, string>
    const values = { ...empty, name: toShopperName(shopper) ?? '', country_code: store.country_code, isDefault: false }
    return { page: form(context, values) }
  }
  const address = await ownAddress(context)
  const texts = Object.fromEntries(names.map((name) => [name, address[name] ?? ''])) as Record<TextName, string>
  const values = { ...texts, country_code: address.country_code, isDefault: address.is_default_shipping }
  return { page: form(context, values) }
})

async function ownAddress({ db, store, shopper, params }: ShopperContext): Promise<CustomerAddress> {
  const address = (await listAddresses(db, store, shopper.id)).find(({ id }) => id === params.address)
  if (!address) throw notFound('Page')
  return address
}

export const saveAddress = forShopper(async (context): Promise<ShopResult> => {
  const { db, store, shopper, params, form: submission } = context
  const [id, isNew] = [params.address!, params.address === 'new']
  if (field(submission, 'act') === 'remove') {
    await db.transaction((tx) => deleteAddress(tx, store, shopper.id, id))
    return { to: `${path}?done=removed` }
  }
  const values = readSubmittedAddress(context)
  try {
    const body = toAddressBody(values)
    const missing = requiredNames.filter((name) => values[name] === '')
    if (missing.length > 0)
      return refusal(context, values, Object.fromEntries(missing.map((name) => [name, missingText(context, name)])))
    if (isNew) await db.transaction((tx) => createAddress(tx, store, shopper.id, newAddress.read(body, store)))
    else await db.transaction((tx) => updateAddress(tx, store, shopper.id, id, addressChanges.read(body, store)))
    return { to: `${path}?done=${isNew ? 'added' : 'saved'}` }
  } catch (error) {
    if (!(error instanceof ApiError) || error.faults.length === 0) throw error
    const faults = error.faults.map((one) => ({ ...one, field: `shipping_address.${one.field}` }))
    const errors = Object.entries(fieldErrors(context, faults))
    return refusal(context, values, Object.fromEntries(errors.map(([name, text]) => [name.split('.').at(-1)!, text])))
  }
})

function readSubmittedAddress({ form: submission }: ShopperContext): AddressValues {
  const texts = Object.fromEntries(names.map((name) => [name, field(submission, name)])) as Record<TextName, string>
  return {
    ...texts,
    country_code: field(submission, 'country_code'),
    isDefault: field(submission, 'is_default') !== '',
  }
}

function toAddressBody({ isDefault, country_code, ...texts }: AddressValues): Record<string, unknown> {
  const lines = Object.entries(texts).map(([name, text]) => [name, text || null])
  return { ...Object.fromEntries(lines), country_code, ...(isDefault ? { is_default_shipping: true } : {}) }
}

function missingText({ t }: ShopperContext, name: TextName): string {
  const messages: Partial<Record<TextName, ShopMessageKey>> = {
    name: 'name_missing',
    address: 'street_missing',
    city: 'city_missing',
  }
  return t(messages[name] ?? 'field_missing')
}

const refusal = (context: ShopperContext, values: AddressValues, errors: Record<string, string>): ShopResult => ({
  status: 422,
  page: form(context, values, errors),
})

function form(context: ShopperContext, values: AddressValues, errors: Record<string, string> = {}): Html {
  const { t, root, params, language } = context
  const isNew = params.address === 'new'
  const first = [...names, 'country_code'].find((name) => errors[name])
  const country = values.country_code
  const order = townFields(country)
  const [before, after] = [names.slice(0, names.indexOf('address_2') + 1), names.slice(names.indexOf('province') + 1)]
  const inputs = [...before, ...order, ...after].map((name) =>
    textInput(context, name, { country, value: values[name], fault: errors[name], focus: first === name }),
  )
  const options = countriesIn(language).map(
    ([code, text]) => html`<option value=${code}${code === values.country_code ? html` selected` : ''}>${text}`,
  )
  const about = { id: 'country_code', name: 'country_code', autocomplete: 'country' }
  const remove = html`<form method="post" action="${root}${path}/${params.address!}">
<button class="link" name="act" value="remove">${t('address_remove')}</button></form>`
  const content = html`<form method="post" action="${root}${path}/${params.address!}" novalidate data-once>
<div class="fields">${inputs}
<div><p class="field"><label for="country_code">${t('country')}</label>
<select${attributes(about)}${aboutField('country_code', { fault: errors.country_code })}>${options}</select></p>
${renderFieldFault('country_code', errors.country_code)}</div></div>
${values.isDefault ? '' : choice({ type: 'checkbox', name: 'is_default', value: '1' }, t('address_make_default'))}
<button>${t('save')}</button></form>
${isNew ? '' : remove}`
  return accountPage(context, { place, title: t(isNew ? 'address_add' : 'address_edit'), content })
}

function textInput(
  { t }: ShopperContext,
  name: TextName,
  { country, value, fault, focus }: { country: string; value: string; fault: string | undefined; focus: boolean },
): Html {
  const { label: usual, autocomplete, max, ...row }: AddressRow = fields[name]
  const isTown = name === 'postal_code' || name === 'province'
  const label = isTown ? labelIn(`shipping_address.${name}`, country) : usual
  const isRequired = requiredNames.includes(name)
  const own = { id: name, name, autocomplete, maxlength: max, value, 'aria-required': isRequired && 'true' }
  return html`<div${attributes({ class: row.isHalf && 'half' })}>
<p class="field"><label for="${name}">${t(label)}${isRequired ? '' : html` <small>${t('optional')}</small>`}</label>
<input${attributes(own)}${aboutField(name, { fault, focus })}></p>${renderFieldFault(name, fault)}</div>`
}
