// A checkout: its row, and the input of its routes.
import { isDeepStrictEqual } from 'node:util'
import { either, list, object, set } from '../../kit/declare/composites.ts'
import type { Cells, Patch } from '../../kit/declare/field.ts'
import { invalidValue } from '../../kit/declare/invalidvalue.ts'
import { resource } from '../../kit/declare/resource.ts'
import { listFieldNames, pick, writable, personalNames } from '../../kit/declare/row.ts'
import { choice, flag, id, integer, money, text, time, url, uuid } from '../../kit/declare/scalars.ts'
import { createBody, patchBody, queryReader } from '../../kit/declare/shape.ts'
import { plainDigits } from '../../kit/values/digits.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { generalFaults } from '../../kit/values/faults.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import { languages } from '../../kit/values/language.ts'
import { availableOnField } from '../../commerce/catalog/availableon.ts'
import { customer } from '../../commerce/customers/customer.ts'
import { discountCode, discountCodes } from '../../commerce/discounts/codes.ts'
import { addressFields, derivedFields } from '../../commerce/orders/address.ts'
import { sharedFields } from '../../commerce/orders/order.ts'
import { channels } from '../../commerce/orders/source.ts'
import { answers } from './offers/answers.ts'
import { shippingQuotes, type ShippingQuotes } from './offers/quotes.ts'
import type { PaymentDeps } from '../../commerce/payments/providercalls.ts'
import { countryCode } from '../../tenancy/stores/store.ts'

/** Dependencies of checkout operations beside the database. */
export type CheckoutDeps = { vault: Vault; checkout: CheckoutConfig }

/** What the caller asked apps before the transaction; undefined if nothing had to be asked. */
export type WithQuotes = { quotes?: ShippingQuotes | undefined }

/** With the dependencies of provider calls. */
export type SettlementDeps = CheckoutDeps & PaymentDeps

/** The base of links, and the default ages at which idle checkouts end. */
export type CheckoutConfig = { baseUrl: string; abandonAfterSeconds: number; expireAfterSeconds: number }

const maxLines = 100
const maxBumps = 20
export const maxItems = maxLines + maxBumps

// prettier-ignore
const line = object({
  product_id: id('prod').required(),
  variant_id: uuid().nullable().describe('ID of the variant; required for a product with variants'),
  quantity:   integer({ min: 1, max: 9999 }).required().example(2),
  bump_id:    text({ max: 64 }).nullable()
    .describe('ID of the order bump that added the item; change it with order_bumps'),
}).example({ product_id: 'prod_01j4ppgy1yf81r8stpc70j8epm', quantity: 2 })

/** A line as it is stored, listed and sent with events. `bump_id`: the bump that brought it. */
// prettier-ignore
const item = object({
  product_id: id('prod').required(), product_name: text().required().describe('Name of the product when it was sold'),
  variant_id: uuid().nullable().required(), variant_name: text().nullable().required(),
  quantity: integer().required(), unit_price: money().required().describe('Price of one unit'),
  total_price: money().required().describe('Unit price times quantity'),
  bump_id: id('bump').nullable().required(),
  available_on: availableOnField().describe('Day from which it ships; null unless it is a pre-order'),
  requires_shipping: flag().describe('Whether it is shipped; an address is needed only if an item is'),
})

/** May exceed the maximum of an order: `changes` reports it, and the checkout cannot be completed. */
export const computedMoney = () => money({ max: Number.MAX_SAFE_INTEGER })

/** A bump without a product. */
const bump = object({ bump_id: id('bump').required(), title: text().required(), price: money().required() })

const bumpForms = [
  { type: 'string', maxLength: 64 },
  { type: 'object', properties: { bump_id: { type: 'string', maxLength: 64 } }, required: ['bump_id'] },
]
/** The ID of a bump, or the bump as responses show it. */
const bumpChoice = either<string>(
  bumpForms,
  (bump: string | { bump_id: string }) =>
    toUuid('bump', typeof bump === 'string' ? bump : bump.bump_id) ?? invalidValue(generalFaults.does_not_exist),
)

// prettier-ignore
const contactFields = {
  name:  text({ max: 200 }).nullable().personal().example('Ana Torres'),
  email: customer.fields.email,
  phone: text({ max: 40, format: 'phone' }).becomes(plainDigits).nullable().personal().example('+52 55 1234 5678'),
}
export const contact = object(contactFields, { always: ['name', 'email', 'phone'] })
const { name, email, phone } = contactFields

const placeFields = {
  ...pick(addressFields, ['address', 'city', 'province']),
  country_code: countryCode().nullable().example('MX'),
  ...pick(addressFields, ['postal_code']),
  ...addressFields,
}
export const address = object(
  { ...placeFields, ...derivedFields },
  { always: listFieldNames(placeFields, () => true) },
).takes(object(placeFields).nullable())

export const statuses = ['active', 'abandoned', 'recovered', 'expired', 'completed'] as const

