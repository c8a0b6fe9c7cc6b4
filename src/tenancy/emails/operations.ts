import type { Tx } from '../../kit/database/database.ts'
import { conflict, invalid } from '../../kit/values/errors.ts'
import { fault } from '../../kit/values/faults.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { findRecord } from '../../kit/declare/page.ts'
import type { RecordOf } from '../../kit/declare/resource.ts'
import type { Entity } from '../../kit/declare/field.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import type { Store } from '../stores/store.ts'
import { mail } from './mail.ts'
import { countTo, getRecipientLimit } from './limits.ts'
import { mailQueued, subjects } from './queue.ts'
import { emailFaults } from './errors.ts'

const about = raw([...subjects, 'enquiry', 'account'].join(', '))

/** Retries a queued email at once. A finished one is sent again as a new email with current texts. */
export async function resendMail(tx: Tx, store: Store, id: string): Promise<RecordOf<Entity<typeof mail.fields>>> {
  const { entity: existing } = await findRecord(tx, mail, store.id, id)
  const { recipient, kind, status } = existing
  if (recipient === null) throw conflict("The recipient's data has been erased")
  tx.afterCommit(() => tx.bus.publish(mailQueued, undefined))
  if (status === 'queued') return hurry(tx, store, id)
  // Concurrent requests for one address are counted one after the other.
  tx.later(sql`select pg_advisory_xact_lock(hashtextextended(${`mail ${store.id} ${recipient.toLowerCase()}`}, 0))`)
  const earlier = tx.one<{ count: number }>(sql`
    select ${countTo(sql`${store.id}::text`, sql`${recipient}::text`, kind, tx.now)} as count`)
  const copy = tx.texts(sql`
    insert into mails (store_id, id, kind, recipient, language, ${about}, status, next_attempt_at, created_at,
      request_id)
    select store_id, ${newUuid()}::uuid, kind, recipient, language, ${about}, 'queued', ${tx.now}::timestamptz,
      ${tx.now}::timestamptz, ${tx.cause.requestId}
    from mails
    where store_id = ${store.id}
      and id = ${id}
    returning ${mail.columns}`)
  const [recent, [row]] = await Promise.all([earlier, copy])
  const { count, seconds } = getRecipientLimit(kind)
  if (recent!.count >= count)
    throw invalid(fault('body', emailFaults.too_many_emails, { limit: count, hours: seconds / 3600 }))
  return mail.record(row!)
}

/** During an attempt, no other one starts; the running attempt counts, and there is no error. */
async function hurry(tx: Tx, store: Store, id: string): Promise<RecordOf<Entity<typeof mail.fields>>> {
  const [row] = await tx.texts(sql`
    update mails
    set next_attempt_at = least(next_attempt_at, ${tx.now})
    where store_id = ${store.id}
      and id = ${id}
      and status = 'queued'
      and (error is not null or attempts = 0)
    returning ${mail.columns}`)
  return row ? mail.record(row) : findRecord(tx, mail, store.id, id)
}
