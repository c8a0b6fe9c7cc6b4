// Asks providers for what was committed in this process, at once; the jobs take over what nobody has finished.
import type { Database } from '../../kit/database/database.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import { causeOfJob } from '../../kit/values/cause.ts'
import type { Job } from '../../platform/process/jobs.ts'
import type { Log } from '../../platform/process/log.ts'
import { providerRequested } from '../../commerce/orders/providerrequests.ts'
import { askPatienceMs } from '../../commerce/orders/authorizations.ts'
import type { PaymentTools } from './providercalls.ts'
import { askHold } from './authorizations.ts'
import { askRefund } from './refundrequests.ts'

/** `stop` waits for the answers that are under way. */
export function startAsking({ db, tools, log }: { db: Database; tools: PaymentTools; log: Log }) {
  const underWay = new Set<Promise<void>>()
  const forget = db.bus.subscribe(providerRequested, ({ of, storeId, id, cause }) => {
    const ask = of === 'refund' ? askRefund : askHold
    const asked = ask(db.because(cause), storeId, id, tools)
      .catch((error: unknown) => log.error({ err: error, store: storeId, [of]: id }, 'a provider was not asked'))
      .finally(() => underWay.delete(asked))
    underWay.add(asked)
  })
  return {
    async stop() {
      forget()
      await Promise.all(underWay)
    },
  }
}

/** What was interrupted, or not answered, is asked again with the same key: the money moves once. */
export function askJobs(db: Database, tools: PaymentTools): Job[] {
  const again = (name: string, table: string, ask: typeof askRefund): Job => ({
    name,
    everySeconds: 30,
    async run(tx) {
      const due = await tx.rows<{ store_id: string; id: string }>(sql`
        update ${raw(table)}
        set ask_at = ${tx.now}::timestamptz + make_interval(secs => ${askPatienceMs / 1000} * least(2 ^ tries, 60)),
            tries = tries + 1
        where (store_id, id) in (
          select store_id, id from ${raw(table)}
          where ask_at <= ${tx.now}
          order by ask_at
          limit ${mostAtOnce}
          for update skip locked)
        returning store_id, id`)
      return {
        more: due.length === mostAtOnce,
        afterwards: () =>
          Promise.all(due.map(({ store_id, id }) => ask(db.because(causeOfJob(name)), store_id, id, tools))),
      }
    },
  })
  return [again('ask for refunds', 'refunds', askRefund), again('ask for captures', 'payment_sessions', askHold)]
}

const mostAtOnce = 20
