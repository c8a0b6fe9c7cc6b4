import { admissionVersion } from '../answers/versions.ts'
import type { Plan } from '../plans/plan.ts'
import { notFound } from '../../kit/values/errors.ts'
import { reason, type Reason, generalFaults } from '../../kit/values/faults.ts'
import type { Topic } from '../../kit/database/bus.ts'
import type { Db } from '../../kit/database/database.ts'
import { set } from '../../kit/declare/composites.ts'
import { derive } from '../../kit/declare/field.ts'
import { choice, decimal, email, flag, integer, text, time } from '../../kit/declare/scalars.ts'
import { integrationFields } from '../../kit/declare/metadata.ts'
import { resource } from '../../kit/declare/resource.ts'
import { countryCodes } from '../../kit/values/countries.ts'
import { isTimezone } from '../../kit/values/timezonenames.ts'
import { languages, type Language } from '../../kit/values/language.ts'
import { select, type Row } from '../../kit/declare/row.ts'
import { inStore, raw, shopUrl, sql, bindStore, type Sql } from '../../kit/database/sql.ts'
import type { CustomFieldKind } from './customfieldkind.ts'

const currencies = new Set(Intl.supportedValuesOf('currency'))

export const currency = () =>
  text({ min: 3, max: 3 }).rule((code) => (currencies.has(code) ? null : reason(generalFaults.no_currency)))

export const countryCode = () =>
  text({ min: 2, max: 2 }).rule((code) => (countryCodes.has(code) ? null : reason(generalFaults.no_country)))

const timezone = () =>
  text({ min: 1, max: 64 }).rule((name) => (isTimezone(name) ? null : reason(generalFaults.no_timezone)))

