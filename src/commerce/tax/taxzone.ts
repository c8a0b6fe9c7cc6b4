// An area with its own taxes: a country, or some of its provinces or postal codes.
import { plainDigits } from '../../kit/values/digits.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, reason as because, type Fault, type Reason, generalFaults } from '../../kit/values/faults.ts'
import { list, object, set } from '../../kit/declare/composites.ts'
import { resource } from '../../kit/declare/resource.ts'
import { createBody, type Rule } from '../../kit/declare/shape.ts'
import { choice, flag, integer, id, text, time } from '../../kit/declare/scalars.ts'
import { combinedRate } from './components.ts'
import { taxId } from './taxid.ts'
import { euCountries } from '../../kit/values/countries.ts'
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { categoryId, findMissingCategories, type CheckoutSetting } from '../../tenancy/stores/setting.ts'
import { countryCode, taxRate, type Store } from '../../tenancy/stores/store.ts'
import { taxFaults } from './errors.ts'
import { parseProvinceCode } from '../../kit/values/provinces.ts'

/** Reasons for a rate. Those after `reduced` require a rate of 0. */
export const taxReasons = ['standard', 'reduced', 'zero', 'exempt', 'reverse_charge', 'export'] as const
export type TaxReason = (typeof taxReasons)[number]

/** At the standard rate of the zone, at the rates of the goods by their value, or not at all. */
export const shippingTaxes = ['standard', 'proportional', 'none'] as const
export type ShippingTax = (typeof shippingTaxes)[number]

const taxReason = () => choice(taxReasons)

const name = () => text({ min: 1, max: 120 })

// prettier-ignore
const categoryRate = object({
  category_id: categoryId().required(),
  component:   name().example('QST').describe('Component whose rate is replaced; defaults to all components'),
  rate:        taxRate().required().example(7).describe('Rate in percent'),
  reason:      taxReason().describe('Reason for the rate; defaults to reduced, or zero for a rate of 0'),
}, { always: ['category_id', 'rate', 'reason'] }).becomes(withReason).rule(reasonFault)

// prettier-ignore
const component = object({
  name:     name().required().example('GST').describe('Name of the tax on orders'),
  rate:     taxRate().required().example(5).describe('Rate in percent'),
  tax_id:   taxId().nullable().example('123456789 RT0001')
    .describe("Tax ID under which the store collects this tax; if null, the zone's tax ID applies"),
  compound: flag().default(false).describe('Whether it is also charged on the components before it'),
}, { always: ['name', 'rate', 'tax_id', 'compound'] }).becomes((input) => ({ ...input, tax_id: input.tax_id ?? null }))

type ZoneRates = { rate?: number; components?: NonNullable<(typeof component)['type']>['value'][] }

const componentsRule: Rule<ZoneRates> = { fields: ['components'], check: componentsFault }
const rateRule: Rule<ZoneRates> = {
  fields: ['rate', 'components'],
  check: ({ rate, components }) =>
    components?.length || rate !== undefined ? null : fault('rate', generalFaults.required),
}

function componentsFault({ components = [] }: ZoneRates): Fault | null {
  const names = components.map((one) => one.name)
  const second = names.findIndex((name, at) => names.indexOf(name) < at)
  if (second > -1) return fault(`components.${second}.name`, taxFaults.name_repeated)
  return combinedRate(components) > 100 ? fault('components', taxFaults.too_much_tax, { limit: 100 }) : null
}

// prettier-ignore
const zone = resource('tax_zones', {
  id:             id('zone').readonly(),
  name:           name().required().example('VAT Germany'),
  country_code:   countryCode().required().example('DE'),
  provinces:      set(text({ min: 1, max: 120 }), { max: 100 }).default([]).example(['DE-BY', 'DE-BE'])
    .describe('ISO 3166-2 codes; requests may use names (BY, Bayern); empty: the whole country'),
  postal_codes:   set(text({ min: 1, max: 40 }).becomes(plainDigits), { max: 1000 }).default([]).example(['35', '38'])
    .describe('Postal code prefixes; empty: all'),
  rate:           taxRate().example(19)
    .describe('Rate in percent; required without components, otherwise their combined rate'),
  components:     list(component, { max: 10 }).default([])
    .describe('Separate taxes instead of one, e.g. GST and QST; each is rounded and listed separately'),
  tax_id:         taxId().nullable().example('GB980780684')
    .describe("Tax ID under which the store collects taxes here; if null, the store's tax_id applies"),
  reason:         taxReason().describe('Reason for the rate; defaults to standard, or zero for a rate of 0'),
  included:       flag().nullable().describe("Whether prices include the tax; null for the store's tax_included"),
  shipping:       flag().nullable().describe("Whether shipping is taxed; if null, the store's tax_shipping applies"),
  shipping_tax:   choice(shippingTaxes).nullable().example('proportional')
    .describe('How shipping is taxed: at the standard rate, at the rates of the goods by their value, or not. Defaults '
      + 'to proportional in the EU; null: as shipping says, at the standard rate'),
  category_rates: list(categoryRate, { max: 100 }).default([])
    .describe('Rates for products of a category, in place of the zone rate'),
  position:       integer({ min: 0, max: 1000 }).default(0).sortable(),
  is_active:      flag().default(true),
  created_at:     time().readonly(),
  updated_at:     time().readonly(),
}, {}, {
  noun: 'Tax zone',
  defaultSort: 'position',
  defaultOrder: 'asc',
  rules: [componentsRule],
})

