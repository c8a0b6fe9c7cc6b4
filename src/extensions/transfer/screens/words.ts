// The names of the fields that a column can be mapped to, and the sentences about rows.
import type { Fault } from '../../../kit/values/faults.ts'
import { ApiError, type Code } from '../../../kit/values/errors.ts'
import { errorMessage, fieldError } from '../../../dashboard/framework/errors.ts'
import { isMessageKey, messageOr, type MessageKey, type Translate } from '../../../dashboard/framework/messages.ts'
import { fieldName } from '../../../dashboard/screens/audit/fieldnames.ts'
import type { CustomColumn } from '../imports/customcolumns.ts'
import { addressParts, billingParts, itemParts } from '../imports/fields.ts'
import type { RowMessage } from '../imports/notes.ts'

/** Fields that the dashboard has under another name. */
const sharedNames: Readonly<Record<string, MessageKey>> = {
  category: 'category_id',
  variant_title: 'field_variant_name',
  images: 'field_gallery',
  image_alt: 'alt_text',
  published: 'is_published',
  groups: 'field_group_ids',
  address_notes: 'address_notes',
  applicable_products: 'field_applicable_product_ids',
  applicable_categories: 'field_applicable_category_ids',
  buy_products: 'buy_product_ids',
  buy_categories: 'buy_category_ids',
  times_used: 'field_current_uses',
  fulfilled_at: 'field_shipped_at',
}

const partNames: Readonly<Record<string, MessageKey>> = {
  company: 'import_field_company',
  line_1: 'import_field_line_1',
  line_2: 'shipping_address_address_2',
  postal_code: 'shipping_address_postal_code',
  country: 'country',
  price: 'unit_price',
}

const wholes = {
  address: 'import_field_address',
  billing: 'import_field_billing',
  item: 'import_field_item',
} as const satisfies Record<string, MessageKey>

const partsByWhole: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  items: itemParts,
  addresses: addressParts,
  shipping_address: addressParts,
  billing_address: billingParts,
}

export function nameImportField(t: Translate, field: string, custom: readonly CustomColumn[] = []): string {
  const own = custom.find((one) => one.field === field)
  if (own) return own.applies_to === 'variant' ? `${own.label} (${t('variants')})` : own.label
  const shared = sharedNames[field]
  if (shared) return t(shared)
  const [, number, side] = /^option(\d)_(name|value)$/.exec(field) ?? []
  if (side) return t(side === 'name' ? 'import_field_option_name' : 'import_field_option_value', { number: number! })
  const [, unit] = /^weight_(kg|lb|oz)$/.exec(field) ?? []
  if (unit) return t('import_field_weight_in', { unit })
  const [, whole, part] =
    (/^(address|billing|item)_(\w+)$/.exec(field) as [string, keyof typeof wholes, string] | null) ?? []
  if (part) {
    const name = partNames[part]
    return t(wholes[whole!], { part: name ? t(name) : fieldName(t, part) })
  }
  return messageOr(t, `import_field_${field}`, fieldName(t, field))
}

/** Systems have the same name in every language. */
export const sourceNames: ReadonlyMap<string, string> = new Map([
  ['stoa', 'Stoa'],
  ['shopify', 'Shopify'],
  ['woocommerce', 'WooCommerce'],
  ['medusa', 'Medusa'],
  ['square', 'Square'],
  ['magento', 'Magento'],
  ['prestashop', 'PrestaShop'],
  ['bigcommerce', 'BigCommerce'],
  ['wix', 'Wix'],
  ['squarespace', 'Squarespace'],
  ['etsy', 'Etsy'],
  ['ecwid', 'Ecwid'],
  ['google', 'Google Merchant Center'],
])

/** The words of the dashboard in place of those of the API. */
export function nameFaultValues(t: Translate, values: Fault['values']): Fault['values'] {
  const { field, kind, source } = values
  return {
    ...values,
    ...(field === undefined ? {} : { field: nameImportField(t, String(field)) }),
    ...(kind === undefined ? {} : { kind: messageOr(t, `import_kind_${kind}`) }),
    ...(source === undefined ? {} : { source: sourceNames.get(String(source)) ?? String(source) }),
  }
}

/** Rows of a previous version have the sentence alone. */
export type StoredRemark = Pick<RowMessage, 'message'> & {
  [Part in 'field' | 'code' | 'values']?: RowMessage[Part] | null
}

/** A remark in the reader's language; a fault begins with the name of its field. */
export function wordRemark(
  t: Translate,
  { field, code, values, message }: StoredRemark,
  custom: readonly CustomColumn[] = [],
): string {
  if (!code || !values) return message
  if (!field) {
    const own = `import_note_${code}`
    if (isMessageKey(own)) return t(own, values)
    return errorMessage({ t }, new ApiError(422, code as Code, message, { values, details: {} }))
  }
  return `${nameFaultField(t, field, custom)}: ${wordFault(t, { code, values })}`
}

const longestChoices = 300

function wordFault(t: Translate, fault: Pick<Fault, 'code' | 'values'>): string {
  const own = `import_fault_${fault.code}`
  const type = String(fault.values.type ?? '')
  if (fault.code === 'wrong_type' && !type.includes('number'))
    return t(type.includes('true') ? 'fault_yes_or_no' : 'fault_wrong')
  const text = isMessageKey(own) ? t(own, fault.values) : fieldError({ t }, fault, { nameValues: nameFaultValues })
  // A form shows its options; a file has no place for them but the sentence.
  const choices = fault.code === 'not_one_of' ? String(fault.values.choices ?? '') : ''
  if (choices === '') return text
  const end = choices.length > longestChoices ? '…' : ''
  return `${text.replace(/\.$/, '')}: ${choices.slice(0, longestChoices)}${end}`
}

/** `variants.price`, `items.product_name`, `shipping_address.city`: as the columns of such fields are called. */
function nameFaultField(t: Translate, path: string, custom: readonly CustomColumn[]): string {
  const own = path.replace(/^variants\.custom_fields\./, 'variant_custom_fields.')
  if (custom.some(({ field }) => field === own)) return nameImportField(t, own, custom)
  const names = path.split('.')
  const [whole, part] = [names.at(-2), names.at(-1)!]
  const parts = partsByWhole[whole ?? ''] ?? {}
  const column = Object.entries(parts).find(([, name]) => name === part)?.[0]
  return nameImportField(t, column ?? part)
}
