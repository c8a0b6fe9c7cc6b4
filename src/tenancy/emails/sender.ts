// Sends due emails: after a commit of this process, and every two seconds those of other processes and retries. The
// number at a time and per minute is limited; a mail server that hangs delays only emails.
import PQueue from 'p-queue'
import type { Database } from '../../kit/database/database.ts'
import { publicId } from '../../kit/values/ids.ts'
import { waitAtMost } from '../../kit/values/patience.ts'
import { maxConnections, type EmailMessage, type Mail } from '../../platform/outbound/mail.ts'
import type { Log } from '../../platform/process/log.ts'
import type { RateLimiter } from '../../platform/ratelimit/ratelimit.ts'
import {
  releaseClaims,
  openClaims,
  patienceSeconds,
  recordOutcome,
  type ClaimedMail,
  type MailOutcome,
  type SettleMail,
} from './claim.ts'
import { mailQueued } from './queue.ts'
import { Counter, Gauge } from 'prom-client'
import { metrics } from '../../platform/process/metrics.ts'

/** Composes an email with current data, or returns why it is no longer needed. */
export type Compose = (mail: ClaimedMail) => Promise<EmailMessage | { unwanted: string }>

export type SenderDeps = {
  db: Database
  mail: Mail
  compose: Compose
  settle: SettleMail
  limiter: RateLimiter
  log: Log
  /** Shared by all processes that use the limiter. */
  perMinute: number
}

export type MailSender = {
  start(): void
  /** Sends all due emails, and returns the number of attempts. */
  sendDue(): Promise<number>
  /** Waits briefly for running attempts. Unfinished emails are sent again by another process. */
  stop(): Promise<void>
}

const pollMs = 2000
/** Asks every server of a distributed database. */
const distributedPollMs = 20_000
const drainMs = 2000
const maxClaimed = 20

export function openSender(deps: SenderDeps): MailSender {
  const claimDue = openClaims(deps.mail.host)
  const queue = new PQueue({ concurrency: maxConnections })
  const waiting = new Set<ClaimedMail>()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let round: Promise<unknown> | null = null
  let isRoundRequested = false

  const attempt = async (mail: ClaimedMail, claimedMs: number) => {
    waiting.delete(mail)
    mailsInFlight.inc()
    await send(deps, mail, claimedMs)
      .catch((error: unknown) => deps.log.error({ err: error, mail: publicId('mail', mail.id) }, 'email not sent'))
      .finally(() => mailsInFlight.dec())
  }
  /** Claims the next emails while the last ones are still being sent. */
  const sendAll = async () => {
    for (let count = 0; ;) {
      const claimedMs = deps.db.clock.elapsedMs()
      const mails = isStopped ? [] : await claim(deps, claimDue, maxClaimed - queue.size - queue.pending)
      if (mails.length === 0) return count
      count += mails.length
      mails.forEach((mail) => waiting.add(mail))
      mails.forEach((mail) => void queue.add(() => attempt(mail, claimedMs)))
      await queue.onSizeLessThan(1)
    }
  }
  /** One round runs at a time. A wake-up meanwhile starts another round after it. */
  const wake = () => {
    isRoundRequested = round !== null
    if (round || isStopped) return
    round = sendAll()
      .catch((error: unknown) => deps.log.error({ err: error }, 'emails could not be claimed'))
      .finally(() => {
        round = null
        if (isRoundRequested) wake()
      })
  }
  const unsubscribe = deps.db.bus.subscribe(mailQueued, () => timer && wake())
  return {
    start() {
      timer = setInterval(wake, deps.db.isDistributed ? distributedPollMs : pollMs).unref()
      wake()
    },
    async sendDue() {
      const count = await sendAll()
      await queue.onIdle()
      return count
    },
    async stop() {
      isStopped = true
      clearInterval(timer)
      unsubscribe()
      queue.clear()
      await waitAtMost(drainMs, Promise.all([round, queue.onIdle()]))
      await releaseClaims(deps.db, [...waiting]).catch(() => {})
    },
  }
}

/** Claims no more than the rate limit allows now. */
async function claim(
  { db, limiter, perMinute }: SenderDeps,
  claimDue: ReturnType<typeof openClaims>,
  count: number,
): Promise<ClaimedMail[]> {
  if (count <= 0) return []
  const hit = await limiter.hit('mail:all', perMinute, { cost: 0 })
  const most = Math.min(count, hit.remaining)
  if (most === 0) return []
  const mails = await claimDue(db, most)
  if (mails.length > 0) await limiter.hit('mail:all', perMinute, { cost: mails.length })
  return mails
}

/** An email that waited too long behind a slow server is released: its claim would expire while it is sent. */
async function send(
  { db, mail, compose, settle, log }: SenderDeps,
  claimedMail: ClaimedMail,
  claimedMs: number,
): Promise<void> {
  if (db.clock.elapsedMs() - claimedMs > patienceSeconds * 1000) return releaseClaims(db, [claimedMail])
  const outcome = await attemptDelivery(claimedMail, compose, mail, log)
  const status = await recordOutcome(db, claimedMail, outcome, settle)
  mailAttempts.inc({ kind: claimedMail.kind, outcome: status === 'queued' ? 'again' : status })
}

async function attemptDelivery(claimed: ClaimedMail, compose: Compose, mail: Mail, log: Log): Promise<MailOutcome> {
  try {
    const letter = await compose(claimed)
    if ('unwanted' in letter) return { status: 'suppressed', error: letter.unwanted }
    return await mail.deliver({ ...letter, messageId: claimed.message_id, storeId: claimed.store_id })
  } catch (error) {
    // A bug, or a lost database connection: the email is not lost.
    log.error({ err: error, mail: publicId('mail', claimed.id) }, 'email could not be composed')
    return { status: 'again', error: 'The email could not be composed' }
  }
}

const registers = [metrics]

const mailAttempts = new Counter({
  name: 'mail_attempts_total',
  help: 'Attempts to send an email, by kind and outcome',
  labelNames: ['kind', 'outcome'],
  registers,
})
const mailsInFlight = new Gauge({ name: 'mail_inflight', help: 'Emails being sent by this process', registers })
