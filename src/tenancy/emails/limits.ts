// Limits on emails per recipient and per store. Anyone who places orders can enter an address that belongs to someone
// else.
import { countAtMost } from '../../kit/database/counts.ts'
import { raw, sql, bindStore, type Sql } from '../../kit/database/sql.ts'
import { isAccountKind, getMailKind, type AnyKind, type MailReader, type StoreKind } from './kinds.ts'

type MailLimit = { count: number; seconds: number }

/** Emails of all kinds to one address; further ones are suppressed. Account emails are limited by their pages. */
const perRecipient: Record<MailReader, MailLimit> = {
  customer: { count: 20, seconds: 24 * 3600 },
  merchant: { count: 200, seconds: 3600 },
}

/** Emails of a store; further ones wait. */
export const perStore: MailLimit = { count: 3000, seconds: 3600 }

export function getRecipientLimit(kind: StoreKind): MailLimit {
  return perRecipient[getMailKind(kind).to]
}

/** Why an email from `letters` is suppressed; null if it is sent. */
export function suppression(kind: AnyKind, now: Date): Sql {
  if (isAccountKind(kind)) return sql`null`
  const { count, seconds } = getRecipientLimit(kind)
  const reason = `This address already received ${count} emails in ${seconds / 3600} hours`
  const recipientCount = countTo(bindStore('letters.store_id'), sql`letters.recipient`, kind, now)
  return sql`case when ${recipientCount} >= ${raw(String(count))} then ${reason}::text end`
}

/** Counts the emails to an address within the period of its limit, but no further than the limit. */
export function countTo(storeId: Sql, recipient: Sql, kind: StoreKind, now: Date): Sql {
  const { count, seconds } = getRecipientLimit(kind)
  const recent = sql`mails as earlier
          where earlier.store_id = ${storeId}
            and lower(earlier.recipient) = lower(${recipient})
            and earlier.created_at > ${new Date(now.getTime() - seconds * 1000)}
            and earlier.status <> 'suppressed'`
  return sql`(${countAtMost(count, recent)})`
}
