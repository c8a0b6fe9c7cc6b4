// Refunds that wait for a provider: asked once they are committed, and again by a job until somebody has written down
// the answer. A provider is never asked inside a transaction.
import type { Database } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'
import type { Job } from '../platform/process/jobs.ts'
import { succeed } from '../orders/refunds/outcome.ts'
import { loadStore } from '../stores/store.ts'
import { providerNamed, type ProviderName } from './providers.ts'

type Asked = { id: string; provider: ProviderName }

/** Asks the provider of one refund, if nobody has ended it. */
export async function askRefund(db: Database, storeId: string, id: string): Promise<void> {
  const refund = await db.one<Asked>(sql`
    select refunds.id, payment_sessions.provider
    from refunds
    join payment_sessions on payment_sessions.store_id = refunds.store_id
      and payment_sessions.id = refunds.session_id
    where refunds.store_id = ${storeId}
      and refunds.id = ${id}
      and refunds.status = 'pending'`)
  const store = refund && (await loadStore(db, sql`stores.id = ${storeId}`))
  if (!store) return
  const provider = providerNamed(refund.provider)
  if (provider.kind !== 'elsewhere') await db.ofStore(storeId).transaction((tx) => succeed(tx, store, id))
}

const mostAtOnce = 20
const patienceMs = 60_000

/** What was interrupted, or not answered, is asked again with the same key: the money moves once. */
export function refundJob(db: Database): Job {
  return {
    name: 'ask for refunds',
    everySeconds: 30,
    async run(tx) {
      const due = await tx.rows<{ store_id: string; id: string }>(sql`
        update refunds
        set ask_at = ${tx.now}::timestamptz + make_interval(secs => ${patienceMs / 1000} * least(2 ^ tries, 60)),
            tries = tries + 1
        where (store_id, id) in (
          select store_id, id from refunds
          where ask_at <= ${tx.now}
          order by ask_at
          limit ${mostAtOnce}
          for update skip locked)
        returning store_id, id`)
      return {
        more: due.length === mostAtOnce,
        afterwards: () => Promise.all(due.map(({ store_id, id }) => askRefund(db, store_id, id))),
      }
    },
  }
}
