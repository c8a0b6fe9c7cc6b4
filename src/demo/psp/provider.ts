// The provider itself: accounts, their payments, and who is told of each change.
import type { Clock } from '../../kit/values/clock.ts'
import { randomBase62 } from '../../kit/values/secrets.ts'
import { accountOf, type Account } from './account.ts'
import { openHooks, type Hooks } from './hooks.ts'
import { Refusal } from './refusal.ts'
import { agedTo, approve, type Session } from './session.ts'
import type { Shelf, Shelves } from './shelf.ts'
import { chanceOf, type Chance, type Switches } from './switches.ts'
import { openTimers, type Timing } from './timers.ts'

export type Provider = {
  url: string
  /** May be changed while it runs. */
  switches: Switches
  accounts: Shelf<Account>
  sessions: Shelf<Session>
  answers: Shelf<Answer>
  eventsOf: Hooks['eventsOf']
  chanceOf(session: Session): Chance
  now(): Date
  account(key: string): Account
  open(account: Account, terms: Terms): Session
  /** As it is now; of an account when one asks. */
  find(id: string, account?: Account): Session
  /** Keeps what has become of it, and tells the merchant. */
  change(before: Session, after: Session): Session
  /** Money is on its way. */
  payLate(session: Session): void
  close(): void
}

/** What was answered to an idempotency key, and to what it was the answer. */
type Answer = { asked: string; session: string; body: object }

type Terms = Pick<
  Session,
  'amount' | 'currency' | 'capture' | 'reference' | 'description' | 'return_url' | 'cancel_url' | 'switches'
> & { expires_in_s: number }

type Options = { url: string; shelves: Shelves; switches: Switches; timing: Timing; clock: Clock; random: () => number }

export function openProvider({ url, shelves, switches, timing, clock, random }: Options): Provider {
  const timers = openTimers()
  const now = () => clock.now()
  const accounts = shelves<Account>('account')
  const sessions = shelves<Session>('session')
  const account = (key: string) => accounts.get(key) ?? accountOf(key)
  const chances = (session: Session) => chanceOf(provider.switches, session.switches, random)
  const hooks = openHooks({ url: () => provider.url, shelves, timing, timers, now, chances, account })
  const arrive = (id: string) =>
    timers.later(timing.lateMs, () => {
      const session = sessions.get(id)!
      if (session.status === 'processing') provider.change(session, approve(session, now()))
    })
  // What was on its way when the process ended arrives all the same.
  for (const { id, status } of sessions.all()) if (status === 'processing') arrive(id)

  const provider: Provider = {
    url,
    switches,
    accounts,
    sessions,
    answers: shelves<Answer>('answer'),
    eventsOf: hooks.eventsOf,
    chanceOf: chances,
    now,
    account,
    open({ key }, terms) {
      const session = sessionOf(key, terms, now())
      sessions.put(session.id, session)
      return session
    },
    find(id, asking) {
      const session = sessions.get(id)
      if (!session || (asking && asking.key !== session.account)) throw unknownSession()
      return provider.change(session, agedTo(session, now()))
    },
    change(before, after) {
      if (after === before) return before
      sessions.put(after.id, after)
      hooks.tell(after, eventOf(before, after))
      return after
    },
    payLate(session) {
      provider.change(session, { ...session, status: 'processing' })
      arrive(session.id)
    },
    close() {
      timers.end()
      hooks.close()
    },
  }
  return provider
}

function sessionOf(account: string, { expires_in_s, ...terms }: Terms, now: Date): Session {
  const expires = new Date(now.getTime() + expires_in_s * 1000)
  const times = { created_at: now.toISOString(), expires_at: expires.toISOString() }
  return { id: `cs_${randomBase62(24)}`, account, status: 'pending', ...terms, ...times, movements: [] }
}

function unknownSession(): Refusal {
  return new Refusal(404, 'not_found', 'there is no such session')
}

function eventOf(before: Session, after: Session): string {
  const isRefunded = after.movements.slice(before.movements.length).some(({ type }) => type === 'refund')
  return isRefunded ? 'session.refunded' : `session.${after.status}`
}
