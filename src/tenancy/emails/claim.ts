// Claims the emails that this process sends next, and records their results. A claimed attempt is counted before it is
// made. If the process ends first, another process tries again once the claim expires.
import type { Database, Tx } from '../../kit/database/database.ts'
import { byStore } from '../../kit/database/bystore.ts'
import { claimFrom, stepBackoff, type DueTime } from '../../kit/database/due.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import type { Language } from '../../kit/values/language.ts'
import type { AnyKind, MailStatus } from './kinds.ts'
import type { Enquiry } from './enquiry.ts'
import { perStore } from './limits.ts'
import { subjects, type AccountValues } from './queue.ts'

/** The time that a claimed attempt may wait in this process. */
export const patienceSeconds = 20
/** Longer than this wait plus an attempt, which is aborted after a minute. */
const claimSeconds = 90

/** An email to send. IDs are uuids. */
export type ClaimedMail = {
  /** Empty for account emails. */
  store_id: string
  id: string
  kind: AnyKind
  recipient: string
  language: Language
  attempts: number
  message_id: string
  /** The text of a contact_message; null once its author's data is erased. */
  enquiry: Enquiry | null
  account: AccountValues | null
} & Record<(typeof subjects)[number], string | null>

/** Emails wait for their next attempt. */
export const queuedMails: DueTime = { table: 'mails', due: 'next_attempt_at', where: `status = 'queued'` }

const minute = 60
/** Delays after each failed attempt, about three days in total. After the last one, the email has failed. */
const pausesSeconds = [1, 5, 20, 60, 180, 480, 960, 1440, 1440].map((minutes) => minutes * minute)
export const maxAttempts = pausesSeconds.length + 1

/**
 * Claims emails for one process; no other process gets them. Stores take turns, and a store at its limit waits. `host`
 * is the end of the Message-ID.
 */
export function openClaims(host: string): (db: Database, count: number) => Promise<ClaimedMail[]> {
  const claim = claimFrom<ClaimedMail>({
    ...queuedMails,
    claim: (now) => sql`
        attempts = attempts + 1,
        next_attempt_at = ${new Date(now.getTime() + claimSeconds * 1000)},
        error = null,
        message_id = coalesce(message_id, '<' || mails.id::text || ${`@${host}>`}::text)`,
    returning: `mails.store_id, mails.id, kind, recipient, language, enquiry, account, ${subjects.join(', ')},
      attempts, message_id`,
    turns: { room: buildStoreAllowance },
  })
  return (db, count) => db.transaction((tx) => claim(tx, count))
}

/** The number of emails that a store can send now. Account emails have no store and no such limit. */
function buildStoreAllowance(storeId: string, now: Date): Sql | undefined {
  if (storeId === '') return undefined
  return sql`greatest(0, ${raw(String(perStore.count))} - (
          select count(*)
          from mails as sent
          where sent.store_id = ${storeId}
            and sent.sent_at > ${new Date(now.getTime() - perStore.seconds * 1000)}))`
}

export type MailOutcome = { status: Exclude<MailStatus, 'queued'> | 'again'; error: string | null }

/** The time of the next attempt after this many failures; null if there is none. */
const nextAttempt = stepBackoff(pausesSeconds)

const maxError = 500

/** Applies the result of an email to the records that wait for it. */
export type SettleMail = (tx: Tx, mail: ClaimedMail & { status: MailStatus }) => void

export async function recordOutcome(
  db: Database,
  mail: ClaimedMail,
  outcome: MailOutcome,
  settle: SettleMail,
): Promise<MailStatus> {
  const { store_id, id, attempts } = mail
  const at = outcome.status === 'again' ? nextAttempt(attempts, db.clock.now()) : null
  const status = outcome.status !== 'again' ? outcome.status : at ? 'queued' : 'failed'
  await db.transaction(async (tx) => {
    if (status !== 'queued') settle(tx, { ...mail, status })
    tx.later(sql`
    update mails
    set status = ${status},
        next_attempt_at = ${at},
        error = ${outcome.error?.slice(0, maxError) ?? null},
        sent_at = ${status === 'sent' ? tx.now : null}
    where store_id = ${store_id}
      and id = ${id}
      and status = 'queued'`)
  })
  return status
}

/** Emails whose attempt has not started become due again at once. */
export async function releaseClaims(db: Database, mails: readonly ClaimedMail[]): Promise<void> {
  if (mails.length === 0) return
  await db.transaction(async (tx) => {
    for (const [storeId, own] of byStore(mails))
      tx.later(sql`
    update mails
    set attempts = attempts - 1,
        next_attempt_at = ${tx.now}
    where store_id = ${storeId}
      and id = any(${own.map(({ id }) => id)}::uuid[])
      and status = 'queued'`)
  })
}
