// The fields of the checkout's form, in the order of the page. A row has only what the page needs; the
// declaration of checkouts says if a field is required, and how long it may be.
import type { JsonSchema } from '../../../kit/declare/field.ts'
import { checkoutChanges } from '../../checkout/checkout.ts'
import { getAddressRules, townFields } from '../../../kit/values/provinces.ts'
import type { ShopMessageKey } from './messages.ts'

export type FormRow = {
  /** The section of the form; fields `apart` have a function of their own. */
  part: 'contact' | 'address' | 'phone' | 'billing' | 'notes' | 'apart'
  label: ShopMessageKey
  type?: 'email' | 'tel' | 'area' | 'country' | 'province'
  autocomplete?: string
  hint?: ShopMessageKey
  /** Shares its line with another. */
  isHalf?: boolean
  /** Messages if it is missing or wrong. */
  missing?: ShopMessageKey
  wrong?: ShopMessageKey
  /** Part of the line of the city, which each country writes otherwise. */
  isTown?: boolean
}

// prettier-ignore
export const rows = {
  'customer.email': {
    part: 'contact', type: 'email', autocomplete: 'email',
    label: 'email', missing: 'email_missing', wrong: 'email_wrong',
  },
  'customer.name': { part: 'contact', autocomplete: 'name', label: 'name', missing: 'name_missing' },
  'tax_id': {
    part: 'contact', autocomplete: 'off',
    label: 'tax_id', hint: 'tax_id_hint', missing: 'tax_id_missing', wrong: 'tax_id_wrong',
  },
  'shipping_address.country_code': {
    part: 'address', type: 'country', autocomplete: 'shipping country', label: 'country',
  },
  'shipping_address.company': {
    part: 'address', autocomplete: 'shipping organization', label: 'company', missing: 'company_missing',
  },
  'shipping_address.address': {
    part: 'address', autocomplete: 'shipping address-line1', label: 'street', missing: 'street_missing',
  },
  'shipping_address.address_2': {
    part: 'address', autocomplete: 'shipping address-line2', label: 'address_2', missing: 'address_2_missing',
  },
  'shipping_address.city': {
    part: 'address', autocomplete: 'shipping address-level2', isHalf: true, isTown: true,
    label: 'city', missing: 'city_missing',
  },
  'shipping_address.postal_code': {
    part: 'address', autocomplete: 'shipping postal-code', isHalf: true, isTown: true,
    label: 'postal_code', missing: 'postal_code_missing',
  },
  'shipping_address.province': {
    part: 'address', type: 'province', autocomplete: 'shipping address-level1', isHalf: true, isTown: true,
    label: 'province', missing: 'province_missing', wrong: 'province_missing',
  },
  // Beside the address, but asked for a pickup too.
  'customer.phone': {
    part: 'phone', type: 'tel', autocomplete: 'tel',
    label: 'phone', hint: 'phone_hint', missing: 'phone_missing', wrong: 'phone_wrong',
  },
  'shipping_method': { part: 'apart', label: 'shipping' },
  'payment_method':  { part: 'apart', label: 'payment' },
  'billing_address.country_code': {
    part: 'billing', type: 'country', autocomplete: 'billing country', label: 'country',
  },
  'billing_address.name': { part: 'billing', autocomplete: 'billing name', label: 'name', missing: 'name_missing' },
  'billing_address.company': { part: 'billing', autocomplete: 'billing organization', label: 'company' },
  'billing_address.address': {
    part: 'billing', autocomplete: 'billing address-line1', label: 'street', missing: 'street_missing',
  },
  'billing_address.address_2': { part: 'billing', autocomplete: 'billing address-line2', label: 'address_2' },
  'billing_address.city': {
    part: 'billing', autocomplete: 'billing address-level2', isHalf: true, isTown: true,
    label: 'city', missing: 'city_missing',
  },
  'billing_address.postal_code': {
    part: 'billing', autocomplete: 'billing postal-code', isHalf: true, isTown: true,
    label: 'postal_code', missing: 'postal_code_missing',
  },
  'billing_address.province': {
    part: 'billing', type: 'province', autocomplete: 'billing address-level1', isHalf: true, isTown: true,
    label: 'province', missing: 'province_missing', wrong: 'province_missing',
  },
  'customer_notes':  { part: 'notes', type: 'area', label: 'note' },
  'discount_code':   { part: 'apart', label: 'discount_code' },
} as const satisfies Record<string, FormRow>

export type TextField = keyof typeof rows
type AddressName = 'shipping_address' | 'billing_address'

export const texts = Object.keys(rows) as TextField[]

/** The fields in the order of the country's addresses. */
export function textsIn(country: string | null): TextField[] {
  return texts.flatMap((name) => {
    if (!getFormRow(name).isTown) return [name]
    const [address, field] = name.split('.') as [AddressName, string]
    return field === 'city' ? townFields(country).map((part): TextField => `${address}.${part}`) : []
  })
}

export function getFormRow(name: TextField): FormRow {
  return rows[name]
}

/** The country's label of the field. */
export function labelIn(name: TextField, country: string | null): ShopMessageKey {
  const { label } = getFormRow(name)
  if (!country) return label
  const { postalCodeType, provinceType } = getAddressRules(country)
  if (name.endsWith('.postal_code')) return postalCodeLabels[postalCodeType ?? ''] ?? label
  return name.endsWith('.province') ? (provinceLabels[provinceType ?? ''] ?? label) : label
}

// prettier-ignore
const postalCodeLabels: Partial<Record<string, ShopMessageKey>> = {
  zip: 'label_zip', pin: 'label_pin', eircode: 'label_eircode',
}

// prettier-ignore
const provinceLabels: Partial<Record<string, ShopMessageKey>> = {
  state: 'label_state', province: 'label_province', county: 'label_county', department: 'label_department',
  prefecture: 'label_prefecture', emirate: 'label_emirate', region: 'label_region', island: 'label_island',
}

export function rowsIn(part: FormRow['part'], country: string | null = null): TextField[] {
  return textsIn(country).filter((name) => rows[name].part === part)
}

/** The maximum length that the API declares. */
export function getMaxLength(name: TextField): number {
  const schema = name
    .split('.')
    .reduce<JsonSchema>((at, part) => (at.properties as Record<string, JsonSchema>)[part]!, checkoutChanges.schema)
  return schema.maxLength as number
}
