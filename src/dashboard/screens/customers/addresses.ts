// The addresses of a customer: a panel on the customer's screen, and the screens that edit one.
import { nameOfCountry } from '../../../kit/values/countries.ts'
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { customer, type Customer } from '../../../commerce/customers/customer.ts'
import type { CustomerAddress } from '../../../commerce/customers/address.ts'
import { townLine } from '../../../commerce/orders/address.ts'
import { endpoint } from '../../framework/api.ts'
import { read } from '../../framework/call.ts'
import { countries } from '../../framework/choices.ts'
import { mark, panel } from '../../framework/parts.ts'
import { record } from '../../framework/record.ts'
import type { FormInput, Html, PageContext, ScreenAction } from '../../framework/screen.ts'

const customerPath = '/customers/{id}'
const path = `${customerPath}/addresses`

const inputs: FormInput[] = [
  { name: 'name', isHalf: true },
  { name: 'company', isHalf: true, label: 'shipping_address_company' },
  { name: 'address', label: 'shipping_address_address' },
  { name: 'address_2', label: 'shipping_address_address_2' },
  { name: 'postal_code', isHalf: true, label: 'shipping_address_postal_code' },
  { name: 'city', isHalf: true },
  { name: 'province', isHalf: true },
  { name: 'country_code', isHalf: true, options: countries },
  { name: 'phone', isHalf: true },
  { name: 'is_default_shipping' },
  { name: 'is_default_billing' },
]

const toCustomer = (_answer: unknown, { params }: PageContext) => `/customers/${params.id!}`

const create: ScreenAction = {
  route: endpoint('POST /customers/{id}/addresses'),
  inputs,
  done: 'added',
  to: toCustomer,
}
const save: ScreenAction = {
  route: endpoint('PATCH /customers/{id}/addresses/{address_id}'),
  inputs,
  done: 'saved',
  to: toCustomer,
}
const remove: ScreenAction = {
  route: endpoint('DELETE /customers/{id}/addresses/{address_id}'),
  done: 'deleted',
  to: toCustomer,
}

const marks = {
  section: 'customers',
  within: { path: customerPath, title: 'customer' },
  params: { id: customer },
} as const

// prettier-ignore
export const newAddressScreen = record({
  ...marks, path: `${path}/new`, scope: 'write:customers', title: 'address_new', actions: { create },
  read: async (context) => (await read(context, endpoint('GET /customers/{id}'), { params: context.params })).data,
  main: [{ isNarrow: true, form: {
    act: 'create', button: 'add', values: (_, { store: { country_code } }) => ({ country_code }),
  } }],
})

// prettier-ignore
export const addressScreen = record({
  ...marks, path: `${path}/{address_id}`, scope: 'read:customers', title: 'shipping_address',
  actions: { save, remove },
  read: (context: PageContext) =>
    read(context, endpoint('GET /customers/{id}/addresses/{address_id}'), { params: context.params }),
  main: [{ isNarrow: true,
    form: { act: 'save', values: ({ data }) => data, version: ({ version }) => version },
    buttons: [{ act: 'remove', text: 'delete', kind: 'quiet danger' }],
  }],
})

/** Lists the addresses, each with a link to edit it. */
export function addressPanel(context: PageContext, { id, addresses }: Customer): Html {
  const { t, base, role } = context
  const isOpen = mayUse(role, 'write:customers')
  const add = html`<a href="${base}/customers/${id}/addresses/new">${t('address_new')}</a>`
  const items = addresses.map(
    (one) => html`<li><div><address>${addressText(context, one)}</address>
${one.is_default_shipping ? mark(t('is_default_shipping'), 'plain') : ''}
${one.is_default_billing ? mark(t('is_default_billing'), 'plain') : ''}</div>
${isOpen ? html`<a href="${base}/customers/${id}/addresses/${one.id}">${t('edit')}</a>` : ''}</li>`,
  )
  const list = items.length > 0 ? html`<ul class="rows">${items}</ul>` : html`<p>${t('addresses_none')}</p>`
  return panel(t('customer_addresses'), list, isOpen ? add : '')
}

function addressText({ language }: PageContext, one: CustomerAddress): Html {
  const town = townLine({ ...one, country: null, notes: null }, one.country_code)
  const country = nameOfCountry(language, one.country_code)
  const lines = [one.name, one.company, one.address, one.address_2, town, country, one.phone].filter(Boolean)
  return html`${lines.map((line) => html`${line}<br>`)}`
}
