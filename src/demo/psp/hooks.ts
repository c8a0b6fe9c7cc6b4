// Signed webhooks to the URL that an account has registered, tried again until they are answered with 2xx, and all that
// goes wrong with them.
import { randomBase62 } from '../../kit/values/secrets.ts'
import { signatureOf, webhookSecretOf, type Account } from './account.ts'
import { shown, type Session } from './session.ts'
import type { Shelves } from './shelf.ts'
import type { Chance } from './switches.ts'
import type { Timers, Timing } from './timers.ts'

/** As an account reads it again under /v1/events. */
export type Event = { id: string; type: string; created_at: string; account: string; session: string; data: object }

export type Hooks = {
  tell(session: Session, type: string): void
  /** Oldest first. */
  eventsOf(account: Account): Event[]
  close(): void
}

type Options = {
  url: () => string
  shelves: Shelves
  timing: Timing
  timers: Timers
  now: () => Date
  chances: (session: Session) => Chance
  account: (key: string) => Account
}

export function openHooks(options: Options): Hooks {
  const { url, shelves, timing, timers, now, chances } = options
  const events = shelves<Event>('event')
  const ending = new AbortController()
  const post = poster(options, ending.signal)
  /** Of a session, what waits for a later one. */
  const held = new Map<string, (() => void)[]>()

  const hold = (id: string, send: () => void) => {
    held.set(id, [...(held.get(id) ?? []), send])
    // Without a later one it is only late.
    timers.later(timing.delayMs, () => release(id))
  }
  const release = (id: string) => {
    held
      .get(id)
      ?.toReversed()
      .forEach((send) => send())
    held.delete(id)
  }

  return {
    tell(session, type) {
      const id = `evt_${randomBase62(20)}`
      const of = { account: session.account, session: session.id }
      const event: Event = { id, type, created_at: now().toISOString(), ...of, data: shown(session, url()) }
      events.put(id, event)
      const happens = chances(session)
      if (happens('lose')) return
      const body = JSON.stringify(said(happens('lie') ? lying(event, session) : event))
      const copies = happens('duplicate') ? 2 : 1
      const send = () => {
        for (let copy = 0; copy < copies; copy++) void post(event, body)
      }
      if (happens('out_of_order')) return hold(session.id, send)
      if (happens('delay')) timers.later(timing.delayMs, send)
      else send()
      release(session.id)
    },
    eventsOf: ({ key }) => events.all().filter(({ account }) => account === key),
    close: () => ending.abort(),
  }
}

const timeoutMs = 10_000

function poster({ account, now, timing, timers }: Options, ending: AbortSignal) {
  return async function post(event: Event, body: string, tries = 0): Promise<void> {
    const owner = account(event.account)
    if (owner.webhook_url === null || ending.aborted) return
    const timestamp = String(Math.floor(now().getTime() / 1000))
    const headers = {
      'content-type': 'application/json',
      'webhook-id': event.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatureOf(webhookSecretOf(owner), { id: event.id, timestamp, body }),
    }
    const signal = AbortSignal.any([ending, AbortSignal.timeout(timeoutMs)])
    const isTaken = await fetch(owner.webhook_url, { method: 'POST', body, headers, signal, redirect: 'manual' }).then(
      async (response) => {
        await response.body?.cancel()
        return response.ok
      },
      () => false,
    )
    const pause = timing.retriesMs[tries]
    if (!isTaken && pause !== undefined) timers.later(pause, () => void post(event, body, tries + 1))
  }
}

export function said({ id, type, created_at, data }: Event): object {
  return { id, type, created_at, data }
}

function lying(event: Event, session: Session): Event {
  const amount = session.amount * 10 + 1
  const lie = { status: 'captured', amount, authorized: amount, captured: amount, refunded: 0 }
  return { ...event, data: { ...event.data, ...lie } }
}
