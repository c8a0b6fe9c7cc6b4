// A checkout on its way to its payment provider, once its session is committed: outside any transaction.
import type { StoreDatabase } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { invalid, providerAway } from '../../../kit/values/errors.ts'
import { fault, type Fault } from '../../../kit/values/faults.ts'
import { begin, Unanswered } from '../../../money/payments/providercalls.ts'
import { record } from '../../../money/payments/events.ts'
import { markReturnShown, type AskedSession } from '../../../money/payments/session.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { PayingTools } from '../checkout.ts'
import type { Placed, Unpaid } from './complete.ts'
import { mailFailedPayment } from './mail.ts'
import type { Settled } from './outcome.ts'
import { settle } from './settle.ts'

/** Who has to pay first is told where; whoever has paid meanwhile gets the order. */
export type Completed = Placed | { order: null; payment: Placed['payment'] & Next }

/** `redirect_url` null: the shopper has done everything, and the provider is processing the payment. */
type Next = { status: 'requires_action' | 'processing'; redirect_url: string | null }

export async function payFor(
  db: StoreDatabase,
  store: Store,
  completed: Placed | Unpaid,
  tools: PayingTools,
): Promise<Completed> {
  if (completed.order) return completed
  const { session, replaced, payment, faults } = completed
  // The job does it too: should the provider not answer now, nothing is lost.
  const returned = replaced ? settle(db, store, replaced, tools).catch(() => {}) : null
  const [redirect_url] = await Promise.all([nextOf(db, store, session, tools), returned])
  if (redirect_url && session.reference === null) return unpaid(payment, redirect_url)
  const settled = await settle(db, store, session.id, tools)
  if (settled.outcome === 'returned') await db.transaction(async (tx) => markReturnShown(tx, store.id, session.id))
  return answerOf(settled, payment, faults)
}

function answerOf(settled: Settled, payment: Placed['payment'], faults: readonly Fault[]): Completed {
  if (settled.outcome === 'placed') return { order: settled.order, payment }
  if (settled.outcome === 'returned') throw invalid(fault('payment_method', 'money_returned'), ...faults)
  if (faults.length > 0) throw invalid(...faults)
  if (settled.outcome === 'unpaid') throw invalid(fault('payment_method', 'declined'))
  return unpaid(payment, settled.next)
}

function unpaid(payment: Placed['payment'], redirect_url: string | null): Completed {
  const status = redirect_url === null ? 'processing' : 'requires_action'
  return { order: null, payment: { ...payment, status, redirect_url } }
}

/** Where the shopper pays: asked once, then known. */
async function nextOf(
  db: StoreDatabase,
  store: Store,
  session: AskedSession,
  tools: PayingTools,
): Promise<string | null> {
  if (session.reference !== null) return session.redirect_url
  const begun = await begin(store, session, tools).catch((error: unknown) => {
    throw error instanceof Unanswered ? providerAway({ cause: error }) : error
  })
  if ('refused' in begun) {
    await db.transaction(async (tx) => {
      const refused = { kind: 'failed', amount: session.amount, reason: begun.refused } as const
      record(tx, store, session, [refused], { status: 'failed', look_at: null })
      mailFailedPayment(tx, store, session)
    })
    throw invalid(fault('payment_method', 'provider_refused'))
  }
  const redirect = begun.next?.redirect ?? null
  await db.transaction(async (tx) => {
    tx.later(sql`
      update payment_sessions
      set reference = ${begun.reference}, redirect_url = ${redirect}, status = 'requires_action', updated_at = ${tx.now}
      where store_id = ${store.id}
        and id = ${session.id}
        and reference is null`)
  })
  return redirect
}
