// Settings > Checkout: fields, order settings, recovery emails and order bumps.
import { html } from 'hono/html'
import { product } from '../../../commerce/catalog/product.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { sql } from '../../../kit/database/sql.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { field } from '../../../platform/pages/form.ts'
import { aboutField, renderFieldFault } from '../../../platform/pages/parts.ts'
import { configurableFields, type CheckoutFieldName } from '../../../tenancy/stores/checkoutfields.ts'
import { orderBump } from '../../../tenancy/stores/orderbump.ts'
import type { Choices, Html, PageContext } from '../../framework/screen.ts'
import { mark } from '../../framework/parts.ts'
import { settingScreens } from '../../framework/settinglist.ts'
import { settingsForm } from '../../framework/settingsform.ts'
import { inSettings } from '../../framework/placement.ts'

const requirementLevels = ['hidden', 'optional', 'required'] as const
const levelChoices = ({ t }: PageContext): Choices => requirementLevels.map((level) => [level, t(`level_${level}`)])

const levelsOfConsent = (context: PageContext): Choices => levelChoices(context).filter(([one]) => one !== 'required')

const names = Object.keys(configurableFields) as CheckoutFieldName[]

// prettier-ignore
export const checkoutSettings = settingsForm({
  path: '/settings/checkout', title: 'checkout_fields', api: '/store/checkout',
  ...inSettings('checkout', { text: 'checkout_fields_text', icon: 'fields' }),
  inputs: [
    ...names.map((name) => ({ name, label: `ask_${name}`, isHalf: true, options: levelChoices }) as const),
    { name: 'marketing', label: 'ask_marketing', hint: 'ask_marketing_hint', options: levelsOfConsent },
    { name: 'marketing_text', label: 'ask_marketing_text', hint: 'ask_marketing_text_hint' },
  ],
})

// prettier-ignore
export const orderSettings = settingsForm({
  path: '/settings/checkout/orders', title: 'order_settings', api: '/store',
  ...inSettings('checkout', { text: 'order_settings_text', icon: 'orders' }),
  inputs: [
    { name: 'auto_complete_orders', hint: 'auto_complete_orders_hint' },
    { name: 'return_window_days', hint: 'return_window_days_hint' },
    { name: 'customer_accounts', hint: 'customer_accounts_hint' },
  ],
})

// prettier-ignore
export const recoverySettings = settingsForm({
  path: '/settings/checkout/recovery', title: 'recovery_settings', api: '/store',
  ...inSettings('checkout', { text: 'recovery_settings_text', icon: 'carts' }),
  inputs: [
    { name: 'checkout_abandon_after_minutes', hint: 'abandon_after_hint' },
    { name: 'recovery_email_enabled', hint: 'recovery_email_hint' },
  ],
})

type BumpProduct = { product_id: string | null; variant_id: string | null }

/** Choices of the product's variants; a product with variants needs one. */
async function variantField(context: PageContext, bump: BumpProduct | null): Promise<Html | ''> {
  const { db, store, t, form, rejection } = context
  const selection = rejection ? { product_id: field(form, 'product_id'), variant_id: field(form, 'variant_id') } : bump
  const id = selection?.product_id ? toUuid('prod', selection.product_id) : null
  if (!id) return ''
  const query = { page: 1, per_page: 1, sort: 'created_at', order: 'desc', status: 'all' } as const
  const [record] = (await entityPage(db, product, store, query, sql`products.id = ${id}`)).data
  if (!record || record.variants.length === 0) return ''
  const fault = rejection?.faults.variant_id
  const options = record.variants.map(
    ({ id: variant, title }) =>
      html`<option value="${variant}"${variant === selection!.variant_id ? html` selected` : ''}>${title}</option>`,
  )
  return html`<div class="fields"><div class="field"><label for="variant_id">${t('bump_variant')}</label>
<select id="variant_id" name="variant_id"${aboutField('variant_id', { fault })}>
<option value=""></option>${options}</select>
${renderFieldFault('variant_id', fault)}</div></div>`
}

// prettier-ignore
export const bumpScreens = settingScreens({
  path: '/settings/checkout/bumps', title: 'bumps', api: '/store/order-bumps',
  ...inSettings('checkout', { text: 'bumps_text', icon: 'gift' }),
  resource: orderBump,
  isOrdered: true,
  empty: { title: 'bumps_none', text: 'bumps_none_text' },
  add: 'bump_add',
  defaults: { is_active: true },
  nameOf: ({ title }) => title,
  marks: ({ is_active }, { t }) => (is_active ? '' : mark(t('switched_off'), 'plain')),
  about: ({ price, description }, context) =>
    [price === null ? context.t('bump_price_own') : context.price(price), description].filter(Boolean).join(' · '),
  body: ({ form }: PageContext) => ({ variant_id: field(form, 'variant_id') || null }),
  more: variantField,
  inputs: [
    { name: 'title', label: 'bump_title' },
    { name: 'description', as: 'area', rows: 3 },
    { name: 'price', hint: 'bump_price_hint', as: 'money', isHalf: true },
    { name: 'product_id', label: 'bump_product', hint: 'bump_product_hint', picks: 'products' },
    { name: 'image', label: 'picture_url', hint: 'picture_url_hint', as: 'picture' },
    { name: 'is_active' },
  ],
})
