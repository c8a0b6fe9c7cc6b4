// The job that looks again at payments of which nobody has brought word: a shopper who closed the window, a webhook
// that was lost, a process that was killed between two steps.
import type { Database, Tx } from '../kit/database/database.ts'
import { raw, sql } from '../kit/database/sql.ts'
import { causeOfJob } from '../kit/values/cause.ts'
import type { Job } from '../platform/process/jobs.ts'
import type { Log } from '../platform/process/log.ts'
import { loadStore } from '../stores/store.ts'
import type { PayingTools } from './checkout.ts'
import { settle } from './settle.ts'

const batchSize = 20
const everySeconds = 30

export function unsettledJob(db: Database, log: Log, tools: PayingTools): Job {
  const name = 'look at payments'
  const inItsName = db.because(causeOfJob(name))
  return {
    name,
    everySeconds,
    async run(tx) {
      const due = await claimDue(tx)
      const lookAtAll = () => Promise.all(due.map((one) => lookAgain(inItsName, log, one, tools)))
      return { more: due.length === batchSize, afterwards: lookAtAll }
    },
  }
}

type Due = { store_id: string; id: string }

/**
 * Nobody else asks before look_at has come again: after a quarter of the payment's age, within a minute and an hour.
 * Should this process end meanwhile, another goes on then.
 */
function claimDue(tx: Tx): Promise<Due[]> {
  return tx.rows<Due>(sql`
    with due as materialized (
      select store_id, id
      from payment_sessions
      where look_at <= ${tx.now}
      order by look_at
      limit ${raw(String(batchSize))}
      for update skip locked
    )
    update payment_sessions
    set look_at = ${tx.now}::timestamptz
      + greatest(interval '1 minute', least((${tx.now}::timestamptz - created_at) / 4, interval '1 hour'))
    from due
    where payment_sessions.store_id = due.store_id
      and payment_sessions.id = due.id
    returning payment_sessions.store_id, payment_sessions.id`)
}

/** One that fails is looked at again, and holds up no other. */
async function lookAgain(db: Database, log: Log, { store_id, id }: Due, tools: PayingTools): Promise<void> {
  try {
    const store = await loadStore(db, sql`stores.id = ${store_id}`)
    if (store) await settle(db.ofStore(store.id), store, id, tools)
  } catch (error) {
    log.error({ err: error, store: store_id, payment: id }, 'a payment could not be settled')
  }
}
