// What a provider was asked for and has not done for a day is somebody's to look into. It is asked on.
import { sql } from '../../kit/database/sql.ts'
import type { Job } from '../../platform/process/jobs.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Each refund, and each question about money that is held, is told of once. */
export function overdueRequestsJob(): Job {
  return {
    name: 'tell of late answers',
    everySeconds: 300,
    async run(tx) {
      const yesterday = new Date(tx.now.getTime() - dayMs)
      tx.later(sql`
        update payment_sessions
        set is_late = true, needs_review = true, trouble = 'unanswered', updated_at = ${tx.now}
        where ask_at is not null
          and asked_at < ${yesterday}
          and not is_late`)
      tx.later(sql`
        with late as (
          update refunds
          set is_late = true
          where ask_at is not null
            and created_at < ${yesterday}
            and not is_late
          returning store_id, session_id
        )
        update payment_sessions
        set needs_review = true, trouble = 'unanswered', updated_at = ${tx.now}
        from late
        where payment_sessions.store_id = late.store_id
          and payment_sessions.id = late.session_id`)
    },
  }
}
