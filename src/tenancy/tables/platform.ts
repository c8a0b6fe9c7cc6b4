// The tables of kit, platform, http and UCP, which declare nothing themselves.
import { sql } from '../../kit/database/sql.ts'
import { buildResponseSealContext as answerContext } from '../../kit/declare/idempotency.ts'
import { buildEmailMatch } from './person.ts'
import { installation, table, type Erase } from './table.ts'

export const migrations = table('migrations', installation)
export const jobRuns = table('job_runs', installation)
export const canary = table('canary', installation)
export const writeProbes = table('write_probes', { owner: null, placement: 'unregistered' })
export const signingKeys = table('signing_keys', installation)

/** Answers are kept sealed for a day and cannot be matched to a person without the request. */
const eraseAnswers: Erase = (tx, storeId, { ids, orderIds, draftOrderIds, returnIds }) =>
  tx.later(sql`
    update idempotency_keys
    set body = null
    where store_id = ${storeId}
      and records && ${[...ids, ...orderIds, ...draftOrderIds, ...returnIds]}::uuid[]`)

export const idempotencyKeys = table('idempotency_keys', {
  audit: 'answers',
  unforked: 'answers of keys',
  erasure: eraseAnswers,
  sealed: {
    columns: ['body'],
    context: (row) => answerContext(row.store_id!, row.credential!, row.key!),
    blank: 'null',
    without: { body: 'null' },
  },
})

const eraseOutbox: Erase = (tx, storeId, person) => {
  const at = sql`created_at`
  tx.later(sql`
    delete from outbox
    where store_id = ${storeId}
      and (customer_id = any(${person.ids}::uuid[])
        or ${buildEmailMatch(person, sql`recipient`, at)}
        or ${buildEmailMatch(person, sql`reply_to`, at)})`)
}

export const outbox = table('outbox', {
  placement: 'local',
  audit: 'mail where no server takes it',
  merge: 'erased by all IDs that the person had',
  stays: 'emails that the operator of the installation reads',
  erasure: eraseOutbox,
})