// Fields that are not readonly are in request bodies and in what shoppers and merchants see. The purge deletes personal
// ones.
// prettier-ignore
export const checkout = resource('checkouts', {
  id:                 id('chk').readonly(),
  token:              text().nullable().readonly().personal(),   // sealed
  status:             choice(statuses).readonly(),
  customer_name:      name.readonly().personal(),
  customer_email:     email.readonly().personal(),
  customer_phone:     phone.readonly().personal(),
  shipping_address:   address.nullable().personal(),
  items:              list(item, { max: maxItems }),
  order_bumps:        list(bump, { max: maxBumps })
    .describe('Accepted order bumps that are not products'),
  bump_ids:           set(id('bump'), { max: maxBumps }).readonly(),
  discount_code:      discountCode().nullable().example('WELCOME10')
    .describe('First of discount_codes that applies, or the first if none does; in a request, replaces them'),
  discount_codes:     discountCodes().describe('Discount codes, such as SUMMER10; the best combination applies'),
  ...sharedFields,
  presets:            set(text(), { max: 2 }).readonly(),        // methods that stand because there is no other
  customer_notes:     text({ max: 1000 }).nullable().personal().describe('Note from the customer'),
  custom_fields:      answers().nullable().personal(),
  accepts_marketing:  flag()
    .describe('Whether the shopper agrees to marketing emails; the order records it with the customer'),
  marketing_text:     text().nullable().readonly(),              // the sentence beside the box
  shipping_quotes:    shippingQuotes().nullable().readonly(),    // the answers of apps
  locale:             choice(languages).describe('Language of emails to the shopper'),
  subtotal:           computedMoney().readonly(),
  discount:           computedMoney().readonly(),
  shipping:           computedMoney().readonly(),
  tax:                computedMoney().readonly().describe('Tax amount'),
  total:              computedMoney().readonly(),
  currency:           text().readonly(),
  order_id:           id('ord').nullable().readonly(),
  recovers:           id('chk').nullable().readonly(), // the draft whose link another browser came by
  continues:          id('chk').nullable().readonly(), // the checkout whose link handed it over to this browser
  placed_in:          id('chk').nullable().readonly(), // the checkout of another browser that became its order
  draft_order_id:     id('dord').nullable().readonly(),           // the draft order whose link it pays
  has_payments:       flag().readonly(),                         // a shopper was sent to a provider
  channel:            choice(channels).nullable().readonly()
    .describe('Where the checkout comes from; null if it is not known'),
  agent:              text({ max: 200 }).nullable().readonly().example('assistant.example')
    .describe("Name of the shopper's agent"),
  draft_since:        time().nullable().readonly(),              // when its first contact came
  created_at:         time().readonly().sortable(),
  updated_at:         time().readonly(),
  abandoned_at:       time().nullable().readonly().describe('Time the checkout was abandoned; null if it was not'),
  recovered_at:       time().nullable().readonly()
    .describe('Time the shopper came back and ordered; null if not recovered'),
  recovery_opened_at: time().nullable().readonly().describe('Time the recovery link was first opened'),
}, {}, { noun: 'Checkout' })

const { fields } = checkout

/** Writable fields in the order of the declaration, without `customer`. */
export const inputFields = writable(fields)
export const totalFields = pick(fields, ['subtotal', 'discount', 'shipping', 'tax', 'total'])
/** An order takes these over from its checkout, under the same names. */
export const orderFieldNames = [
  'customer_name',
  'customer_email',
  'customer_phone',
  'discount_code',
  'discount_codes',
  'customer_notes',
  'locale',
  ...listFieldNames(sharedFields, () => true),
] as const satisfies readonly (keyof typeof fields)[]
export const personalFieldNames = personalNames(fields)

const body = {
  ...inputFields,
  items: list(line, { max: maxLines }),
  order_bumps: list(bumpChoice, { max: maxBumps }),
  customer: contact,
}

export const checkoutItems = list(line, { min: 1, max: maxLines })
export const newCheckout = createBody({ ...body, items: checkoutItems.required() })
export const checkoutChanges = patchBody(body)

const pay = () => choice(['ok', 'fail']).describe('Outcome the test provider simulates')
const agreementFields = {
  total: money().describe('Total the shopper agreed to. Defaults to the total of the last response'),
  pay: pay(),
  return_url: url().describe('URL the payment provider returns the shopper to. Defaults to a page of the online store'),
}

/** Completing accepts all fields of a PATCH too. */
export const completion = patchBody({ ...body, ...agreementFields })
export const completionQuery = queryReader({ pay: pay() })

export type CheckoutRow = Cells<typeof fields>
/** The time of a step and what it changes: the rest stays as it is stored. */
export function pickChanges(before: CheckoutRow, row: CheckoutRow): Partial<CheckoutRow> {
  const names = checkout.row.names as (keyof CheckoutRow)[]
  return pick(
    row,
    names.filter((name) => name === 'updated_at' || !isDeepStrictEqual(row[name], before[name])),
  )
}

export type CheckoutStatus = CheckoutRow['status']
export type CheckoutAddress = Partial<NonNullable<CheckoutRow['shipping_address']>>
export type CheckoutCustomer = { name: string | null; email: string | null; phone: string | null }
export type CheckoutItem = CheckoutRow['items'][number]
export type ChosenBump = CheckoutRow['order_bumps'][number]

export type CheckoutInput = Patch<typeof body>
export type NewCheckout = CheckoutInput & Pick<Required<CheckoutInput>, 'items'>
export type CompletionInput = CheckoutInput & {
  total?: number
  pay?: 'ok' | 'fail'
  /** May be a function of the payment's UUID, for callers with their own pages. */
  return_url?: string | ((session: string) => string)
}

/** `customer` of bodies and responses. */
export function toCheckoutCustomer({ customer_name, customer_email, customer_phone }: CheckoutRow): CheckoutCustomer {
  return { name: customer_name, email: customer_email, phone: customer_phone }
}
