// Asks providers for what was committed in this process, at once; the jobs take over what nobody has finished.
import type { Database } from '../../kit/database/database.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import { causeOfJob } from '../../kit/values/cause.ts'
import type { Job } from '../../platform/process/jobs.ts'
import type { Log } from '../../platform/process/log.ts'
import { providerRequested } from '../../commerce/orders/providerrequests.ts'
import { requestPatienceMs } from '../../commerce/orders/authorizations.ts'
import type { PaymentDeps } from './providercalls.ts'
import { sendAuthorizationRequest } from './authorizations.ts'
import { sendRefundRequest } from './refundrequests.ts'

/** `stop` waits for the answers that are under way. */
export function startProviderRequests({ db, deps, log }: { db: Database; deps: PaymentDeps; log: Log }) {
  const underWay = new Set<Promise<void>>()
  const unsubscribe = db.bus.subscribe(providerRequested, ({ of, storeId, id, cause }) => {
    const send = of === 'refund' ? sendRefundRequest : sendAuthorizationRequest
    const request = send(db.because(cause), storeId, id, deps)
      .catch((error: unknown) => log.error({ err: error, store: storeId, [of]: id }, 'a provider was not asked'))
      .finally(() => underWay.delete(request))
    underWay.add(request)
  })
  return {
    async stop() {
      unsubscribe()
      await Promise.all(underWay)
    },
  }
}

/** What was interrupted, or not answered, is asked again with the same key: the money moves once. */
export function providerRequestJobs(db: Database, deps: PaymentDeps): Job[] {
  const again = (name: string, table: string, send: typeof sendRefundRequest): Job => ({
    name,
    everySeconds: 30,
    async run(tx) {
      const due = await tx.rows<{ store_id: string; id: string }>(sql`
        update ${raw(table)}
        set ask_at = ${tx.now}::timestamptz + make_interval(secs => ${requestPatienceMs / 1000} * least(2 ^ tries, 60)),
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
          Promise.all(due.map(({ store_id, id }) => send(db.because(causeOfJob(name)), store_id, id, deps))),
      }
    },
  })
  return [
    again('ask for refunds', 'refunds', sendRefundRequest),
    again('ask for captures', 'payment_sessions', sendAuthorizationRequest),
  ]
}

const mostAtOnce = 20
