// Pre-orders: the day from which an item ships. Until then it is sold as usual, and everyone is told the day.
import type { Db } from '../../kit/database/database.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import { text } from '../../kit/declare/scalars.ts'
import { filter } from '../../kit/declare/resource.ts'
import { formatLocalDay } from '../../kit/values/timezone.ts'
import type { Store } from '../../tenancy/stores/store.ts'

const day = () => text({ format: 'date' })

export const availableOnField = () => day().nullable().example('2027-01-05')

/**
 * The day, if it lies ahead in the store's time zone; otherwise null. The clock is read only for items that have a day:
 * an answer that depends on the clock is not kept in memory.
 */
export function findDayAhead(
  db: Pick<Db, 'clock'>,
  { timezone }: Pick<Store, 'timezone'>,
  availableOn: string | null,
): string | null {
  return availableOn !== null && availableOn > formatLocalDay(db.clock.now(), timezone) ? availableOn : null
}

/** A product is found by its own day, and by those of its variants. */
export const availableOnFilters = {
  'available_on[gte]': dayFilter(sql`>=`, 'Day on or after which the product or a variant is available'),
  'available_on[lte]': dayFilter(sql`<=`, 'Day on or before which the product or a variant is available'),
}

function dayFilter(operator: Sql, description: string) {
  return filter(
    day().example('2027-01-05').describe(description),
    (value: string, { store_id }: { store_id: string }) => sql`
    (products.available_on ${operator} ${value} or products.id = any(array(
      select product_id
      from variants
      where variants.store_id = ${store_id}
        and variants.available_on ${operator} ${value})))`,
  )
}
