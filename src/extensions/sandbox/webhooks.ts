// Sends signed webhooks to an account's URL, retries until it answers 2xx, and injects the faults that are enabled.
import { randomBase62 } from '../../kit/values/secrets.ts'
import { signSandboxWebhook, deriveWebhookSecret, type SandboxAccount } from './account.ts'
import { sessionBody, type SandboxSession } from './session.ts'
import type { OpenCollection } from './storage.ts'
import type { Chance } from './switches.ts'
import type { Timers, Timing } from './timers.ts'

/** An event as /v1/events lists it. */
export type SandboxEvent = {
  id: string
  type: string
  created_at: string
  account: string
  session: string
  data: object
}

export type WebhookSender = {
  send(session: SandboxSession, type: string): void
  /** Oldest first. */
  eventsOf(account: SandboxAccount): SandboxEvent[]
  close(): void
}

type WebhookOptions = {
  url: () => string
  collection: OpenCollection
  timing: Timing
  timers: Timers
  now: () => Date
  chanceFor: (session: SandboxSession) => Chance
  account: (key: string) => SandboxAccount
}

export function openWebhooks(options: WebhookOptions): WebhookSender {
  const { url, collection, timing, timers, now, chanceFor } = options
  const events = collection<SandboxEvent>('event')
  const ending = new AbortController()
  const post = webhookPoster(options, ending.signal)
  /** Webhooks that wait for a later one, by session. */
  const waiting = new Map<string, (() => void)[]>()

  const hold = (id: string, send: () => void) => {
    waiting.set(id, [...(waiting.get(id) ?? []), send])
    // If no later webhook comes, this one is only delayed.
    timers.later(timing.delayMs, () => release(id))
  }
  const release = (id: string) => {
    waiting
      .get(id)
      ?.toReversed()
      .forEach((send) => send())
    waiting.delete(id)
  }

  return {
    send(session, type) {
      const id = `evt_${randomBase62(20)}`
      const of = { account: session.account, session: session.id }
      const event: SandboxEvent = {
        id,
        type,
        created_at: now().toISOString(),
        ...of,
        data: sessionBody(session, url()),
      }
      events.put(id, event)
      const happens = chanceFor(session)
      if (happens('lose')) return
      const body = JSON.stringify(eventBody(happens('lie') ? falsify(event, session) : event))
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

function webhookPoster({ account, now, timing, timers }: WebhookOptions, ending: AbortSignal) {
  return async function post(event: SandboxEvent, body: string, tries = 0): Promise<void> {
    const owner = account(event.account)
    if (owner.webhook_url === null || ending.aborted) return
    const timestamp = String(Math.floor(now().getTime() / 1000))
    const headers = {
      'content-type': 'application/json',
      'webhook-id': event.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signSandboxWebhook(deriveWebhookSecret(owner), { id: event.id, timestamp, body }),
    }
    const signal = AbortSignal.any([ending, AbortSignal.timeout(timeoutMs)])
    const isAccepted = await fetch(owner.webhook_url, {
      method: 'POST',
      body,
      headers,
      signal,
      redirect: 'manual',
    }).then(
      async (response) => {
        await response.body?.cancel()
        return response.ok
      },
      () => false,
    )
    const pause = timing.retriesMs[tries]
    if (!isAccepted && pause !== undefined) timers.later(pause, () => void post(event, body, tries + 1))
  }
}

export function eventBody({ id, type, created_at, data }: SandboxEvent): object {
  return { id, type, created_at, data }
}

function falsify(event: SandboxEvent, session: SandboxSession): SandboxEvent {
  const amount = session.amount * 10 + 1
  const lie = { status: 'captured', amount, authorized: amount, captured: amount, refunded: 0 }
  return { ...event, data: { ...event.data, ...lie } }
}
