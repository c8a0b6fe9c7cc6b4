// The customer of a draft in its form: a search, or the card of the one who is chosen, who brings a contact and
// addresses.
import { html } from 'hono/html'
import { customer, type Customer } from '../../../../commerce/customers/customer.ts'
import type { CustomerAddress } from '../../../../commerce/customers/address.ts'
import { chooseDefaultAddresses } from '../../../../commerce/customers/addresses.ts'
import type { DraftOrder } from '../../../../commerce/draftorders/draftorder.ts'
import { entityPage } from '../../../../kit/declare/page.ts'
import { sql } from '../../../../kit/database/sql.ts'
import { nameOfCountry } from '../../../../kit/values/countries.ts'
import { toUuid } from '../../../../kit/values/ids.ts'
import { field, type Form } from '../../../../platform/pages/form.ts'
import { hidden } from '../../../../platform/pages/parts.ts'
import { fields, type FormProps } from '../../../framework/form.ts'
import type { FormInput, Html, PageContext } from '../../../framework/screen.ts'
import { addressInputs, billingInputs } from '../actions.ts'
import { contactInputs, customerInput } from '../neworder.ts'

const removal = 'no_customer'

/** The form with the contact and the default addresses of a customer who was just chosen. */
export async function fillBuyer(context: PageContext): Promise<PageContext> {
  const { form, rejection } = context
  const id = field(form, 'customer_id')
  if (!rejection || id === '') return context
  if (field(form, 'pick') === removal) return { ...context, form: { ...form, customer_id: '', ...contact({}) } }
  const buyer = id === field(form, 'card_of') ? undefined : await findCustomer(context, id)
  return buyer ? { ...context, form: { ...form, ...contact(buyer), ...defaultAddresses(context, buyer) } } : context
}

async function findCustomer({ db, store }: PageContext, id: string): Promise<Customer | undefined> {
  const one = { page: 1, per_page: 1, sort: 'name', order: 'asc' } as const
  const { data } = await entityPage(db, customer, store, one, sql`customers.id = ${toUuid('cus', id)}::uuid`)
  return data[0]
}

function contact({ name, email, phone, tax_id }: Partial<Customer>): Form {
  return { customer_name: name ?? '', customer_email: email ?? '', customer_phone: phone ?? '', tax_id: tax_id ?? '' }
}

function defaultAddresses(context: PageContext, { name, addresses }: Customer): Form {
  const { shipping, billing } = chooseDefaultAddresses(addresses) ?? {}
  return {
    ...fillAddress(context, addressInputs, name, shipping),
    ...fillAddress(context, billingInputs, name, billing),
  }
}

function fillAddress(
  { language }: PageContext,
  inputs: readonly FormInput[],
  name: string,
  address: CustomerAddress | null | undefined,
): Form {
  if (!address) return {}
  const values: Record<string, unknown> = {
    ...address,
    name: address.name ?? name,
    country: nameOfCountry(language, address.country_code),
  }
  return Object.fromEntries(inputs.map((input) => [input.name, String(values[input.name.split('.').at(-1)!] ?? '')]))
}

/** `props`: those of the form. */
export async function customerCard(context: PageContext, props: FormProps, draft: Partial<DraftOrder>): Promise<Html> {
  const { t, base, form, rejection } = context
  const value = (name: 'customer_id' | 'customer_name' | 'customer_email' | 'customer_phone') =>
    rejection ? field(form, name) : (draft[name] ?? '')
  const id = value('customer_id')
  const contactFields = await fields(context, props, contactInputs)
  const hasFault = contactInputs.some(({ name }) => rejection?.faults[name])
  const content = id
    ? html`${hidden('customer_id', id)}${hidden('card_of', id)}
<p><a class="main" href="${base}/customers/${id}">${value('customer_name') || t('customer_name')}</a><br>
${[value('customer_email'), value('customer_phone')].filter(Boolean).map((line) => html`${line}<br>`)}</p>
<details${hasFault ? html` open` : ''}><summary>${t('draft_contact')}</summary>${contactFields}</details>
<p><button class="quiet" name="pick" value="${removal}">${t('draft_customer_change')}</button></p>`
    : html`${await fields(context, props, [customerInput])}${contactFields}`
  return html`<form-parts ids="draft-customer draft-delivery"><div id="draft-customer">${content}</div></form-parts>`
}
