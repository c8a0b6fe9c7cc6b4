// The jobs that look again at payments of which nobody has brought word: a shopper who closed the window, a webhook
// that was lost, a process that was killed between two steps, a refund or a dispute at the provider that nobody told.
import type { Database, Tx } from '../../../kit/database/database.ts'
import { raw, sql, type Sql } from '../../../kit/database/sql.ts'
import { causeOfJob } from '../../../kit/values/cause.ts'
import type { Job } from '../../../platform/process/jobs.ts'
import type { Log } from '../../../platform/process/log.ts'
import { loadStore } from '../../../tenancy/stores/store.ts'
import type { SettlementDeps } from '../checkout.ts'
import { settlePayment } from './settle.ts'

const batchSize = 20

/** Asked in batches: what is due costs the same however much is not. */
type Round = {
  name: string
  everySeconds: number
  column: 'look_at' | 'recheck_at'
  /** When nobody brings word by then, another asks; null: never again. */
  next: (now: Date) => Sql
  isRecheck: boolean
}

const rounds: Round[] = [
  {
    name: 'look at payments',
    everySeconds: 30,
    column: 'look_at',
    isRecheck: false,
    // After a quarter of the payment's age, within a minute and an hour.
    next: (now) => sql`${now}::timestamptz
      + greatest(interval '1 minute', least((${now}::timestamptz - created_at) / 4, interval '1 hour'))`,
  },
  {
    name: 'recheck payments',
    everySeconds: 60,
    column: 'recheck_at',
    isRecheck: true,
    // About 50 times in four months; daily for a year while a dispute is open.
    next: (now) => sql`
      case when created_at < ${now}::timestamptz - interval '365 days' then null
           when exists (
             select from disputes
             where disputes.store_id = payment_sessions.store_id
               and disputes.session_id = payment_sessions.id
               and closed_at is null) then ${now}::timestamptz + interval '1 day'
           when created_at < ${now}::timestamptz - interval '120 days' then null
           when created_at < ${now}::timestamptz - interval '30 days' then ${now}::timestamptz + interval '7 days'
           else ${now}::timestamptz
             + greatest(interval '30 minutes', least((${now}::timestamptz - created_at) / 2, interval '1 day')) end`,
  },
]

export function pendingPaymentJobs(db: Database, log: Log, tools: SettlementDeps): Job[] {
  return rounds.map((round) => {
    const ofJob = db.because(causeOfJob(round.name))
    return {
      name: round.name,
      everySeconds: round.everySeconds,
      async run(tx) {
        const due = await claimDue(tx, round)
        const lookAtAll = () => Promise.all(due.map((one) => lookAgain(ofJob, log, one, round, tools)))
        return { more: due.length === batchSize, afterwards: lookAtAll }
      },
    }
  })
}

type Due = { store_id: string; id: string }

/** Nobody else asks before the time has come again. Should this process end meanwhile, another goes on then. */
function claimDue(tx: Tx, { column, next }: Round): Promise<Due[]> {
  return tx.rows<Due>(sql`
    with due as materialized (
      select store_id, id
      from payment_sessions
      where ${raw(column)} <= ${tx.now}
      order by ${raw(column)}
      limit ${raw(String(batchSize))}
      for update skip locked
    )
    update payment_sessions
    set ${raw(column)} = ${next(tx.now)}
    from due
    where payment_sessions.store_id = due.store_id
      and payment_sessions.id = due.id
    returning payment_sessions.store_id, payment_sessions.id`)
}

/** One that fails is looked at again, and holds up no other. */
async function lookAgain(
  db: Database,
  log: Log,
  { store_id, id }: Due,
  { isRecheck }: Round,
  tools: SettlementDeps,
): Promise<void> {
  try {
    const store = await loadStore(db, sql`stores.id = ${store_id}`)
    if (store) await settlePayment(db.ofStore(store.id), store, id, tools, { isRecheck })
  } catch (error) {
    log.error({ err: error, store: store_id, payment: id }, 'a payment could not be settled')
  }
}
