import type { Plan } from '../plans/plan.ts'
import { reason, type Reason, generalFaults } from '../../kit/values/faults.ts'
import type { Topic } from '../../kit/database/bus.ts'
import type { Db } from '../../kit/database/database.ts'
import { set } from '../../kit/declare/composites.ts'
import { derived } from '../../kit/declare/field.ts'
import { choice, decimal, email, flag, integer, text, time } from '../../kit/declare/scalars.ts'
import { resource } from '../../kit/declare/resource.ts'
import { countryCodes } from '../../kit/values/countries.ts'
import { languages, type Language } from '../../kit/values/language.ts'
import { select, type Row } from '../../kit/declare/row.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'

const currencies = new Set(Intl.supportedValuesOf('currency'))
const timezones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])

export const currency = () =>
  text({ min: 3, max: 3 }).rule((code) => (currencies.has(code) ? null : reason(generalFaults.no_currency)))

export const countryCode = () =>
  text({ min: 2, max: 2 }).rule((code) => (countryCodes.has(code) ? null : reason(generalFaults.no_country)))

const timezone = () =>
  text({ min: 1, max: 64 }).rule((name) => (timezones.has(name) ? null : reason(generalFaults.no_timezone)))

const slug = () => text({ min: 1, max: 63, pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' })

const domainForm = '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,63}$'

export const domain = () => text({ min: 4, max: 253, pattern: domainForm })

export function isDomain(name: string): boolean {
  return name.length <= 253 && new RegExp(domainForm).test(name)
}

// prettier-ignore
export const store = resource('stores', {
  id:               text().readonly().example('QN-7H3KM2PX'),
  name:             text({ min: 1, max: 120 }).required().example('Corner shop'),
  slug:             slug().example('corner-shop'),
  description:      text({ max: 5000 }).nullable(),
  currency:         currency().default('USD'),
  country_code:     countryCode().default('US'),
  // Suspending and closing are the operator's.
  status:           choice(['active', 'paused', 'suspended', 'closed']).rule(isMerchantStatus),
  store_title:      text({ max: 120 }).nullable(),
  custom_domain:    domain().nullable(),
  storefront_url:   derived(text().example('https://shop.example/s/corner-shop'), sql`
    case when stores.domain_verified then 'https://' || stores.custom_domain
         else current_setting('stoa.base_url', true) || '/s/' || stores.slug end`),
  plan_name:        derived(text().example('Growth'), sql`(
    select plans.name
    from plans
    where plans.id = stores.plan_id)`),
  timezone:         timezone().default('UTC'),
  maintenance_mode: flag(),
  domain_verified:  flag().readonly(),
  is_active:        derived(flag().example(true), sql`(stores.status = 'active')`),
  has_custom_domain: derived(flag(), sql`(stores.custom_domain is not null)`),
  tax_rate:         taxRate().example(16).describe('Percent, where no tax zone says another'),
  tax_included:     flag().describe('Prices contain the tax; else it is added to them'),
  tax_shipping:     flag().describe('Shipping is taxed too'),
  tax_rounding:     choice(['order', 'line'])
    .describe('order: the tax of each rate is rounded once; line: that of each line is'),
  tax_fixed_prices: flag().example(true)
    .describe('Prices are the same wherever they go; else the tax of home in them gives way to that of the place'),
  tax_id:           text({ min: 1, max: 40 }).nullable().example('ESB98602642').describe('The tax number of the store'),
  checkout_abandon_after_minutes: integer({ min: 10, max: 1440 }).nullable()
    .describe('null: what the operator has set'),
  recovery_email_enabled: flag().describe('Whether shoppers who left a checkout get a mail with a link back'),
  auto_complete_orders: flag().describe('Completes an order once it is paid in full and all of it is fulfilled'),
  reply_to_email:   email().nullable().personal().describe('Where answers to mail of the store go')
    .example('hello@shop.example'),
  notification_email: email().nullable().personal().describe('Who learns of new orders; null: the owners and admins'),
  default_language: choice(languages).nullable().example('es')
    .describe('In which its records are written and its pages open; null: what most people of its country speak'),
  languages:        set(choice(languages), { max: languages.length, unique: true }).example(['en', 'es'])
    .describe('In which its pages may be read beside the default one'),
  test_payments:    flag().describe('Whether the provider `test` is offered, which takes no money: for trying out'),
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
  'languages', 'auto_complete_orders',
])

/** The store of a call, as every operation gets it. */
export type Store = Row<typeof storeFields> & {
  plan: Plan
  /** True if a tax may apply to something it sells. */
  has_taxes: boolean
  /** Into which something of it was translated. */
  translated: Language[]
}

/** Select list of a Store; the query joins stores and plans. */
export const storeColumns = sql`
  ${storeFields.columns}, stores.translated,
  json_build_object('id', plans.id, 'name', plans.name, 'limits', plans.limits, 'features', plans.features) as plan,
  stores.tax_rate > 0 or exists (
    select from tax_zones
    where tax_zones.store_id = stores.id
      and tax_zones.is_active) as has_taxes`

/** The store that `where` names, e.g. by id or slug. */
export function loadStore(db: Db, where: Sql): Promise<Store | undefined> {
  return db.one<Store>(sql`
    select ${storeColumns}
    from stores
    join plans on plans.id = stores.plan_id
    where ${where}`)
}

/** Caches of this process forget a store when it changes here; other processes see the change when theirs expire. */
export const storeChanged: Topic<string> = { name: 'store changed' }
