// A shopper's cart on its way to an order: what its routes take, its row, and what they answer.
import { either, list, object } from '../kit/declare/composites.ts'
import type { Patch } from '../kit/declare/field.ts'
import { choice, id, integer, money, text, uuid } from '../kit/declare/scalars.ts'
import { uuidOf } from '../kit/values/ids.ts'
import { languages, type Language } from '../kit/values/language.ts'
import { createBody, patchBody, queryReader } from '../kit/declare/shape.ts'
import { raw } from '../kit/database/sql.ts'
import { customer } from '../customers/customer.ts'
import { addressFields } from '../orders/address.ts'
import { methodCode } from '../stores/setting.ts'
import { countryCode } from '../stores/store.ts'

export const maximumLines = 100
const maximumQuantity = 9999
const maximumChosenBumps = 20

/** An element of order_bumps: a bump's id, or the bump as it is answered. */
const bump = either<string>(
  [
    { type: 'string', maxLength: 64 },
    { type: 'object', properties: { bump_id: { type: 'string', maxLength: 64 } }, required: ['bump_id'] },
  ],
  (given: string | { bump_id: string }) =>
    uuidOf('bump', typeof given === 'string' ? given : given.bump_id) ?? { refused: 'does not exist' },
)

// prettier-ignore
const line = object({
  product_id: id('prod').required(),
  variant_id: uuid().nullable().describe('Needed for a product with variants'),
  quantity:   integer({ min: 1, max: maximumQuantity }).required().example(2),
  bump_id:    text({ max: 64 }).nullable().describe('Of a line that order_bumps brought: it is left to order_bumps'),
}).example({ product_id: 'prod_01j4ppgy1yf81r8stpc70j8epm', quantity: 2 })

/** What is answered as it was given. */
// prettier-ignore
export const given = {
  customer: object({
    name:  text({ max: 200 }).nullable().example('Ana Torres'),
    email: customer.fields.email,
    phone: text({ max: 40, format: 'phone' }).nullable().example('+52 55 1234 5678'),
  }),
  shipping_address: object({ ...addressFields, country_code: countryCode().nullable().example('MX') }),
  discount_code:    text({ min: 1, max: 50 }).becomes((code) => code.trim().toUpperCase()).nullable()
    .example('WELCOME10'),
  shipping_method:  methodCode().nullable().example('standard'),
  payment_method:   methodCode().nullable().example('cod'),
  customer_notes:   text({ max: 1000 }).nullable(),
}

// prettier-ignore
const fields = {
  ...given,
  items:            list(line, { max: maximumLines }),
  shipping_address: given.shipping_address.nullable(),
  order_bumps:      list(bump, { max: maximumChosenBumps }),
  locale:           choice(languages).describe('The language of mail to the shopper'),
}

export const newCheckout = createBody({ ...fields, items: list(line, { min: 1, max: maximumLines }).required() })
export const checkoutChanges = patchBody(fields)

const pay = () => choice(['ok', 'fail']).describe('What the test provider shall do')

export const completion = createBody({
  total: money().describe('What the shopper has agreed to pay; unless given, the total of the last POST or PATCH'),
  pay: pay(),
})
export const completionQuery = queryReader({ pay: pay() })

export type CheckoutInput = Patch<typeof fields>
export type NewCheckout = CheckoutInput & Pick<Required<CheckoutInput>, 'items'>
export type Completion = { total?: number; pay?: 'ok' | 'fail' }

export type Status = 'active' | 'abandoned' | 'recovered' | 'expired' | 'completed'

export type Customer = { name: string | null; email: string | null; phone: string | null }
export type Address = { [K in keyof typeof addressFields | 'country_code']?: string | null }

/** A line as it is stored, listed and sent with events. `bump_id`: the bump that brought it. */
export type Item = {
  product_id: string
  variant_id: string | null
  product_name: string
  variant_name: string | null
  quantity: number
  unit_price: number
  total_price: number
  bump_id: string | null
}

/** A bump that is no product. */
export type ChosenBump = { bump_id: string; title: string; price: number }

export type CheckoutRow = {
  id: string
  token: string | null
  status: Status
  locale: Language
  customer_name: string | null
  customer_email: string | null
  customer_phone: string | null
  shipping_address: Address | null
  items: Item[]
  order_bumps: ChosenBump[]
  bump_ids: string[]
  discount_code: string | null
  shipping_method: string | null
  payment_method: string | null
  customer_notes: string | null
  currency: string
  subtotal: string
  discount: string
  shipping: string
  tax: string
  total: string
  order_id: string | null
  draft_since: Date | null
  abandoned_at: Date | null
  created_at: Date
  updated_at: Date
}

export const rowColumns = raw(`
  checkouts.id, checkouts.token, checkouts.status, checkouts.locale, checkouts.customer_name, checkouts.customer_email,
  checkouts.customer_phone, checkouts.shipping_address, checkouts.items, checkouts.order_bumps, checkouts.bump_ids,
  checkouts.discount_code, checkouts.shipping_method, checkouts.payment_method, checkouts.customer_notes,
  checkouts.currency, checkouts.subtotal, checkouts.discount, checkouts.shipping, checkouts.tax, checkouts.total,
  checkouts.order_id, checkouts.draft_since, checkouts.abandoned_at, checkouts.created_at, checkouts.updated_at`)

/** What a sealed token is bound to; `id` is the public one. */
export function sealPlace(storeId: string, id: string): string {
  return `checkout ${storeId} ${id}`
}
