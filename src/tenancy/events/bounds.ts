// The first and last sequence of a store's log, and the errors for sequences outside it.
import { sql, type Sql } from '../../kit/database/sql.ts'
import type { ErrorResponse } from '../../kit/declare/errorresponse.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault } from '../../kit/values/faults.ts'
import { eventFaults, purged } from './errors.ts'

/** In an empty log, `oldest` is the sequence of the next event. */
export type LogBounds = { oldest: number; newest: number }

/** Selects one row with `oldest` and `newest`. */
export function buildSequenceBounds(storeId: string): Sql {
  return sql`
    select event_logs.last as newest, coalesce((
      select min(sequence)
      from event_numbers
      where event_numbers.store_id = ${storeId}), event_logs.last + 1) as oldest
    from event_logs
    where event_logs.store_id = ${storeId}`
}

/** Refuses a sequence that has been deleted, or that does not exist yet. */
export function requireWithin(first: number, { oldest, newest }: LogBounds, field: string, most = newest): void {
  if (first < oldest) throw purged(oldest)
  if (first > most) throw invalid(fault(field, eventFaults.ahead_of_log, { limit: newest }))
}

export const purgedRefusal: ErrorResponse = {
  name: 'Purged',
  description: 'No longer retained; X-Oldest-Sequence is the oldest available.',
  examples: { purged: purged(1043) },
}
