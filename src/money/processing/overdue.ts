// Reports requests that no provider has answered for a day, each once. They are still retried.
import { byStore } from '../../kit/database/bystore.ts'
import { claimFrom, type DueQueue } from '../../kit/database/due.ts'
import { sql } from '../../kit/database/sql.ts'
import { flagUnanswered } from '../../commerce/payments/requests.ts'
import type { JobWork } from '../../platform/process/jobs.ts'

const dayMs = 24 * 60 * 60 * 1000
const batchSize = 100

const payments: DueQueue = {
  table: 'payment_sessions',
  due: 'asked_at',
  delayMs: dayMs,
  where: 'not is_late',
  claim: (now) => sql`is_late = true, needs_review = true, trouble = 'unanswered', updated_at = ${now}`,
  returning: 'payment_sessions.store_id',
}

const refunds: DueQueue = {
  table: 'refunds',
  due: 'created_at',
  delayMs: dayMs,
  where: 'ask_at is not null and not is_late',
  claim: () => sql`is_late = true`,
  returning: 'refunds.store_id, session_id',
}

const claimPayments = claimFrom<{ store_id: string }>(payments)
const claimRefunds = claimFrom<{ store_id: string; session_id: string | null }>(refunds)

export function overdueRequestsJob(): JobWork {
  return {
    name: 'tell of late answers',
    due: [payments, refunds],
    async run(tx) {
      const [latePayments, lateRefunds] = await Promise.all([claimPayments(tx, batchSize), claimRefunds(tx, batchSize)])
      for (const [storeId, own] of byStore(lateRefunds)) {
        flagUnanswered(
          tx,
          storeId,
          own.map(({ session_id }) => session_id),
        )
      }
      return { more: latePayments.length === batchSize || lateRefunds.length === batchSize }
    },
  }
}