const slug = () => text({ min: 1, max: 63, pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' })

const domainForm = '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,63}$'

export const domain = () => text({ min: 4, max: 253, pattern: domainForm })

export function isDomain(name: string): boolean {
  return name.length <= 253 && new RegExp(domainForm).test(name)
}

/** The online store's only address in links, from a row of stores: its verified domain, otherwise its slug. */
export const storefrontUrl = sql`
    case when stores.domain_verified then 'https://' || stores.custom_domain
         else replace(${shopUrl}::text, '*', stores.slug) end`

// prettier-ignore
export const store = resource('stores', {
  id:               text().readonly().example('QN-7H3KM2PX'),
  name:             text({ min: 1, max: 120 }).required().example('Corner shop'),
  slug:             slug().example('corner-shop'),
  description:      text({ max: 5000 }).nullable(),
  currency:         currency().default('USD'),
  country_code:     countryCode().default('US'),
  // Only the operator can suspend or close a store.
  status:           choice(['active', 'paused', 'suspended', 'closed']).rule(isMerchantStatus),
  store_title:      text({ max: 120 }).nullable().describe('Title shown to shoppers'),
  custom_domain:    domain().nullable().describe('Custom domain of the online store'),
  storefront_url:   derive(text().example('https://shop.example/s/corner-shop'), storefrontUrl)
    .describe('URL of the online store'),
  plan_name:        derive(text().example('Growth'), sql`(
    select plans.name
    from plans
    where plans.id = stores.plan_id)`).describe('Name of the plan'),
  timezone:         timezone().default('UTC').describe('IANA time zone'),
  maintenance_mode: flag().describe('Whether the online store is closed for maintenance'),
  domain_verified:  flag().readonly().describe('Whether the custom domain has been verified'),
  is_active:        derive(flag().example(true), sql`(stores.status = 'active')`),
  has_custom_domain: derive(flag(), sql`(stores.custom_domain is not null)`)
    .describe('Whether the store has a custom domain'),
  tax_rate:         taxRate().example(16).describe('Tax rate in percent, unless a tax zone applies'),
  tax_included:     flag().describe('Whether prices include tax; if false, tax is added to them'),
  tax_shipping:     flag().describe('Whether shipping is taxed'),
  tax_rounding:     choice(['order', 'line'])
    .describe('How tax is rounded. order: once per rate; line: on each line'),
  tax_fixed_prices: flag().example(true)
    .describe("Whether prices are the same everywhere; if false, the destination's tax replaces the included tax"),
  tax_display:      choice(['as_entered', 'included', 'excluded', 'by_shopper'])
    .describe('Whether prices in the online store contain tax. by_shopper: they choose, at first with tax'),
  lowest_price_display: choice(['by_country', 'always', 'never'])
    .describe('Whether shoppers see the lowest price of 30 days beside a reduction. by_country: in stores of the EU'),
  tax_id:           text({ min: 1, max: 40 }).nullable().example('ESB98602642').describe('Tax ID of the store'),
  checkout_abandon_after_minutes: integer({ min: 10, max: 1440 }).nullable()
    .describe("Minutes until an idle checkout counts as abandoned; if null, the server's default applies"),
  recovery_email_enabled: flag().describe('Whether shoppers who abandon a checkout get a recovery email'),
  auto_complete_orders: flag().describe('Whether orders are completed once they are fully paid and fulfilled'),
  return_window_days: integer({ min: 0, max: 3650 }).example(30)
    .describe('Days after shipment or delivery in which customers can request a return; 0: never'),
  customer_accounts: flag().example(true)
    .describe('Whether customers can sign in to the online store and see their orders'),
  agent_checkouts:  flag().example(true)
    .describe("Whether shoppers' agents can search the store, fill carts and prepare checkouts by UCP"),
  agent_orders:     flag().example(true)
    .describe("Whether shoppers' agents can place orders that need no online payment; if false, the shopper does"),
  reply_to_email:   email().nullable().personal().describe("Reply-to address of the store's emails")
    .example('hello@shop.example'),
  notification_email: email().nullable().personal().describe('Address for new orders; null for owners and admins'),
  default_language: choice(languages).nullable().example('es')
    .describe('Default language of its records and online store; if null, the main language of its country applies'),
  languages:        set(choice(languages), { max: languages.length, unique: true }).example(['en', 'es'])
    .describe('Additional languages of its online store'),
  test_payments:    flag().describe('Whether the `test` provider, which moves no money, can be used'),
  ...integrationFields(),
  created_at:       time().readonly(),
  updated_at:       time().readonly(),
}, {}, { noun: 'Store' })

function isMerchantStatus(status: string): Reason | null {
  return ['active', 'paused'].includes(status) ? null : reason(generalFaults.not_one_of, { choices: 'active, paused' })
}

export function taxRate() {
  return decimal({ min: 0, max: 100 }).rule(hasFewDecimals)
}

function hasFewDecimals(rate: number): Reason | null {
  return Number(rate.toFixed(4)) === rate ? null : reason(generalFaults.too_precise, { limit: 4 })
}

// prettier-ignore
const storeFields = select(store, [
  'id', 'slug', 'name', 'status', 'maintenance_mode', 'currency', 'country_code', 'timezone', 'default_language',
  'languages', 'auto_complete_orders', 'return_window_days', 'customer_accounts',
  'agent_checkouts', 'agent_orders', 'tax_display',
])

/** The store of a call, as passed to every operation. */
export type Store = Row<typeof storeFields> & {
  storefront_url: string
  plan: Plan
  /** True if a tax may apply to something it sells. */
  has_taxes: boolean
  /** Languages that the store has translations into. */
  translated: Language[]
  /** Tables in which it has too many rows for a search to read all their texts. */
  large_tables: string[]
  /** True if some of its categories are below others. */
  has_subcategories: boolean
  /** True if some of its products are bundles. */
  has_bundles: boolean
  /** True if an app quotes the price of one of its shipping rates. */
  has_quoted_rates: boolean
  /** Kinds of records for which it has custom fields. */
  custom_field_kinds: CustomFieldKind[]
  /** Moves when its settings or its credentials change. */
  version: number
}

// From here on trigrams are faster than the texts of all rows (docs/decisions/0014-search.md).
const manyRows = raw('20000')

/** Select list of a Store; the query joins stores and plans. */
export const storeColumns = sql`
  ${storeFields.columns}, ${storefrontUrl} as storefront_url, stores.translated,
  json_build_object('id', plans.id, 'name', plans.name, 'limits', plans.limits, 'features', plans.features) as plan,
  stores.tax_rate > 0 or exists (
    select from tax_zones
    where tax_zones.store_id = ${bindStore('stores.id')}
      and tax_zones.is_active) as has_taxes,
  exists (
    select from categories
    where categories.store_id = ${bindStore('stores.id')}
      and categories.parent_id is not null) as has_subcategories,
  exists (
    select from products
    where products.store_id = ${bindStore('stores.id')}
      and products.bundle_items is not null)
    or exists (
    select from variants
    where variants.store_id = ${bindStore('stores.id')}
      and variants.bundle_items is not null) as has_bundles,
  exists (
    select from shipping_rates
    where shipping_rates.store_id = ${bindStore('stores.id')}
      and shipping_rates.quote_url is not null) as has_quoted_rates,
  array(
    select distinct custom_fields.applies_to
    from custom_fields
    where custom_fields.store_id = ${bindStore('stores.id')}
      and custom_fields.is_active) as custom_field_kinds,
  array(
    select counted.name
    from store_counters
    cross join lateral (values
      ('products', products_active + products_draft + products_archived),
      ('orders', orders),
      ('customers', customers)) as counted (name, rows)
    where store_counters.store_id = ${bindStore('stores.id')}
      and counted.rows >= ${manyRows}) as large_tables, ${admissionVersion} as version`

export function loadStore(db: Db, id: string): Promise<Store | undefined> {
  return db.one<Store>(inStore(id, selectStore(sql`stores.id = ${id}`)))
}

export async function requireStore({ db }: { db: Db }, id: string): Promise<Store> {
  const store = await loadStore(db, id)
  if (!store) throw notFound(`Store ${id}`)
  return store
}

/** The store that `where` names, e.g. by slug. */
export async function findStoreWhere(db: Db, where: Sql): Promise<Store | undefined> {
  if (!db.isDistributed) return db.one<Store>(selectStore(where))
  const store = await db.one<{ id: string }>(sql`select id from stores where ${where}`)
  return store && loadStore(db, store.id)
}

const selectStore = (where: Sql) => sql`
    select ${storeColumns}
    from stores
    join plans on plans.id = stores.plan_id
    where ${where}`

/** Caches of this process forget a store when it changes here; other processes see the change when theirs expire. */
export const storeChanged: Topic<string> = { name: 'store changed' }
