// The provider: accounts, their payment sessions, and the webhooks about each change.
import type { Clock } from '../../kit/values/clock.ts'
import { randomBase62 } from '../../kit/values/secrets.ts'
import { requireSandboxAccount, type SandboxAccount } from './account.ts'
import { openWebhooks, type WebhookSender } from './webhooks.ts'
import { SandboxError } from './errors.ts'
import { expireAt, approve, type SandboxSession } from './session.ts'
import type { StoredCollection, OpenCollection } from './storage.ts'
import { buildChance, type Chance, type Switches } from './switches.ts'
import { openTimers, type Timing } from './timers.ts'

export type SandboxProvider = {
  url: string
  /** These may change at run time. */
  switches: Switches
  accounts: StoredCollection<SandboxAccount>
  sessions: StoredCollection<SandboxSession>
  answers: StoredCollection<IdempotentAnswer>
  eventsOf: WebhookSender['eventsOf']
  chanceOf(session: SandboxSession): Chance
  now(): Date
  account(key: string): SandboxAccount
  open(account: SandboxAccount, terms: SessionTerms): SandboxSession
  /** Returns the session after expiry was applied. With an account, only its own sessions are found. */
  find(id: string, account?: SandboxAccount): SandboxSession
  /** Stores the new state and sends the merchant a webhook. */
  change(before: SandboxSession, after: SandboxSession): SandboxSession
  /** Sets the session to processing; the money arrives after `lateMs`. */
  payLate(session: SandboxSession): void
  close(): void
}

/** The response to an idempotency key. `asked` is the hash of its request; the file stores this name. */
type IdempotentAnswer = { asked: string; session: string; body: object }

type SessionTerms = Pick<
  SandboxSession,
  'amount' | 'currency' | 'capture' | 'reference' | 'description' | 'return_url' | 'cancel_url' | 'switches'
> & { expires_in_s: number }

type ProviderOptions = {
  url: string
  collection: OpenCollection
  switches: Switches
  timing: Timing
  clock: Clock
  random: () => number
}

export function openProvider(options: ProviderOptions): SandboxProvider {
  const { url, collection, switches, timing, clock, random } = options
  const timers = openTimers()
  const now = () => clock.now()
  const accounts = collection<SandboxAccount>('account')
  const sessions = collection<SandboxSession>('session')
  const account = (key: string) => accounts.get(key) ?? requireSandboxAccount(key)
  const chanceFor = (session: SandboxSession) => buildChance(provider.switches, session.switches, random)
  const webhooks = openWebhooks({ url: () => provider.url, collection, timing, timers, now, chanceFor, account })
  const scheduleArrival = (id: string) =>
    timers.later(timing.lateMs, () => {
      const session = sessions.get(id)!
      if (session.status === 'processing') provider.change(session, approve(session, now()))
    })
  // Payments in progress when the last process ended still arrive.
  for (const { id, status } of sessions.all()) if (status === 'processing') scheduleArrival(id)

  const provider: SandboxProvider = {
    url,
    switches,
    accounts,
    sessions,
    answers: collection<IdempotentAnswer>('answer'),
    eventsOf: webhooks.eventsOf,
    chanceOf: chanceFor,
    now,
    account,
    open({ key }, terms) {
      const session = buildSandboxSession(key, terms, now())
      sessions.put(session.id, session)
      return session
    },
    find(id, owner) {
      const session = sessions.get(id)
      if (!session || (owner && owner.key !== session.account)) throw unknownSession()
      return provider.change(session, expireAt(session, now()))
    },
    change(before, after) {
      if (after === before) return before
      sessions.put(after.id, after)
      webhooks.send(after, toSessionEvent(before, after))
      return after
    },
    payLate(session) {
      provider.change(session, { ...session, status: 'processing' })
      scheduleArrival(session.id)
    },
    close() {
      timers.end()
      webhooks.close()
    },
  }
  return provider
}

function buildSandboxSession(account: string, { expires_in_s, ...terms }: SessionTerms, now: Date): SandboxSession {
  const expires = new Date(now.getTime() + expires_in_s * 1000)
  const times = { created_at: now.toISOString(), expires_at: expires.toISOString() }
  return { id: `cs_${randomBase62(24)}`, account, status: 'pending', ...terms, ...times, movements: [] }
}

function unknownSession(): SandboxError {
  return new SandboxError(404, 'not_found', 'the session does not exist')
}

function toSessionEvent(before: SandboxSession, after: SandboxSession): string {
  const isRefunded = after.movements.slice(before.movements.length).some(({ type }) => type === 'refund')
  return isRefunded ? 'session.refunded' : `session.${after.status}`
}
