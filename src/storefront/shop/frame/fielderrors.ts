// Messages for errors of fields, in the shopper's language.
import type { Fault, generalFaults } from '../../../kit/values/faults.ts'
import type { discountFaults } from '../../../commerce/discounts/errors.ts'
import type { orderFaults } from '../../../commerce/orders/errors.ts'
import type { returnFaults } from '../../../commerce/returns/errors.ts'
import type { paymentFaults } from '../../../commerce/payments/errors.ts'
import type { checkoutFaults } from '../../checkout/errors.ts'
import type { storeFaults } from '../../../tenancy/stores/errors.ts'
import { getFormRow, texts, type TextField } from './formrows.ts'
import type { ShopContext } from './page.ts'
import type { ShopMessageKey } from './messages.ts'

type FaultMessages = typeof generalFaults &
  typeof discountFaults &
  typeof orderFaults &
  typeof returnFaults &
  typeof paymentFaults &
  typeof checkoutFaults &
  typeof storeFaults

/** The message of a field for each code; `else` is for the codes that the row does not name. */
export type FieldMessages = Partial<Record<keyof FaultMessages, ShopMessageKey>> & { else: ShopMessageKey }

const plain: FieldMessages = { too_long: 'too_long', required: 'field_missing', else: 'field_bad' }

/** Takes the messages from the form's row. */
function buildFieldWording(name: TextField): FieldMessages {
  const { missing = 'field_missing', wrong } = getFormRow(name)
  return { ...plain, required: missing, ...(wrong ? { too_long: wrong, else: wrong } : {}) }
}

const sum = (changedMessage: ShopMessageKey): FieldMessages => ({ changed: changedMessage, else: 'field_bad' })

// `*` matches an index of a list.
// prettier-ignore
export const wordings: Record<string, FieldMessages> = {
  'items':              { too_valuable: 'order_too_large', too_many_elements: 'cart_full', required: 'return_nothing',
                          return_too_late: 'return_over', returns_off: 'return_not_now',
                          order_undone: 'return_not_now', else: 'cart_empty' },
  'items.*':            { else: 'not_for_sale' },
  'items.*.product_id': { else: 'not_for_sale' },
  'items.*.variant_id': { else: 'not_for_sale' },
  'items.*.bump_id':    { else: 'not_for_sale' },
  'items.*.quantity':   { sold_out: 'sold_out', only_left: 'left', more_than_left: 'more_than_left',
                          left_with_others: 'left_with_others',
                          only_returnable: 'return_left', not_shipped: 'return_not_now',
                          not_a_quantity: 'quantity_wrong',
                          else: 'quantity_too_large' },
  'items.*.reason':     { else: 'return_why_missing' },
  'items.*.note':       plain,
  'items.*.unit_price': { changed: 'price_changed', else: 'not_for_sale' },
  'order_bumps':        { else: 'bump_gone' },
  'order_bumps.*':      { changed: 'price_changed',
                          sold_out: 'sold_out', only_left: 'sold_out', more_than_left: 'sold_out',
                          left_with_others: 'sold_out',
                          else: 'bump_gone' },
  'customer':           { else: 'contact_missing' },
  ...Object.fromEntries(texts.map((name) => [name, buildFieldWording(name)])),
  'customer.email':     { ...buildFieldWording('customer.email'), contact_required: 'contact_missing',
                          contact_must_stay: 'contact_missing' },
  'shipping_address':                { else: 'field_bad' },
  'shipping_address.name':           plain,
  'shipping_address.phone':          buildFieldWording('customer.phone'),
  'shipping_address.country':        plain,
  'shipping_address.country_code':   { no_shipping_there: 'no_shipping_there', else: 'country_bad' },
  'shipping_address.notes':          plain,
  'shipping_address.postal_code':    { ...buildFieldWording('shipping_address.postal_code'),
                                       no_postal_code: 'postal_code_wrong' },
  'billing_address':                 { else: 'field_bad' },
  'billing_address.country':         plain,
  'billing_address.country_code':    { else: 'country_bad' },
  'billing_address.phone':           buildFieldWording('customer.phone'),
  'billing_address.notes':           plain,
  'billing_address.postal_code':     { ...buildFieldWording('billing_address.postal_code'),
                                       no_postal_code: 'postal_code_wrong' },
  'billing_address.tax_id':          buildFieldWording('tax_id'),
  'accepts_marketing':  plain,
  'discount_code':      { code_too_often: 'code_too_often', code_expired: 'code_expired', code_early: 'code_early',
                          code_used_up: 'code_used_up',
                          code_minimum: 'code_minimum', code_not_applicable: 'code_not_applicable',
                          code_quantity: 'code_quantity', code_not_in_group: 'code_not_in_group',
                          code_already_used: 'code_already_used',
                          code_automatic: 'code_automatic', code_not_combined: 'code_not_combined',
                          code_saves_less: 'code_saves_less', code_saves_nothing: 'code_saves_nothing',
                          too_many_codes: 'too_many_codes',
                          else: 'code_unknown' },
  'shipping_method':    { else: 'shipping_missing' },
  'payment_method':     { declined: 'payment_declined', provider_away: 'provider_away',
                          provider_refused: 'provider_refused', below_minimum: 'pay_minimum',
                          money_returned: 'payment_returning_text',
                          not_with_rate: 'pay_otherwise', else: 'payment_missing' },
  'customer_notes':     plain,
  'name':               plain,
  'email':              buildFieldWording('customer.email'),
  'message':            { ...plain, required: 'message_missing', blank: 'message_missing' },
  'custom_fields':      plain,
  'custom_fields.*':    { ...plain, not_ticked: 'answer_not_ticked', wrong_type: 'answer_not_number',
                          no_date: 'answer_not_date', no_web_address: 'answer_not_link' },
  'locale':             plain,
  'discount':           sum('discount_changed'),
  'shipping':           sum('shipping_changed'),
  'tax':                sum('tax_changed'),
  'total':              { ...sum('total_changed'), total_is: 'total_changed' },
  'pay':                { else: 'payment_missing' },
  'return_url':         plain,
  'body':               plain,
}

wordings['discount_codes.*'] = wordings.discount_codes = wordings.discount_code!

/** Field → error, in the order of the faults. The first error of a field wins. */
export function fieldErrors(
  context: Pick<ShopContext, 't' | 'price'>,
  faults: readonly Fault[],
): Record<string, string> {
  const errors: Record<string, string> = {}
  for (const fault of faults) errors[fault.field] ??= fieldError(context, fault)
  return errors
}

const amounts = new Set(['from', 'to', 'price'])

/** The message of one fault. */
export function fieldError({ t, price }: Pick<ShopContext, 't' | 'price'>, { field, code, values }: Fault): string {
  const path = field.split('.').map((part) => (Number.isInteger(Number(part)) ? '*' : part))
  const isAnswer = path[0] === 'custom_fields'
  const wording = wordings[isAnswer ? 'custom_fields.*' : path.join('.')] ?? plain
  const shownValues = Object.entries(values).map(([name, value]) => [name, amounts.has(name) ? price(value) : value])
  return t((wording as Partial<Record<string, ShopMessageKey>>)[code] ?? wording.else, Object.fromEntries(shownValues))
}
