// Faults of a checkout as messages of the protocol: the affected field, and who can correct it.
import { isAboutCode } from '../../commerce/discounts/codes.ts'
import { formatReason, type Fault } from '../../kit/values/faults.ts'

export type Severity = 'recoverable' | 'requires_buyer_input' | 'requires_buyer_review' | 'unrecoverable'
export type UcpMessage = { code: string; content: string; path?: string } & (
  | { type: 'error'; severity: Severity }
  | { type: 'warning' | 'info' }
)

export function errorMessage(
  code: string,
  content: string,
  { severity = 'recoverable', path }: { severity?: Severity; path?: string | undefined } = {},
): UcpMessage {
  return { type: 'error', code, content, severity, ...(path ? { path } : {}) }
}

export function warningMessage(code: string, content: string, path?: string): UcpMessage {
  return { type: 'warning', code, content, ...(path ? { path } : {}) }
}

const destination = '$.fulfillment.methods[0].destinations[0]'
const option = '$.fulfillment.methods[0].groups[0].selected_option_id'

// prettier-ignore
const paths: Record<string, string> = {
  'items':                         '$.line_items',
  'order_bumps':                   '$.line_items',
  'customer.name':                 '$.buyer.first_name',
  'customer.email':                '$.buyer.email',
  'customer.phone':                '$.buyer.phone_number',
  'discount_code':                 '$.discounts.codes[0]',
  'shipping_method':               option,
  'shipping_address':              destination,
  'shipping_address.name':         `${destination}.first_name`,
  'shipping_address.phone':        `${destination}.phone_number`,
  'shipping_address.address':      `${destination}.street_address`,
  'shipping_address.address_2':    `${destination}.extended_address`,
  'shipping_address.city':         `${destination}.address_locality`,
  'shipping_address.province':     `${destination}.address_region`,
  'shipping_address.country_code': `${destination}.address_country`,
  'shipping_address.postal_code':  `${destination}.postal_code`,
  'billing_address':               '$.payment.instruments[0].billing_address',
  'payment_method':                '$.payment.instruments[0]',
  'total':                         '$.totals',
  'discount':                      '$.totals',
  'shipping':                      '$.totals',
  'tax':                           '$.totals',
}

/** Only a person can enter these: the protocol has no field for them. */
const onlyBuyers = new Set(['tax_id', 'shipping_address.company', 'billing_address.tax_id'])

const codes: Record<string, string> = {
  sold_out: 'out_of_stock',
  only_left: 'out_of_stock',
  left_with_others: 'out_of_stock',
  more_than_left: 'out_of_stock',
  not_for_sale: 'item_unavailable',
  does_not_exist: 'item_unavailable',
  variant_required: 'item_unavailable',
  variant_foreign: 'item_unavailable',
  does_not_ship: 'address_undeliverable',
  not_to_province: 'address_undeliverable',
  not_to_postal_code: 'address_undeliverable',
  no_shipping_there: 'address_undeliverable',
  required: 'field_required',
  not_ticked: 'field_required',
  contact_required: 'field_required',
  cart_empty: 'field_required',
  changed: 'price_changed',
  total_is: 'price_changed',
  declined: 'payment_failed',
  provider_refused: 'payment_failed',
  provider_away: 'payment_failed',
  money_returned: 'payment_failed',
  not_with_rate: 'payment_failed',
  below_minimum: 'payment_failed',
}

/** `lineAt` is the index of an item's line: in the response, or in the request if that was rejected. */
export function toUcpMessage(
  fault: Fault,
  { lineAt, hasFulfillment }: { lineAt: (index: number) => number; hasFulfillment: boolean },
): UcpMessage {
  const [top] = fault.field.split('.')
  const isDelivery = top === 'shipping_address' || top === 'shipping_method'
  const severity =
    onlyBuyers.has(fault.field) || (isDelivery && !hasFulfillment) ? 'requires_buyer_input' : 'recoverable'
  const path = isDelivery && !hasFulfillment ? undefined : locateFault(fault.field, lineAt)
  const code = isAboutCode(fault) ? 'discount_code_invalid' : (codes[fault.code] ?? 'invalid')
  return errorMessage(code, formatFaultSentence(fault), { severity, path })
}

function locateFault(field: string, lineAt: (index: number) => number): string | undefined {
  const [top, index] = field.split('.')
  if (top === 'custom_fields') return `$.${field}`
  if (top === 'items' && index !== undefined) return linePath(lineAt(Number(index)), field)
  if (top === 'discount_codes') return codePath(Number(index ?? 0))
  return paths[field] ?? paths[top!]
}

/** The place of a code in the request and in the answer. */
export function codePath(index: number): string {
  return `$.discounts.codes[${index}]`
}

export function linePath(at: number, field = ''): string {
  const line = `$.line_items[${at}]`
  if (field.endsWith('.quantity')) return `${line}.quantity`
  return field.endsWith('.unit_price') ? `${line}.item.price` : line
}

/** For a response that lacks lines of the request: the indexes of the others have changed. */
export function withoutLineNumber(message: UcpMessage): UcpMessage {
  return message.path?.startsWith('$.line_items') ? { ...message, path: '$.line_items' } : message
}

/** `Postal code is required` */
function formatFaultSentence(fault: Fault): string {
  const [top, index] = fault.field.split('.')
  const isNumbered = index !== undefined
  const name =
    top === 'items' && isNumbered
      ? 'item'
      : top === 'discount_codes'
        ? 'discount code'
        : fault.field.split('.').at(-1)!.replaceAll('_', ' ')
  return `${name[0]!.toUpperCase()}${name.slice(1)} ${formatReason(fault)}`
}
