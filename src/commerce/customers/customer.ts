import { customerAddresses, defaultBillingAddress } from './address.ts'
import { marketingConsent, type ConsentInput } from './consents/consent.ts'
import { customerFaults } from './errors.ts'
import { isInGroup } from './groups/membership.ts'
import { set } from '../../kit/declare/composites.ts'
import { derive, type Create, type Entity, type Patch, type ReadContext } from '../../kit/declare/field.ts'
import { plainDigits } from '../../kit/values/digits.ts'
import { reason } from '../../kit/values/faults.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { decimal, email, flag, id, integer, money, text, time } from '../../kit/declare/scalars.ts'
import { externalId, integrationFilters, metadata } from '../../kit/declare/metadata.ts'
import { tagFilter, tags } from '../../kit/declare/tags.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import { customValues, customValuesFilter } from '../../tenancy/stores/customvalues.ts'
import { taxId } from '../tax/taxid.ts'
import { contains } from '../../kit/declare/textsearch.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'

const phone = () =>
  text({ min: 1, max: 40 })
    .becomes(plainDigits)
    .rule((value) => (/\d/.test(value) ? null : reason(customerFaults.no_digits)))

/** The most groups to which a customer can be added by hand. */
export const maxGroupsOfCustomer = 200

// prettier-ignore
export const customer = resource('customers', {
  id:              id('cus').readonly(),
  name:            text({ min: 1, max: 255 }).required().sortable().personal().example('Ana Torres'),
  email:           email().nullable().personal().example('ana@example.com'),
  phone:           phone().nullable().personal().example('+52 55 1234 5678'),
  notes:           text({ max: 5000 }).nullable().personal().describe('Notes about the customer'),
  tags:            tags().personal().example(['vip'])
    .describe('Labels of your own, for filters; shoppers do not see them'),
  addresses:       customerAddresses().default([]).personal()
    .describe('Addresses; a change replaces all, and the routes of addresses change one'),
  billing_address: derive(defaultBillingAddress(), sql`default_billing_address(customers.addresses)`).nullable()
    .personal().describe('The default billing address of addresses; null without one'),
  group_ids:       set(id('cgrp'), { max: maxGroupsOfCustomer, unique: true }).default([])
    .describe('Groups to which the customer was added by hand; may have deleted ones'),
  tax_id:          taxId().nullable().personal().describe('Tax ID, such as a VAT number'),
  tax_exempt:      flag()
    .describe('Whether orders with this customer ID, or with this email and tax_id, are exempt from tax'),
  accepts_marketing: flag().describe('Whether the customer agreed to receive marketing, such as a newsletter'),
  marketing_changed_at: time().nullable().readonly().describe('Time of the last change of accepts_marketing'),
  marketing_consent: marketingConsent().nullable()
    .describe('How the customer last agreed to marketing or withdrew that; null if not recorded. Taken with a '
      + 'change of accepts_marketing'),
  custom_fields:   customValues('customer').personal(),
  external_id:     externalId().personal(),
  metadata:        metadata().personal(),
  has_email:       derive(flag(), sql`(customers.email is not null)`)
    .describe('Whether the customer has an email address'),
  has_phone:       derive(flag(), sql`(customers.phone is not null)`)
    .describe('Whether the customer has a phone number'),
  display_contact: derive(text(), sql`coalesce(customers.email, customers.phone, customers.name)`).personal()
    .describe('Email address, or phone number, or name if both are missing'),
  created_at:      time().readonly().sortable(),
  updated_at:      time().readonly().sortable(),
  orders_count:    integer({ min: 0 }).readonly().sortable().describe('Number of orders that are not canceled'),
  total_spent:     money().readonly().sortable().describe('What was paid for orders, less what was refunded'),
  last_order_at:   time().nullable().readonly().sortable().describe('Time of the last order'),
  last_order_id:   id('ord').nullable().readonly().describe('ID of the last order'),
  last_country_code:  text().nullable().readonly().example('MX').describe('Country of the last order'),
  last_province_code: text().nullable().readonly().example('MX-CMX')
    .describe('Province of the last order, as an ISO 3166-2 code; null if unknown'),
}, {
  search:               filter(text({ max: 200 }), searchCondition),
  'total_spent[gte]':   filter(decimal({ min: 0 }), (least) => sql`customers.total_spent >= ${least}`),
  'total_spent[lte]':   filter(decimal({ min: 0 }), (most) => sql`customers.total_spent <= ${most}`),
  'orders_count[gte]':  filter(decimal({ min: 0 }), (least) => sql`customers.orders_count >= ${least}::numeric`),
  'orders_count[lte]':  filter(decimal({ min: 0 }), (most) => sql`customers.orders_count <= ${most}::numeric`),
  'last_order_at[gte]': filter(time(), (from) => sql`customers.last_order_at >= ${from}`),
  'last_order_at[lte]': filter(time(), (to) => sql`customers.last_order_at <= ${to}`),
  tag:                  tagFilter('customers', 'a customer'),
  group:                filter(text({ max: 100 }).describe('Only customers in this group, by its ID'),
    (group, { store_id }) => isInGroup(store_id, toUuid('cgrp', group))),
  accepts_marketing:    filter(flag(), (accepts) => sql`customers.accepts_marketing = ${accepts}`),
  has_orders:           filter(flag(), (has) => sql`(customers.orders_count > 0) = ${has}`),
  ...customValuesFilter('customers'),
  ...integrationFilters('customers'),
}, {
  noun: 'Customer',
  total: counterTotal,
  // Each sale moves the totals of its customer.
  narrow: {
    table: 'listed_customers',
    sorts: ['orders_count', 'total_spent', 'last_order_at'],
    filters: [
      ...['orders_count', 'total_spent', 'last_order_at'].flatMap((name) => [`${name}[gte]`, `${name}[lte]`]),
      ...['has_orders', 'accepts_marketing'],
    ],
  },
})

export type Customer = Entity<typeof customer.fields>
type NewFields = Create<typeof customer.fields>
type Optional = 'tags' | 'addresses' | 'group_ids'
type WithConsent = { marketing_consent?: ConsentInput | null }
export type NewCustomer = Omit<NewFields, Optional | keyof WithConsent> &
  Partial<Pick<NewFields, Optional>> &
  WithConsent
export type CustomerPatch = Omit<Patch<typeof customer.fields>, keyof WithConsent> & WithConsent

/** Finds a phone number however its digits are grouped: `(55) 12 34` finds +52 55 1234 5678. */
function searchCondition(input: string, context: ReadContext): Sql {
  const number = plainDigits(input)
  const digits = number.replace(/\D/g, '')
  const isPhone = digits !== '' && /^[\d\s()+./-]+$/.test(number)
  const isMatch = (text: string) => contains('customers', 'search_text', text, context)
  return isPhone ? sql`(${isMatch(number)} or ${isMatch(digits)})` : isMatch(input)
}

/** The store's counter knows the total; filtered lists are counted. */
function counterTotal(query: Record<string, unknown>, storeId: string, within: readonly Sql[]): Sql | null {
  const isFiltered = within.length > 0 || Object.keys(customer.filters).some((name) => query[name] !== undefined)
  return isFiltered ? null : sql`select customers from store_counters where store_id = ${storeId}`
}
