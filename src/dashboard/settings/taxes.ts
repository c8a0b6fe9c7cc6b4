// Settings > Checkout > Taxes: what is taxed everywhere, and the zones that are taxed otherwise.
import { html } from 'hono/html'
import { entityPage } from '../../kit/declare/page.ts'
import { category } from '../../catalog/category.ts'
import { taxReasons, taxZone } from '../../tax/taxzone.ts'
import { numberIn } from '../formbody.ts'
import type { Choices, Html, Visit } from '../page.ts'
import { mark } from '../parts.ts'
import { countries, nameOfCountry } from '../places.ts'
import { rows, rowsIn } from '../rows.ts'
import { settingScreens } from '../settinglist.ts'
import { sheet } from '../sheet.ts'

const within = { path: '/settings', title: 'settings' } as const

// prettier-ignore
export const taxSettings = sheet({
  path: '/settings/checkout/taxes', title: 'taxes', section: 'settings', api: '/store', within,
  nav: { group: 'checkout', text: 'taxes_text' },
  before: ({ say, base }) => html`
<p><a class="button quiet" href="${base}/settings/checkout/taxes/zones">${say('tax_zones')}</a></p>`,
  inputs: [
    { name: 'tax_rate', hint: 'tax_rate_hint', isHalf: true },
    { name: 'tax_rounding', isHalf: true },
    { name: 'tax_included' },
    { name: 'tax_shipping' },
    { name: 'tax_fixed_prices', hint: 'tax_fixed_prices_hint' },
  ],
})

const columns = ['category_id', 'rate', 'reason'] as const

/** The rates of categories: a number where one was typed. */
function categoryRates({ form }: Visit): object {
  const typed = rowsIn(form, 'category_rates', columns)
  return {
    category_rates: typed.map(({ category_id, rate, reason }) => ({
      category_id,
      rate: rate === '' ? undefined : numberIn(rate!),
      ...(reason ? { reason } : {}),
    })),
  }
}

async function categories({ db, store }: Visit): Promise<Choices> {
  const query = { page: 1, per_page: 100, sort: 'name', order: 'asc' } as const
  const { data } = await entityPage(db, category, store, query)
  return data.map(({ id, name }) => [id, name])
}

const reasons = ({ say }: Visit): Choices => taxReasons.map((reason) => [reason, say(`tax_reason_${reason}`)])

async function categoryRows(visit: Visit, zone: { category_rates: object[] } | null): Promise<Html> {
  const { say } = visit
  const options = await categories(visit)
  return rows(visit, {
    name: 'category_rates',
    act: zone ? 'save' : 'create',
    title: say('category_rates'),
    values: (zone?.category_rates ?? []) as Record<string, unknown>[],
    columns: [
      { name: 'category_id', label: say('category_id'), options },
      { name: 'rate', label: say('tax_percent'), isNumber: true },
      { name: 'reason', label: say('tax_reason'), options: reasons(visit) },
    ],
  })
}

// prettier-ignore
export const taxZoneScreens = settingScreens({
  path: '/settings/checkout/taxes/zones', title: 'tax_zones', section: 'settings', api: '/store/tax-zones',
  within: { path: '/settings/checkout/taxes', title: 'taxes' },
  resource: taxZone,
  empty: { title: 'zones_none', text: 'zones_none_text' },
  add: 'zone_add',
  fresh: { is_active: true, position: 0 },
  nameOf: ({ name }) => name,
  marks: ({ is_active }, { say }) => (is_active ? '' : mark(say('switched_off'), 'plain')),
  about: ({ rate, country_code, provinces, postal_codes }, { language }) =>
    [`${rate} %`, nameOfCountry(language, country_code), provinces.join(', '), postal_codes.join(', ')]
      .filter(Boolean).join(' · '),
  body: categoryRates,
  more: categoryRows,
  inputs: [
    { name: 'name', isHalf: true },
    { name: 'country_code', options: countries, isHalf: true },
    { name: 'provinces', hint: 'provinces_hint', as: 'lines', rows: 2 },
    { name: 'postal_codes', hint: 'postal_codes_hint', as: 'lines', rows: 2 },
    { name: 'rate', label: 'tax_percent', group: 'tax', isHalf: true },
    { name: 'reason', label: 'tax_reason', hint: 'tax_reason_hint', options: reasons, isHalf: true },
    { name: 'included', label: 'tax_included', hint: 'as_store_hint', isHalf: true },
    { name: 'shipping', label: 'tax_shipping', hint: 'as_store_hint', isHalf: true },
    { name: 'position', hint: 'zone_position_hint', isHalf: true, group: 'rate_more' },
    { name: 'is_active' },
  ],
})
