// A delivery's row has its last attempt since it was fired, the table of attempts those before it: most deliveries
// succeed at once and are one row.
import { raw, sql, type Sql } from '../kit/database/sql.ts'

const columns = 'duration_ms, url, signature, status_code, error, message, response_body, truncated'

/** For the `returning` of an update of deliveries: the attempt that it overwrites. */
export const overwritten = raw(`old.store_id, old.id as delivery_id, old.attempts as attempt, old.attempted_at as at,
      ${columns.replaceAll(/\w+/g, 'old.$&')}`)

/** Moves what an update returned as `overwritten`. */
export function keepAttempts(updated: string): Sql {
  return raw(`
      insert into attempts (store_id, delivery_id, attempt, at, ${columns})
      select store_id, delivery_id, attempt, at, ${columns}
      from ${updated}
      where at is not null`)
}

/** Of an update of deliveries: no attempt since it was fired. */
export const noAttempt = raw(`attempted_at = null, duration_ms = null, url = null, signature = null,
      status_code = null, error = null, message = null, response_body = null, truncated = false`)

/** All attempts at one delivery, the newest first. */
export function attemptsOf(storeId: string, webhookId: string, deliveryId: string): Sql {
  return sql`
      select attempts as attempt, attempted_at as at, ${raw(columns)}
      from deliveries
      where store_id = ${storeId}
        and webhook_id = ${webhookId}
        and id = ${deliveryId}
        and attempted_at is not null
      union all
      select attempt, at, ${raw(columns)}
      from attempts
      where store_id = ${storeId}
        and delivery_id = ${deliveryId}
      order by attempt desc`
}
