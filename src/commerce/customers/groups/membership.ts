// Group membership, as conditions on rows of customers and customer_groups. They are evaluated when they are queried,
// so membership is always current: a customer joins a group with the order that matches its rules.
import { currentTime, join, raw, sql, type Sql } from '../../../kit/database/sql.ts'

/** `isSet`: the group has the rule. `isMet` may be null. */
type GroupRule = { isSet: Sql; isMet: Sql }

const rules: GroupRule[] = [
  buildRangeRule('total_spent', raw('customers.total_spent')),
  buildRangeRule('orders_count', raw('customers.orders_count')),
  {
    isSet: buildAnyNotNull('min_days_since_order', 'max_days_since_order'),
    isMet: sql`(customers.last_order_at is not null
        and coalesce(customers.last_order_at <= ${daysAgo('min_days_since_order')}, true)
        and coalesce(customers.last_order_at >= ${daysAgo('max_days_since_order')}, true))`,
  },
  {
    isSet: raw("customer_groups.country_codes <> '{}'"),
    isMet: raw('customers.last_country_code = any(customer_groups.country_codes)'),
  },
  {
    isSet: raw("customer_groups.provinces <> '{}'"),
    isMet: raw('customers.last_province_code = any(customer_groups.provinces)'),
  },
  {
    isSet: raw("customer_groups.customer_tags <> '{}'"),
    isMet: raw(`(customers.tags <> '{}' and store_tags(customers.store_id, customers.tags)
        && store_tags(customers.store_id, customer_groups.customer_tags))`),
  },
  {
    isSet: buildAnyNotNull('accepts_marketing'),
    isMet: raw('customers.accepts_marketing = customer_groups.accepts_marketing'),
  },
]

function buildRangeRule(name: string, value: Sql): GroupRule {
  const [least, most] = [raw(`customer_groups.min_${name}`), raw(`customer_groups.max_${name}`)]
  return {
    isSet: buildAnyNotNull(`min_${name}`, `max_${name}`),
    isMet: sql`(coalesce(${value} >= ${least}, true) and coalesce(${value} <= ${most}, true))`,
  }
}

function buildAnyNotNull(...columns: string[]): Sql {
  return raw(`(${columns.map((name) => `customer_groups.${name} is not null`).join(' or ')})`)
}

/** Days of 24 hours. */
function daysAgo(column: string): Sql {
  return sql`${currentTime}::timestamptz - make_interval(hours => 24 * customer_groups.${raw(column)})`
}

export const hasRules = sql`(${join(
  rules.map(({ isSet }) => isSet),
  ' or ',
)})`

const isMetOrUnset = rules.map(({ isSet, isMet }) => sql`(not ${isSet} or coalesce(${isMet}, false))`)
const isSetAndMet = rules.map(({ isSet, isMet }) => sql`(${isSet} and coalesce(${isMet}, false))`)

/** A group without rules matches nobody. */
export const matchesRules = sql`(case when customer_groups.match = 'any' then ${join(isSetAndMet, '\n        or ')}
      else ${hasRules}
        and ${join(isMetOrUnset, '\n        and ')}
      end)`

/** True if the customer is in the group: added by hand, or by its rules. */
export const isMember = sql`(customer_groups.id = any(customers.group_ids) or ${matchesRules})`

/** True if a row of customers is in this group. */
export function isInGroup(storeId: string, groupId: string | null): Sql {
  return sql`exists (
      select
      from customer_groups
      where customer_groups.store_id = ${storeId}
        and customer_groups.id = ${groupId}::uuid
        and ${isMember})`
}
