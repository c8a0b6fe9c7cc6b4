// Limits of a credential within its scopes: amounts, rates and hours. The policy belongs to an API key, or to an app in
// a store; dispatch enforces it.
import { readPendingChanges } from '../audit/journal.ts'
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { Decimal } from '../../kit/values/money.ts'
import { object } from '../../kit/declare/composites.ts'
import type { Entity } from '../../kit/declare/field.ts'
import { integer, money } from '../../kit/declare/scalars.ts'
import type { Actor } from '../../kit/values/actor.ts'
import { reason } from '../../kit/values/faults.ts'
import { formatLocalTime } from '../../kit/values/timezone.ts'
import type { Store } from '../stores/store.ts'
import { dispatchFaults, beyondPolicy } from './errors.ts'

const maxWrites = 1_000_000

// prettier-ignore
const fields = {
  max_amount:   money({ above: 0 }).nullable().describe('Maximum amount of an order, a draft order or a refund'),
  max_per_hour: integer({ min: 1, max: maxWrites }).nullable().describe('Maximum number of writes per clock hour'),
  max_per_day:  integer({ min: 1, max: maxWrites }).nullable().describe('Maximum number of writes per day'),
  from_hour:    integer({ min: 0, max: 23 }).nullable().describe('First hour in which it can write'),
  until_hour:   integer({ min: 1, max: 24 }).nullable()
    .describe('Hour at which it can no longer write; if before from_hour, on the next day'),
}

/** The field of an API key. */
export const policy = object(fields)
  .rule(({ from_hour, until_hour }) =>
    hasNoHours(from_hour, until_hour) ? reason(dispatchFaults.no_hours_between) : null,
  )
  .becomes(wholePolicy)

/** Equal hours are ambiguous: they could mean never or always. */
function hasNoHours(from: number | null | undefined, until: number | null | undefined): boolean {
  return typeof from === 'number' && from === until
}

export type CredentialPolicy = Entity<typeof fields>

/** Fills in null for limits that are not set. */
export function wholePolicy(some: Partial<CredentialPolicy>): CredentialPolicy {
  return { max_amount: null, max_per_hour: null, max_per_day: null, from_hour: null, until_hour: null, ...some }
}

/** A policy without limits counts as none. */
export function effectivePolicy(policy: CredentialPolicy | null | undefined): CredentialPolicy | null {
  return policy && Object.values(policy).some((limit) => limit !== null) ? policy : null
}

/** Only writes are limited: scopes and the rate limit cover reading, and proposing changes nothing. */
export function isLimited({ scope }: { scope: string | readonly string[] }): boolean {
  return [scope].flat().some((name) => name.startsWith('write:'))
}

/** Runs before anything is locked. */
export function requireHour(
  { from_hour, until_hour }: CredentialPolicy,
  { timezone }: Pick<Store, 'timezone'>,
  now: Date,
): void {
  if (from_hour === null && until_hour === null) return
  const [from, until] = [from_hour ?? 0, until_hour ?? 24]
  const hour = Number(formatLocalTime(now, timezone).slice(11, 13))
  const isWithin = from < until ? hour >= from && hour < until : hour >= from || hour < until
  if (isWithin) return
  const hours = `between ${from}:00 and ${until}:00 (${timezone})`
  // Across midnight it is the end that was passed last.
  const isEarly = from_hour !== null && (until_hour === null || (from < until && hour < from))
  throw beyondPolicy(
    isEarly ? 'from_hour' : 'until_hour',
    isEarly ? from : until,
    `This credential can only write ${hours}`,
  )
}

/**
 * The last statement of a write: counts the write and checks its amounts. Other writes of the credential wait for it.
 */
export async function enforcePolicy(
  tx: Tx,
  store: Pick<Store, 'id' | 'timezone'>,
  { id: holder }: Actor,
  policy: CredentialPolicy,
  writes = 1,
): Promise<void> {
  const { max_amount, max_per_hour, max_per_day } = policy
  if (max_amount === null && max_per_hour === null && max_per_day === null) return
  const local = formatLocalTime(tx.now, store.timezone)
  const [hour, day] = [local.slice(0, 13), local.slice(0, 10)]
  // A write that begins before the hour and ends after others of the new hour counts toward the new hour.
  const used = tx.one(sql`
    insert into policy_uses as known (store_id, holder, hour, in_hour, day, in_day)
    select ${store.id}, ${holder}, ${hour}, ${writes}::int, ${day}, ${writes}::int
    where ${writes}::int <= ${Math.min(max_per_hour ?? maxWrites, max_per_day ?? maxWrites)}
    on conflict (store_id, holder) do update
    set hour = greatest(known.hour, excluded.hour),
      in_hour = case when known.hour < excluded.hour then 0 else known.in_hour end + excluded.in_hour,
      day = greatest(known.day, excluded.day),
      in_day = case when known.day < excluded.day then 0 else known.in_day end + excluded.in_day
    where (known.hour < excluded.hour or known.in_hour + excluded.in_hour <= ${max_per_hour ?? maxWrites})
      and (known.day < excluded.day or known.in_day + excluded.in_day <= ${max_per_day ?? maxWrites})
    returning 1`)
  const [use, largest] = await Promise.all([used, max_amount === null ? new Decimal(0) : largestAmount(tx, store.id)])
  if (!use) throw await frequencyError(tx, store, holder, policy)
  if (max_amount !== null && largest.greaterThan(max_amount)) {
    const how = 'Use POST /v1/proposals to submit it for approval'
    throw beyondPolicy(
      'max_amount',
      max_amount,
      `This credential is limited to ${max_amount} per order or refund. ${how}`,
    )
  }
}

const amounts: Readonly<Record<string, string>> = { orders: 'total', draft_orders: 'total', refunds: 'amount' }

/** Amounts of the orders, drafts and refunds that the transaction has created or raised. */
async function largestAmount(tx: Tx, storeId: string): Promise<Decimal> {
  const values = (await readPendingChanges(tx, storeId)).flatMap(({ table, before, after }) => {
    const amount = after?.[amounts[table] ?? '']
    return amount === undefined || Number(amount) <= Number(before?.[amounts[table]!] ?? 0) ? [] : [amount]
  })
  return Decimal.max(0, ...(values as number[]))
}

async function frequencyError(
  tx: Tx,
  store: Pick<Store, 'id' | 'timezone'>,
  holder: string | null,
  { max_per_hour, max_per_day }: CredentialPolicy,
): Promise<Error> {
  const use = await tx.one<{ in_day: number }>(sql`
    select in_day
    from policy_uses
    where store_id = ${store.id}
      and holder = ${holder}`)
  if (max_per_day !== null && use!.in_day >= max_per_day) {
    return beyondPolicy('max_per_day', max_per_day, `This credential is limited to ${max_per_day} writes per day`)
  }
  const limit = max_per_hour ?? maxWrites
  return beyondPolicy('max_per_hour', limit, `This credential is limited to ${limit} writes per hour`)
}
