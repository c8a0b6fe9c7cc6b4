// Emails members a summary of what they chose, at most once in ten minutes: a burst of orders is one email.
import { byStore } from '../../kit/database/bystore.ts'
import type { Tx } from '../../kit/database/database.ts'
import { inStore, records, sql } from '../../kit/database/sql.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { listMembers, type Member } from '../../identity/accounts/members.ts'
import { mayUse } from '../../identity/accounts/roles.ts'
import type { JobWork } from '../../platform/process/jobs.ts'
import { insertMails } from '../../tenancy/emails/queue.ts'
import { ownLanguage } from '../../tenancy/stores/language.ts'
import { loadStore } from '../../tenancy/stores/store.ts'
import { mailable, maxShown, pauseMs, type MailableKind } from './inbox.ts'
import { findHappened, kinds, type Notification } from './notification.ts'

const batchSize = 200
/** Maximum names of one kind in an email. */
const maxNames = 10

type Reader = { user_id: string; mailed_kinds: string[]; mailed_until: Date }

export function summariesJob(): JobWork {
  return {
    name: 'email summaries',
    due: [{ table: 'notification_settings', due: 'mail_due_at' }],
    async run(tx) {
      const due = await tx.rows<{ store_id: string; user_id: string }>(sql`
        select store_id, user_id
        from notification_settings
        where mail_due_at <= ${tx.now}
        order by mail_due_at
        limit ${batchSize}`)
      for (const [storeId, own] of byStore(due)) {
        const userIds = own.map(({ user_id }) => user_id)
        await mailSummaries(tx, storeId, userIds)
      }
      return due.length === batchSize ? { more: true } : {}
    },
  }
}

async function mailSummaries(tx: Tx, storeId: string, userIds: readonly string[]): Promise<void> {
  const lockedRows = sql`
    select user_id, mailed_kinds, mailed_until
    from notification_settings
    where store_id = ${storeId}
      and user_id = any(${userIds}::uuid[])
      and mail_due_at <= ${tx.now}
    order by user_id
    for update`
  const readers = await tx.rows<Reader>(inStore(storeId, lockedRows))
  if (readers.length === 0) return
  const since = new Date(Math.min(...readers.map(({ mailed_until }) => mailed_until.getTime())))
  const [store, members, notifications] = await Promise.all([
    loadStore(tx, storeId),
    listMembers(tx, storeId),
    findHappened(tx, storeId, since),
  ])
  const language = ownLanguage(store!)
  const mails = readers.flatMap((reader) => {
    const member = members.find(({ user_id }) => user_id === reader.user_id)
    const summary = member && summaryFor(member, reader, notifications)
    return summary ? [{ id: newUuid(), recipient: member.email, language, account: summary }] : []
  })
  if (mails.length > 0) {
    const types = { id: 'uuid', recipient: 'text', language: 'text', account: 'json' }
    const rows = sql`select ${storeId}::text as store_id, mails.* from ${records('mails', types, mails)}`
    tx.later(inStore(storeId, insertMails(tx, 'team_summary', ['account'], rows)))
  }
  const waiting = sql`
    update notification_settings
    set mailed_until = ${tx.now}, mail_due_at = ${new Date(tx.now.getTime() + pauseMs)}
    where store_id = ${storeId}
      and user_id = any(${readers.map(({ user_id }) => user_id)}::uuid[])`
  tx.later(inStore(storeId, waiting))
}

/** Null if nothing happened that the member chose and can see. */
function summaryFor({ role }: Member, reader: Reader, notifications: readonly Notification[]): object | null {
  const { mailed_kinds, mailed_until } = reader
  const parts = mailable
    .filter((kind) => mailed_kinds.includes(kind) && mayUse(role, kinds[kind]))
    .map((kind) => [kind, notifications.filter((one) => one.kind === kind && one.at > mailed_until)] as const)
    .filter(([, found]) => found.length > 0)
  return parts.length > 0
    ? Object.fromEntries(parts.map(([kind, found]) => [kind, formatSummaryText(kind, found)]))
    : null
}

function formatSummaryText(kind: MailableKind, notifications: readonly Notification[]): string {
  const names = notifications.map(({ order_number, product_name }) =>
    kind === 'low_stock' ? product_name! : order_number === null ? '' : `#${order_number}`,
  )
  const shownNames = names.filter(Boolean).slice(0, maxNames)
  const count = notifications.length < maxShown ? String(notifications.length) : `${maxShown}+`
  return shownNames.length > 0 ? `${count}: ${shownNames.join(', ')}${names.length > maxNames ? ' …' : ''}` : count
}
