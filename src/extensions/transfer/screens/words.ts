// What the screens call the fields that a column can be mapped to.
import { messageOr, type MessageKey, type Translate } from '../../../dashboard/framework/messages.ts'
import { fieldName } from '../../../dashboard/screens/audit/fieldnames.ts'

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

export function nameImportField(t: Translate, field: string): string {
  const shared = sharedNames[field]
  if (shared) return t(shared)
  const [, number, side] = /^option(\d)_(name|value)$/.exec(field) ?? []
  if (side) return t(side === 'name' ? 'import_field_option_name' : 'import_field_option_value', { number: number! })
  const [, unit] = /^weight_(kg|lb|oz)$/.exec(field) ?? []
  if (unit) return t('import_field_weight_in', { unit })
  const [, whole, part] = /^(address|item)_(\w+)$/.exec(field) ?? []
  if (part) {
    const name = partNames[part]
    return t(whole === 'item' ? 'import_field_item' : 'import_field_address', {
      part: name ? t(name) : fieldName(t, part),
    })
  }
  return messageOr(t, `import_field_${field}`, fieldName(t, field))
}
