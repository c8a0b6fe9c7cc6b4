// The bodies of carts and checkouts. Fields of responses, such as titles and totals, are ignored in requests, except
// for the price that the agent expects.
import { list, object } from '../../../kit/declare/composites.ts'
import type { Create } from '../../../kit/declare/field.ts'
import { integer, text } from '../../../kit/declare/scalars.ts'
import { plainDigits } from '../../../kit/values/digits.ts'
import { createBody } from '../../../kit/declare/shape.ts'
import { answers } from '../../../storefront/checkout/offers/answers.ts'
import { contextFields } from '../catalog/inputs.ts'

const maxLines = 100
const amount = () => integer({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER })
const id = () => text({ max: 100 })

// prettier-ignore
const line = object({
  id:       id().nullable().describe('ID of an existing line'),
  item:     object({
    id:     id().required().describe('ID of the variant, or of a product without variants'),
    price:  amount().nullable().describe('Price that you expect: a warning tells if it is another'),
    quantity_unit: object({ unit: text({ max: 20 }).required(), scale: integer({ min: 0, max: 20 }).nullable() })
      .nullable().describe('Unit that you expect: everything is sold by the piece (C62)'),
  }).required(),
  quantity: integer({ min: 1, max: 9999 }).required(),
})

// prettier-ignore
const buyerFields = {
  first_name:   text({ max: 100 }).nullable(),
  last_name:    text({ max: 100 }).nullable(),
  email:        text({ max: 254 }).nullable(),
  phone_number: text({ max: 40 }).becomes(plainDigits).nullable(),
}

// prettier-ignore
const placeFields = {
  first_name:       text({ max: 100 }).nullable(),
  last_name:        text({ max: 100 }).nullable(),
  phone_number:     text({ max: 40 }).becomes(plainDigits).nullable(),
  street_address:   text({ max: 500 }).nullable(),
  extended_address: text({ max: 500 }).nullable(),
  address_locality: text({ max: 120 }).nullable(),
  address_region:   text({ max: 120 }).nullable(),
  address_country:  text({ max: 100 }).nullable().describe('ISO 3166-1 alpha-2 code, such as MX'),
  postal_code:      text({ max: 40 }).becomes(plainDigits).nullable(),
}
const destination = object({ id: id().nullable(), ...placeFields })

// prettier-ignore
const method = object({
  id:                      id().nullable(),
  type:                    text({ max: 40 }).nullable().describe('shipping or pickup'),
  line_item_ids:           list(id(), { max: maxLines }).nullable(),
  destinations:            list(destination, { max: 10 }).nullable(),
  selected_destination_id: id().nullable(),
  groups:                  list(object({ id: id().nullable(), selected_option_id: id().nullable() }), { max: 10 })
    .nullable(),
})

// prettier-ignore
const instrument = object({
  id: id().nullable(), handler_id: id().nullable(), type: text({ max: 100 }).nullable(),
  billing_address: object(placeFields).nullable(),
})
const payment = () => object({ instruments: list(instrument, { max: 10 }).nullable() }).nullable()
const totals = () =>
  list(object({ type: text({ max: 100 }).required(), amount: amount().required() }), { max: 50 }).nullable()

// prettier-ignore
const cartFields = {
  line_items: list(line, { max: maxLines }).required(),
  buyer:      object(buyerFields).nullable(),
  context:    object(contextFields).nullable(),
  discounts:  object({ codes: list(text({ max: 50 }), { max: 10 }).nullable() }).nullable(),
}

// prettier-ignore
const checkoutFields = {
  ...cartFields,
  fulfillment: object({ methods: list(method, { max: 10 }).nullable() }).nullable()
    .describe('Fulfillment of the event'),
  payment:     payment().describe('Instrument of one of ucp.payment_handlers'),
  custom_fields: answers().describe('Answers to custom_field_definitions by key; null removes one'),
}

export const cartInput = createBody(cartFields)
export const checkoutInput = createBody(checkoutFields)
export const newCheckoutInput = createBody({
  ...checkoutFields,
  cart_id: id().nullable().describe('Cart whose items and buyer the checkout takes over; line_items is then ignored'),
})
export const completionInput = createBody({
  payment: payment(),
  totals: totals().describe('Totals that the buyer agreed to; a higher total of the store refuses the order'),
})

export type CartBody = Create<typeof cartFields>
export type CheckoutBody = Create<typeof checkoutFields> & { cart_id?: string | null }
export type CompletionBody = NonNullable<(typeof completionInput)['type']>
