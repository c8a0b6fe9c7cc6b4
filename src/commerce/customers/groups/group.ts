// A group of customers: those whom its rules match, and those who were added by hand.
import { set } from '../../../kit/declare/composites.ts'
import { derive, type Create, type Entity, type Patch } from '../../../kit/declare/field.ts'
import { filter, resource } from '../../../kit/declare/resource.ts'
import type { Row } from '../../../kit/declare/row.ts'
import { choice, flag, id, integer, money, text, time } from '../../../kit/declare/scalars.ts'
import { createBody, type Rule } from '../../../kit/declare/shape.ts'
import { maxTags, tag } from '../../../kit/declare/tags.ts'
import { sql } from '../../../kit/database/sql.ts'
import { fault } from '../../../kit/values/faults.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { containsPattern } from '../../../kit/values/slug.ts'
import { countryCode } from '../../../tenancy/stores/store.ts'
import { groupFaults } from './errors.ts'
import { hasRules, isMember } from './membership.ts'

const orders = () => integer({ min: 0, max: 1_000_000 }).nullable()
const days = () => integer({ min: 0, max: 36_500 }).nullable()

// prettier-ignore
export const ruleFields = {
  match:                choice(['all', 'any']).default('all')
    .describe('Whether customers must match all rules, or any of them'),
  min_total_spent:      money().nullable().example(500).describe('Least total_spent of the customer'),
  max_total_spent:      money().nullable().describe('Greatest total_spent of the customer'),
  min_orders_count:     orders().describe('Least orders_count of the customer'),
  max_orders_count:     orders().describe('Greatest orders_count of the customer'),
  min_days_since_order: days().describe('The last order was at least this many days ago'),
  max_days_since_order: days().describe('The last order was at most this many days ago'),
  country_codes:        set(countryCode(), { max: 250, unique: true }).default([]).example(['MX'])
    .describe('Countries of the last order'),
  provinces:            set(text({ min: 1, max: 120 }), { max: 100 }).default([])
    .describe('Provinces of the last order, as ISO 3166-2 codes; requests may use names'),
  customer_tags:        set(tag(), { max: maxTags, unique: true }).default([])
    .describe('Tags of which the customer has any; case is ignored'),
  accepts_marketing:    flag().nullable().describe('Whether the customer accepts marketing'),
}

const ranges = ['total_spent', 'orders_count', 'days_since_order'] as const

/** Checked for a group as a whole: an update checks them together with the unchanged fields. */
export const rules = ranges.map((name): Rule<Record<string, unknown>> => ({
  fields: [`min_${name}`, `max_${name}`],
  check: ({ [`min_${name}`]: least = null, [`max_${name}`]: most = null }) =>
    least !== null && most !== null && Number(least) > Number(most)
      ? fault(`max_${name}`, groupFaults.below_least, { field: `min_${name}` })
      : null,
}))

/** The rules alone, to count whom they match. */
export const rulesBody = createBody(ruleFields, rules)

// prettier-ignore
export const customerGroup = resource('customer_groups', {
  id:          id('cgrp').readonly(),
  name:        text({ min: 1, max: 120 }).required().sortable().example('VIP'),
  description: text({ max: 1000 }).nullable().describe('A note about the group; shoppers do not see it'),
  ...ruleFields,
  has_rules:   derive(flag(), hasRules)
    .describe('Whether the group has rules; without them, customers are added by hand only'),
  created_at:  time().readonly().sortable(),
  updated_at:  time().readonly().sortable(),
}, {
  search:      filter(text({ max: 120 }), (input) => sql`lower(customer_groups.name) like ${containsPattern(input)}`),
  customer_id: filter(text({ max: 100 }).describe('Only groups that the customer is in'),
    (customer, { store_id }) => sql`exists (
      select
      from customers
      where customers.store_id = ${store_id}
        and customers.id = ${toUuid('cus', customer)}::uuid
        and ${isMember})`),
}, {
  noun: 'Customer group',
  rules,
  defaultSort: 'name',
  defaultOrder: 'asc',
})

export type CustomerGroup = Entity<typeof customerGroup.fields>
export type NewCustomerGroup = Create<typeof customerGroup.fields>
export type CustomerGroupPatch = Patch<typeof customerGroup.fields>
export type CustomerGroupRow = Row<typeof customerGroup.row>
export type CustomerGroupRules = Create<typeof ruleFields>
