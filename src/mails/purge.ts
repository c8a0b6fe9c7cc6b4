// What goes of mail: all of it some time after it is over, and whom it went to with the customer.
import { deleting } from '../kit/database/batches.ts'
import type { Tx } from '../kit/database/database.ts'
import { sql, type Sql } from '../kit/database/sql.ts'
import type { Job } from '../platform/process/jobs.ts'

const keptDays = 30
const everySeconds = 600
const batchSize = 500

export function mailPurgeJob(): Job {
  return { name: 'drop old mail', everySeconds, run: deleting(batchSize, [oldMail]) }
}

function oldMail(now: Date, size: number): Sql {
  return sql`
    delete from mails
    where ctid = any(array(
      select ctid
      from mails
      where status <> 'queued'
        and created_at <= ${new Date(now.getTime() - keptDays * 24 * 3600 * 1000)}
      order by created_at
      limit ${size}
      for update skip locked))
    returning 1`
}

/**
 * Nobody is written to any more at the address of somebody who is no customer now, nor is it told where one was. What
 * was written to others of a customer, and is kept here, goes too, as does what they wrote themselves.
 */
export function eraseMailTo(tx: Tx, storeId: string, { id, email }: { id: string; email: string | null }): void {
  tx.later(sql`
    delete from outbox
    where store_id = ${storeId}
      and customer_id = ${id}`)
  if (email === null) return
  tx.later(sql`
    update mails
    set recipient = null,
        status = case status when 'queued' then 'refused' else status end,
        error = case when status = 'queued' then 'The person was erased' end,
        next_attempt_at = null
    where store_id = ${storeId}
      and lower(recipient) = lower(${email})`)
  tx.later(sql`
    update mails
    set enquiry = null
    where store_id = ${storeId}
      and enquiry is not null
      and lower(enquiry->>'email') = lower(${email})`)
  tx.later(sql`
    delete from outbox
    where store_id = ${storeId}
      and lower(recipient) = lower(${email})`)
}
