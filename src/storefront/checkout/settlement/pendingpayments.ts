// The jobs that check payments without news: the shopper closed the window, a webhook was lost, a process
// ended between two steps, or the provider never reported a refund or a dispute.
import { backoffByAge, type DueQueue } from '../../../kit/database/due.ts'
import type { Database } from '../../../kit/database/database.ts'
import { raw, sql, bindStore, type Sql } from '../../../kit/database/sql.ts'
import { dueJob } from '../../../platform/process/duejob.ts'
import type { JobWork } from '../../../platform/process/jobs.ts'
import type { Log } from '../../../platform/process/log.ts'
import { loadStore } from '../../../tenancy/stores/store.ts'
import type { SettlementDeps } from '../checkout.ts'
import { settlePayment } from './settle.ts'

const hour = 60 * 60
const day = 24 * hour

export function pendingPaymentJobs(
  db: Database,
  log: Log,
  deps: SettlementDeps,
): [payments: JobWork, rechecks: JobWork] {
  const buildSettlementJob = ({ isRecheck, ...job }: { name: string; isRecheck: boolean; queue: DueQueue }) =>
    dueJob<{ store_id: string; id: string }>(
      { db, log },
      { ...job, size: 20, work: (ofJob, { store_id, id }) => settleById(ofJob, store_id, id, deps, { isRecheck }) },
    )
  return [
    buildSettlementJob({
      name: 'look at payments',
      isRecheck: false,
      queue: buildPaymentQueue('look_at', (now) => backoffByAge(now, { part: 0.25, minSeconds: 60, maxSeconds: hour })),
    }),
    buildSettlementJob({
      name: 'recheck payments',
      isRecheck: true,
      queue: buildPaymentQueue('recheck_at', nextRecheck),
    }),
  ]
}

export function settlerWith(deps: SettlementDeps) {
  return (db: Database, storeId: string, id: string) => settleById(db, storeId, id, deps)
}

/** Asks the provider about a payment. */
async function settleById(
  db: Database,
  storeId: string,
  id: string,
  deps: SettlementDeps,
  { isRecheck = false } = {},
): Promise<void> {
  const store = await loadStore(db, storeId)
  if (store) await settlePayment(db.ofStore(store.id), store, id, deps, { isRecheck })
}

function buildPaymentQueue(due: 'look_at' | 'recheck_at', next: (now: Date) => Sql): DueQueue {
  const claim = (now: Date) => sql`${raw(due)} = ${next(now)}`
  return {
    table: 'payment_sessions',
    due,
    claim,
    returning: 'payment_sessions.store_id, payment_sessions.id',
    turns: {},
  }
}

/** About 50 times in four months; daily for a year while a dispute is open. */
function nextRecheck(now: Date): Sql {
  const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1000)
  return sql`
      case when created_at < ${inSeconds(-365 * day)} then null
           when exists (
             select from disputes
             where disputes.store_id = ${bindStore('payment_sessions.store_id')}
               and disputes.session_id = payment_sessions.id
               and closed_at is null) then ${inSeconds(day)}::timestamptz
           when created_at < ${inSeconds(-120 * day)} then null
           when created_at < ${inSeconds(-30 * day)} then ${inSeconds(7 * day)}::timestamptz
           else ${backoffByAge(now, { part: 0.5, minSeconds: 30 * 60, maxSeconds: day })} end`
}
