// Recently abandoned checkouts and their recovery, summed from one index (migrations/0127_listed_checkouts.sql).
import type { Db } from '../../../kit/database/database.ts'
import type { JsonSchema } from '../../../kit/declare/field.ts'
import { sql } from '../../../kit/database/sql.ts'
import { Decimal, toNumber } from '../../../kit/values/money.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { addSeconds } from '../states.ts'

const windowDays = 30

export type RecoverySummary = {
  days: number
  currency: string
  abandoned_count: number
  abandoned_total: number
  open_count: number
  open_total: number
  recovered_count: number
  recovered_revenue: number
  recovery_rate: number | null
}

const count: JsonSchema = { type: 'integer', minimum: 0 }
const amount: JsonSchema = { type: 'number', minimum: 0 }

// prettier-ignore
export const recoverySchema: JsonSchema = {
  title: 'Recovery summary',
  type: 'object',
  description: "Checkouts abandoned in the last 30 days, with amounts in the store's currency",
  properties: {
    days:              { ...count, description: 'Number of days covered' },
    currency:          { type: 'string' },
    abandoned_count:   count,
    abandoned_total:   { ...amount, description: 'Total value of abandoned checkouts' },
    open_count:        { ...count, description: 'Number of abandoned checkouts that can still be recovered' },
    open_total:        amount,
    recovered_count:   count,
    recovered_revenue: { ...amount,
      description: 'Total of the recovered orders, excluding cancelled and returned ones' },
    recovery_rate:     { type: ['number', 'null'],
      description: 'Percentage of abandoned checkouts that were recovered; null if none was abandoned' },
  },
  required: ['days', 'currency', 'abandoned_count', 'abandoned_total', 'open_count', 'open_total', 'recovered_count',
    'recovered_revenue', 'recovery_rate'],
}

export async function sumUpRecovery(db: Db, store: Store): Promise<RecoverySummary> {
  const since = addSeconds(db.clock.now(), -windowDays * 24 * 60 * 60)
  const sums = (await db.one<Record<string, string>>(sql`
    with lately as (
      select count(*) as abandoned_count,
        coalesce(sum(total), 0) as abandoned_total,
        count(*) filter (where status = 'abandoned') as open_count,
        coalesce(sum(total) filter (where status = 'abandoned'), 0) as open_total,
        count(*) filter (where status = 'recovered') as recovered_count,
        array_agg(order_id) filter (where status = 'recovered') as order_ids
      from listed_checkouts
      where store_id = ${store.id}
        and abandoned_at >= ${since}
        and currency = ${store.currency}
    )
    select abandoned_count, abandoned_total, open_count, open_total, recovered_count, (
        select coalesce(sum(orders.total), 0)
        from orders
        where orders.store_id = ${store.id}
          and orders.id = any(lately.order_ids)
          and orders.status not in ('cancelled', 'returned')) as recovered_revenue
    from lately`))!
  const numbers = Object.fromEntries(Object.entries(sums).map(([name, value]) => [name, toNumber(new Decimal(value))]))
  const { abandoned_count, recovered_count } = numbers as { abandoned_count: number; recovered_count: number }
  const rate = abandoned_count === 0 ? null : Math.round((recovered_count / abandoned_count) * 1000) / 10
  return { days: windowDays, currency: store.currency, ...numbers, recovery_rate: rate } as RecoverySummary
}
