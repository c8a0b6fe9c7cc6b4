// Settings > Checkout > Taxes: the default rate, and tax zones.
import { nameOfCountry } from '../../../kit/values/countries.ts'
import { html } from 'hono/html'
import { provinceName } from '../../../kit/values/provinces.ts'
import type { Entity } from '../../../kit/declare/field.ts'
import { taxName } from '../../../commerce/tax/summary.ts'
import { shippingTaxes, taxReasons, taxZone } from '../../../commerce/tax/taxzone.ts'
import { formatNumber, readNumber } from '../../assets/numbers.ts'
import type { Choices, FormInput, Html, PageContext } from '../../framework/screen.ts'
import { mark } from '../../framework/parts.ts'
import { countries } from '../../framework/choices.ts'
import type { MessageKey } from '../../framework/messages.ts'
import { formRows, typedRows } from '../../framework/formrows.ts'
import { settingScreens } from '../../framework/settinglist.ts'
import { settingsForm } from '../../framework/settingsform.ts'
import { inSettings } from '../../framework/placement.ts'
import { categoryChoices } from '../products/fields.ts'

// prettier-ignore
export const taxSettings = settingsForm({
  path: '/settings/checkout/taxes', title: 'taxes', api: '/store',
  ...inSettings('checkout', { text: 'taxes_text', icon: 'tax' }),
  before: ({ t, base }) => html`
<p><a class="button quiet" href="${base}/settings/checkout/taxes/zones">${t('tax_zones')}</a></p>`,
  inputs: [
    { name: 'tax_rate', hint: 'tax_rate_hint', isHalf: true },
    { name: 'tax_rounding', isHalf: true },
    { name: 'tax_included' },
    { name: 'tax_shipping' },
    { name: 'tax_fixed_prices', hint: 'tax_fixed_prices_hint' },
    { name: 'tax_display', hint: 'tax_display_hint' },
    { name: 'lowest_price_display', hint: 'lowest_price_display_hint' },
  ],
})

const columns = {
  components: ['name', 'rate', 'tax_id', 'compound'],
  category_rates: ['category_id', 'component', 'rate', 'reason'],
} as const

/** An empty rate is left out; other texts become numbers. */
function rateRows({ form, params, language }: PageContext, { shipping_tax }: Record<string, unknown>): object {
  const parseTaxRate = (rate: string | undefined) => (rate === '' ? undefined : readNumber(rate!, language))
  return {
    // A new zone without a choice is taxed as is usual in its country.
    ...(params.id === undefined && shipping_tax === null ? { shipping_tax: undefined } : {}),
    components: typedRows(form, 'components', columns.components).map(({ name, rate, tax_id, compound }) => ({
      name,
      rate: parseTaxRate(rate),
      tax_id: tax_id || null,
      compound: compound === 'true',
    })),
    category_rates: typedRows(form, 'category_rates', columns.category_rates).map(
      ({ category_id, component, rate, reason }) => ({
        category_id,
        ...(component ? { component } : {}),
        rate: parseTaxRate(rate),
        ...(reason ? { reason } : {}),
      }),
    ),
  }
}

const nameOfProvince = (code: string): string => provinceName(code) ?? code

const shippingWays = ({ t }: PageContext): Choices => shippingTaxes.map((way) => [way, t(`shipping_tax_${way}`)])

const reasons = ({ t }: PageContext): Choices => taxReasons.map((reason) => [reason, t(`tax_reason_${reason}`)])

type ZoneRates = Pick<Entity<typeof taxZone.fields>, 'components' | 'category_rates'>

async function zoneRows(context: PageContext, zone: ZoneRates | null): Promise<Html> {
  const act = zone ? 'save' : 'create'
  return html`${componentRows(context, zone, act)}${await categoryRows(context, zone, act)}`
}

const bases = ({ t }: PageContext): Choices => [
  ['false', t('tax_simple')],
  ['true', t('tax_compound')],
]

function componentRows(context: PageContext, zone: ZoneRates | null, act: string): Html {
  const { t } = context
  return formRows(context, {
    name: 'components',
    act,
    title: t('tax_components'),
    values: (zone?.components ?? []).map((one) => ({ ...one, compound: String(one.compound) })),
    blank: 2,
    isOrdered: true,
    columns: [
      { name: 'name', label: t('tax_name') },
      { name: 'rate', label: t('tax_percent'), isNumber: true },
      { name: 'tax_id', label: t('tax_registration') },
      { name: 'compound', label: t('tax_base_of'), options: bases(context) },
    ],
  })
}

async function categoryRows(context: PageContext, zone: ZoneRates | null, act: string): Promise<Html> {
  const { t } = context
  const options = await categoryChoices(context)
  const components = (zone?.components ?? []).map(({ name }): [string, string] => [name, name])
  return formRows(context, {
    name: 'category_rates',
    act,
    title: t('category_rates'),
    values: (zone?.category_rates ?? []) as Record<string, unknown>[],
    columns: [
      { name: 'category_id', label: t('category_id'), options },
      ...(components.length > 0 ? [{ name: 'component', label: t('tax_which'), options: components }] : []),
      { name: 'rate', label: t('tax_percent'), isNumber: true },
      { name: 'reason', label: t('tax_reason'), options: reasons(context) },
    ],
  })
}

// prettier-ignore
const listZoneInputs = (blank: MessageKey): FormInput[] => [
  { name: 'name', isHalf: true },
  { name: 'country_code', options: countries, isHalf: true },
  { name: 'provinces', hint: 'provinces_hint', as: 'provinces', rows: 2 },
  { name: 'postal_codes', hint: 'postal_codes_hint', as: 'lines', rows: 2 },
  { name: 'rate', label: 'tax_percent', hint: 'zone_rate_hint', group: 'tax', isHalf: true },
  { name: 'reason', label: 'tax_reason', hint: 'tax_reason_hint', options: reasons, isHalf: true },
  { name: 'tax_id', label: 'tax_registration', hint: 'tax_registration_hint' },
  { name: 'included', label: 'tax_included', hint: 'as_store_hint', isHalf: true },
  { name: 'shipping', label: 'tax_shipping', hint: 'as_store_hint', isHalf: true },
  { name: 'shipping_tax', hint: 'shipping_tax_hint', options: shippingWays, blank },
  { name: 'is_active', group: 'rate_more' },
]

// prettier-ignore
export const taxZoneScreens = settingScreens({
  path: '/settings/checkout/taxes/zones', title: 'tax_zones', section: 'settings', api: '/store/tax-zones',
  within: { path: '/settings/checkout/taxes', title: 'taxes' },
  resource: taxZone,
  isOrdered: true,
  before: ({ t }) => html`<p class="hint">${t('zone_position_hint')}</p>`,
  empty: { title: 'zones_none', text: 'zones_none_text' },
  add: 'zone_add',
  defaults: { is_active: true },
  nameOf: ({ name }) => name,
  marks: ({ is_active }, { t }) => (is_active ? '' : mark(t('switched_off'), 'plain')),
  about: ({ rate, components, country_code, provinces, postal_codes }, { language }) => [
    components.map((one) => taxName(one, language)).join(' + ') || `${formatNumber(rate, language)} %`,
    nameOfCountry(language, country_code), provinces.map(nameOfProvince).join(', '), postal_codes.join(', '),
  ].filter(Boolean).join(' · '),
  body: rateRows,
  more: zoneRows,
  inputs: listZoneInputs('shipping_tax_usual'),
  inputsOf: () => listZoneInputs('shipping_tax_as_above'),
})
