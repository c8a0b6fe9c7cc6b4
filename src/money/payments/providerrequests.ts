// Sends committed requests to providers at once. The jobs retry those that are not answered.
import type { Database } from '../../kit/database/database.ts'
import { doublingBackoff } from '../../kit/database/due.ts'
import { sql } from '../../kit/database/sql.ts'
import { dueJob } from '../../platform/process/duejob.ts'
import type { JobWork } from '../../platform/process/jobs.ts'
import type { Log } from '../../platform/process/log.ts'
import { providerRequested, type ProviderRequest } from '../../commerce/orders/providerrequests.ts'
import { requestPatienceMs } from '../../commerce/orders/authorizations.ts'
import type { PaymentDeps } from './providercalls.ts'
import { sendAuthorizationRequest } from './authorizations.ts'
import { sendRefundRequest } from './refundrequests.ts'

type Send = (db: Database, storeId: string, id: string) => Promise<void>

/** `settle` looks at a payment that is not asked for any more. `stop` waits for pending answers. */
export function startProviderRequests({
  db,
  deps,
  log,
  settle,
}: {
  db: Database
  deps: PaymentDeps
  log: Log
  settle: Send
}) {
  const senders: Record<ProviderRequest['of'], Send> = {
    refund: (...request) => sendRefundRequest(...request, deps),
    hold: (...request) => sendAuthorizationRequest(...request, deps),
    payment: settle,
  }
  const underWay = new Set<Promise<void>>()
  const unsubscribe = db.bus.subscribe(providerRequested, ({ of, storeId, id, cause }) => {
    const request = senders[of](db.because(cause), storeId, id)
      .catch((error: unknown) => log.error({ err: error, store: storeId, [of]: id }, 'payment provider request failed'))
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

/** An interrupted or unanswered request is sent again with the same key, so that money moves once. */
export function providerRequestJobs(db: Database, log: Log, deps: PaymentDeps): JobWork[] {
  const again = (name: string, table: string, send: typeof sendRefundRequest): JobWork =>
    dueJob<{ store_id: string; id: string }>(
      { db, log },
      {
        name,
        size: 20,
        queue: {
          table,
          due: 'ask_at',
          claim: (now) => sql`ask_at = ${doublingBackoff(now, backoff)}, tries = tries + 1`,
          returning: `${table}.store_id, ${table}.id`,
          turns: {},
        },
        work: (ofJob, { store_id, id }) => send(ofJob, store_id, id, deps),
      },
    )
  return [
    again('ask for refunds', 'refunds', sendRefundRequest),
    again('ask for captures', 'payment_sessions', sendAuthorizationRequest),
  ]
}

const backoff = { firstSeconds: requestPatienceMs / 1000, maxSeconds: 60 * 60 }