export const taxZone = { ...zone, create: createBody(zone.fields, [componentsRule, rateRule]) }

type CategoryRate = { category_id: string; component?: string; rate: number; reason: TaxReason }

function withReason(input: Omit<CategoryRate, 'reason'> & { reason?: TaxReason }): CategoryRate {
  return { ...input, reason: input.reason ?? (input.rate === 0 ? 'zero' : 'reduced') }
}

function reasonFault({ rate, reason }: CategoryRate): Reason | null {
  return rate === 0 || reason === 'standard' || reason === 'reduced'
    ? null
    : because(taxFaults.takes_no_tax, { why: reason })
}

export const taxZones: CheckoutSetting = {
  resource: taxZone,
  path: '/store/tax-zones',
  plural: 'tax zones',
  maximum: 100,
  complete: ({ rate, components, country_code }) => ({
    reason: (rateTogether(components) ?? rate) === 0 ? 'zero' : 'standard',
    shipping_tax: euCountries.has(country_code) ? 'proportional' : null,
  }),
  beside: async (tx, store, id, values) => ({
    ...(await provinceCodes(tx, store, id, values)),
    ...(values.components?.length ? { rate: combinedRate(values.components) } : {}),
  }),
  refusals: ({ reason }) => ({
    tax_zones_reason: () => invalid(fault('reason', taxFaults.takes_no_tax, { why: reason ?? 'not a taxed reason' })),
  }),
  check: checkZone,
}

/** The combined rate of the components. */
function rateTogether(components: ZoneRates['components']): number | undefined {
  return components?.length ? combinedRate(components) : undefined
}

type StoredZone = Required<ZoneRates> & { category_rates: CategoryRate[] }

async function checkZone(tx: Tx, store: Store, id: string): Promise<void> {
  const zone = (await tx.one<StoredZone>(sql`
    select rate, components, category_rates from tax_zones
    where store_id = ${store.id}
      and id = ${id}`))!
  const sum = rateTogether(zone.components) ?? Number(zone.rate)
  if (sum !== Number(zone.rate)) throw invalid(fault('rate', taxFaults.not_sum_of_components, { sum }))
  await checkCategories(tx, store, zone)
}

async function checkCategories(tx: Tx, store: Store, zone: StoredZone): Promise<void> {
  const names = new Set(zone.components.map(({ name }) => name))
  const faults = zone.category_rates.flatMap(({ component }, index) =>
    component && !names.has(component)
      ? [fault(`category_rates.${index}.component`, generalFaults.does_not_exist)]
      : [],
  )
  const ids = zone.category_rates.map(({ category_id }, index): [string, string] => [
    `category_rates.${index}.category_id`,
    category_id,
  ])
  const missing = await findMissingCategories(tx, store.id, ids)
  if (missing.length + faults.length > 0) throw invalid(...missing, ...faults)
}

// The provinces of a tax zone, as ISO 3166-2 codes.

/** Converts names and codes to unique codes. */
async function provinceCodes(tx: Tx, store: Store, id: string, values: Record<string, any>): Promise<object> {
  const place: Partial<ZonePlaces> = values
  if (!place.provinces && !place.country_code) return {}
  const before = place.provinces && place.country_code ? undefined : await findZonePlaces(tx, store.id, id)
  const { country_code, provinces = [] } = { ...before, ...place }
  // The zone does not exist, which the update reports.
  if (!country_code) return {}
  const codes = provinces.map((name) => parseProvinceCode(country_code, name))
  const faults = codes.flatMap((code, index) =>
    code === null ? [fault(`provinces.${index}`, generalFaults.no_province, { country: country_code })] : [],
  )
  if (faults.length > 0) throw invalid(...faults)
  return { provinces: [...new Set(codes)] }
}

type ZonePlaces = { country_code: string; provinces: string[] }

function findZonePlaces(tx: Tx, storeId: string, id: string): Promise<ZonePlaces | undefined> {
  return tx.one<ZonePlaces>(sql`
    select country_code, provinces from tax_zones
    where store_id = ${storeId}
      and id = ${id}`)
}
