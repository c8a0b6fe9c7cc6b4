// A delivery's row has its last attempt since it was fired, the table of attempts those before it: most deliveries
// succeed at once and are one row.
import { choice, flag, integer, text, time } from '../../../kit/declare/scalars.ts'
import { resource } from '../../../kit/declare/resource.ts'
import { raw, sql, type Sql } from '../../../kit/database/sql.ts'

const errors = ['TIMEOUT', 'DNS', 'TLS', 'REFUSED', 'RESET', 'BLOCKED_ADDRESS', 'BAD_RESPONSE'] as const
export const maxBodyLength = 4096

// prettier-ignore
export const attempt = resource('attempts', {
  attempt:       integer({ min: 1 }).readonly().example(1).describe('Number of the attempt, from 1'),
  at:            time().readonly().describe('Time it happened'),
  duration_ms:   integer({ min: 0 }).readonly().example(84),
  status_code:   integer({ min: 100, max: 999 }).nullable().readonly().example(503).describe('HTTP status code'),
  error:         choice(errors).nullable().readonly(),
  message:       text({ max: 255 }).nullable().readonly().describe('Description of the error'),
  response_body: text({ max: maxBodyLength }).nullable().readonly()
    .describe('First 4,096 characters of the response body, as text'),
  truncated:     flag().readonly().describe('Whether the response body is longer than response_body'),
}, {}, { noun: 'Delivery attempt' })

/** The sent request, which merchants see with the delivery rather than with each attempt. */
const requestColumns = ['url', 'signature']
const storedColumns = [...attempt.names.filter((name) => name !== 'attempt' && name !== 'at'), ...requestColumns]
const columns = (of: string) => raw(storedColumns.map((name) => `${of}.${name}`).join(', '))

/** For the `set` of an update of deliveries: no attempt since it was fired. */
export const noAttempt = raw(
  ['attempted_at', ...storedColumns].map((name) => `${name} = ${name === 'truncated' ? 'false' : 'null'}`).join(', '),
)

/** Keeps the attempts of rows of deliveries that an update is about to overwrite; `which` follows `from`. */
export function keepAttempts(which: Sql): Sql {
  return sql`
    insert into attempts (store_id, delivery_id, attempt, at, ${raw(storedColumns.join(', '))})
    select deliveries.store_id, deliveries.id, deliveries.attempts, deliveries.attempted_at, ${columns('deliveries')}
    from ${which}
      and deliveries.attempted_at is not null
    on conflict do nothing`
}

/** Rows of `attempts`: all at one delivery, the newest first. */
export function buildAttemptsQuery(storeId: string, webhookId: string, deliveryId: string): Sql {
  return sql`(
    select deliveries.attempts as attempt, deliveries.attempted_at as at, ${columns('deliveries')}
    from deliveries
    where store_id = ${storeId}
      and webhook_id = ${webhookId}
      and id = ${deliveryId}
      and attempted_at is not null
    union all
    select attempts.attempt, attempts.at, ${columns('attempts')}
    from attempts
    where store_id = ${storeId}
      and delivery_id = ${deliveryId}
    order by attempt desc) as attempts`
}
