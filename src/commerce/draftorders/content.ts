// Fields that set price and order.
import { blank, pick } from '../../kit/declare/row.ts'
import { toUuid } from '../../kit/values/ids.ts'
import type { CustomerAddress } from '../customers/address.ts'
import type { DefaultAddresses } from '../customers/addresses.ts'
import { readDiscountCodes, storedDiscountCodes } from '../discounts/codes.ts'
import { mergeOrderAddress, completeAddress, addressCountry, type AddressInput } from '../orders/address.ts'
import { mergeBillingAddress, type BillingInput } from '../orders/billing.ts'
import type { LineInput } from '../orders/item.ts'
import type { NewOrder } from '../orders/order.ts'
import { draftOrder, type DraftItem, type DraftOrderPatch, type DraftOrderRow } from './draftorder.ts'

// prettier-ignore
const plainNames = [
  'customer_id', 'customer_name', 'customer_phone', 'customer_email', 'tax_id', 'shipping_address',
  'billing_address', 'country_code', 'shipping_method', 'payment_method', 'discount_type', 'locale',
  'customer_notes', 'internal_notes',
  'tags', 'external_id', 'metadata',
] as const

export type DraftContent = Pick<DraftOrderRow, (typeof plainNames)[number]> & {
  discount_codes: string[]
  items: LineInput[]
  shipping_price: number | null
  discount_value: number | null
}

export const emptyContent = {
  ...blank(pick(draftOrder.fields, plainNames)),
  tags: [],
  metadata: {},
  discount_codes: [],
  items: [],
  shipping_price: null,
  discount_value: null,
} as unknown as DraftContent

export function toDraftContent(row: DraftOrderRow): DraftContent {
  return {
    ...pick(row, plainNames),
    discount_codes: storedDiscountCodes(row),
    items: (row.items as DraftItem[]).map(({ product_id, ...item }) =>
      toDraftOrderLine({ ...item, product_id: product_id && toUuid('prod', product_id) }),
    ),
    shipping_price: readNumberCell(row.shipping_price),
    discount_value: readNumberCell(row.discount_value),
  }
}

/** A product provides its own names. Without a price, the current one applies. */
function toDraftOrderLine({
  product_id = null,
  variant_id = null,
  quantity,
  unit_price,
  metadata,
  ...names
}: LineInput): LineInput {
  const { product_name = null, variant_name = null } = names
  return {
    product_id,
    variant_id,
    quantity,
    ...(product_id ? {} : { product_name, variant_name }),
    ...(typeof unit_price === 'number' ? { unit_price } : {}),
    ...(metadata && Object.keys(metadata).length > 0 ? { metadata } : {}),
  }
}

function readNumberCell(cell: string | null): number | null {
  return cell === null ? null : Number(cell)
}

/**
 * An address is changed field by field; a new country replaces its code. Another customer brings their own contact and
 * addresses: `defaults`, unless the patch has one.
 */
export function contentAfter(
  before: DraftContent,
  patch: DraftOrderPatch,
  defaults: DefaultAddresses | null = null,
): DraftContent {
  const { items, shipping_address: shippingAddress, billing_address: billingAddress, discount_code, ...others } = patch
  const { discount_codes } = others
  const rest = { ...others, discount_codes: readDiscountCodes({ discount_code, discount_codes }) }
  const isOther = isOtherCustomer(before, patch)
  const content = { ...before, ...(isOther ? nobody(before) : {}), ...omitUndefined(rest) } as DraftContent
  const withBilling = (whole: DraftContent) => ({
    ...whole,
    billing_address: billingAfter(whole, billingAddress, defaults),
  })
  const isOpen = shippingAddress === undefined && content.shipping_address === null
  const address = isOpen && defaults ? toAddressInput(defaults.shipping) : shippingAddress
  if (items) content.items = items.map((item) => toDraftOrderLine({ ...findMetadata(item, before.items), ...item }))
  if (address === null) return withBilling({ ...content, shipping_address: null })
  if (!address) return withBilling(content)
  const current = content.shipping_address as AddressInput | null
  const { country, country_code: code } = address as AddressInput
  const isMoved = (code || (country !== undefined && country !== current?.country)) && patch.country_code === undefined
  const country_code = isMoved ? addressCountry(address as AddressInput) : content.country_code
  const { customer_name: name, customer_phone: phone } = content
  const shipping_address = current
    ? mergeOrderAddress(current, address as AddressInput, country_code)
    : completeAddress(address, { name, phone }, country_code)
  return withBilling({ ...content, country_code, shipping_address })
}

/** Changed field by field, too. */
function billingAfter(
  { billing_address: current, country_code: country }: DraftContent,
  input: BillingInput | null | undefined,
  defaults: DefaultAddresses | null,
): BillingInput | null {
  const change = input === undefined && current === null && defaults?.billing ? toAddressInput(defaults.billing) : input
  if (change === undefined) return current
  return change && mergeBillingAddress(current, change, { country })
}

/** The metadata of the same item before, unless the body has one: forms have none. */
function findMetadata(item: LineInput, before: readonly LineInput[]): Pick<LineInput, 'metadata'> {
  const key = ({ product_id, variant_id, product_name }: LineInput) =>
    product_id ? `${product_id} ${variant_id ?? ''}` : product_name
  const metadata = before.find((one) => key(one) === key(item))?.metadata
  return metadata ? { metadata } : {}
}

export function isOtherCustomer(before: DraftContent, { customer_id }: DraftOrderPatch): boolean {
  return customer_id !== undefined && customer_id !== before.customer_id
}

/** Addresses that were entered before there was a customer stay. */
function nobody({ customer_id }: DraftContent): Partial<DraftContent> {
  const contact = { customer_name: null, customer_phone: null, customer_email: null }
  return customer_id === null
    ? contact
    : { ...contact, shipping_address: null, billing_address: null, country_code: null }
}

function toAddressInput(address: CustomerAddress): AddressInput {
  const lines = pick(address, ['name', 'company', 'address', 'address_2', 'city', 'province', 'postal_code', 'phone'])
  return { ...lines, country_code: address.country_code }
}

function omitUndefined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>
}

/** The order that the draft would become, before it is priced. */
export function toOrderInput(content: DraftContent): NewOrder {
  const { discount_type, discount_value, discount_codes: codes, shipping_price, ...others } = content
  const { items, tags, external_id: _, ...rest } = others
  const { customer_id, country_code, locale } = rest
  const isByHand = codes.length === 0 && discount_value !== null
  return {
    ...omitUndefined({
      ...rest,
      customer_id: customer_id ?? undefined,
      country_code: country_code ?? undefined,
      locale: locale ?? undefined,
    }),
    ...(codes.length > 1 ? { discount_codes: codes } : { discount_code: codes[0] ?? null }),
    items,
    tags,
    status: 'pending',
    payment_status: 'pending',
    is_archived: false,
    notify_customer: false,
    custom_fields: [],
    ...(shipping_price === null ? {} : { shipping_cost: shipping_price }),
    ...(isByHand && discount_type === 'percentage' ? { discount_percentage: discount_value } : {}),
    ...(isByHand && discount_type === 'fixed_amount' ? { discount_amount: discount_value } : {}),
  } as NewOrder
}
