// The worker of one process: it claims due deliveries, sends and records them. It wakes after a commit of this
// process, when another one notifies, when a retry is due, and now and then in any case.
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { journal } from '../../tables.ts'
import { declaredEvents, type EventType } from '../events.ts'
import { deliveriesQueued, eventsCommitted, type QueuedEvent } from '../../../tenancy/events/topics.ts'
import type { Bus } from '../../../kit/database/bus.ts'
import type { Database } from '../../../kit/database/database.ts'
import { openDatabase } from '../../../kit/database/open.ts'
import { sql, type Sql } from '../../../kit/database/sql.ts'
import { causeOfJob } from '../../../kit/values/cause.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { waitAtMost } from '../../../kit/values/patience.ts'
import { holdSession } from '../../../platform/postgres/session.ts'
import { attempt, mayBeSent, postpone, withoutAccess, type DeliveryDeps } from './attempt.ts'
import { openClaimer, openReceivers, type Claimer, type Receivers } from './claimer.ts'
import type { ReceiverQueue } from './claim.ts'
import type { Attempt, Delivery, ReceiverClaim } from './delivery.ts'
import { openAttemptRecorder, type AttemptRecorder } from './recorder.ts'
import { probePaused, type Health, type WebhookState } from './health.ts'
import { deliveries, inFlight, observeQueue } from './metrics.ts'
import {
  clearQueue,
  finishAttempt,
  removeRecorded,
  needsRefill,
  isNotable,
  isOurs,
  startNext,
  enqueueDirect,
  type Receiver,
} from './receiver.ts'
import { endClaims, giveBackClaims, hasClaims, livingWorkers, lockOfWorkers, lostClaims } from './workers.ts'

export type Worker = { stop(): Promise<void> }

const settings = [
  // If PostgreSQL crashes, deliveries of its last moments are claimed and sent again, with the same ids.
  'synchronous_commit=off',
  // Its queries walk indexes, whatever the statistics say of a table that was empty a moment ago.
  ...['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'].map((plan) => `enable_${plan}=off`),
]
const pollMs = 1000
/** Asks every server of a distributed database. */
const distributedPollMs = 20_000
// How long a worker that lost its connection has to come back.
const returnMs = 600
/** Channel for processes that queued deliveries or wrote events, and the shortest time between notifications. */
export const channel = 'stoa_deliveries'
/** Carries the ids of the stores; empty if they do not fit. */
export const eventChannel = 'stoa_events'
export const notifyEveryMs = 250
const maxPayload = 7999
// Deliveries still in progress this long after stop() are sent again by another process.
const drainMs = 3000

/** The parts of a running worker, tied to each other. */
type WorkerState = {
  db: Database
  workerId: number
  deps: DeliveryDeps
  receivers: Receivers
  claimer: Claimer
  finisher: AttemptRecorder
  isStopping: boolean
  hasOthers: boolean
}

/** Resolves once the worker is known to the others. */
export async function startWorker({
  databaseUrl,
  isDistributed,
  bus,
  ...deps
}: DeliveryDeps & { databaseUrl: string; isDistributed: boolean; bus: Bus }): Promise<Worker> {
  // Its own connections: a busy API does not delay it.
  const place = { url: databaseUrl, connections: 3, settings, isDistributed }
  const database = openDatabase({ ...place, clock: deps.clock, journal, bus })
  const state = assemble(database.because(causeOfJob('deliver webhooks')), deps)
  const { db, workerId: me, claimer } = state
  const session = await holdSession({
    url: databaseUrl,
    lock: [lockOfWorkers, me],
    channels: {
      [channel]: (places) => claimer.wake(parseReceiverQueues(places)),
      [eventChannel]: (storeIds) => relayEvents(bus, storeIds),
    },
    onReturn: () => {
      // Others may have ended its claims in the meantime.
      for (const receiver of state.receivers.all()) delete receiver.claim
      claimer.wake()
      relayEvents(bus, '')
    },
  })
  const notice = notifier(state)
  const forgetQueued = bus.subscribe(deliveriesQueued, ({ storeId, webhookIds, queued }) => {
    const sentIds = new Set(queued ? sendNow(state, storeId, queued) : [])
    const remaining = webhookIds
      .filter((id) => !sentIds.has(id))
      .map((webhook_id) => ({ store_id: storeId, webhook_id }))
    if (remaining.length === 0) return
    claimer.wake(remaining, queued?.sequence === null)
    for (const { webhook_id } of remaining) notice.give(channel, `${storeId}/${webhook_id}`)
  })
  const forgetEmitted = bus.subscribe(eventsCommitted, ({ storeId, isOwn }) => {
    if (isOwn) notice.give(eventChannel, storeId!)
  })
  const everyMs = isDistributed ? distributedPollMs : pollMs
  const timer = setInterval(() => void poll(state).catch(() => {}), everyMs).unref()
  const hideQueue = observeQueue(db)
  void poll(state).catch(() => {})
  return {
    async stop() {
      state.isStopping = true
      clearInterval(timer)
      notice.stop()
      forgetQueued()
      forgetEmitted()
      hideQueue()
      await drain(state)
      await session.close()
      await db.close()
    },
  }
}

function assemble(db: Database, deps: DeliveryDeps): WorkerState {
  const me = randomInt(1, 2 ** 31)
  const receivers = openReceivers()
  const { log } = deps
  const state: WorkerState = {
    db,
    workerId: me,
    deps,
    receivers,
    isStopping: false,
    hasOthers: true,
    claimer: openClaimer({ db, me, log, receivers, onClaimed: (receiver) => sendQueued(state, receiver) }),
    finisher: openAttemptRecorder({
      db,
      log,
      isNotable: (place) => isNotable(receivers.of(place)),
      onWritten: (...batch) => onWritten(state, ...batch),
    }),
  }
  return state
}

/** Sends deliveries just queued by this process to its own receivers. Returns those that must be claimed. */
function sendNow(state: WorkerState, store_id: string, queued: QueuedEvent): string[] {
  const { workerId: me, deps, receivers } = state
  const { body, sequence, at, deliveries } = queued
  const event = queued.event as EventType
  // A claim reads if the plan includes the feature.
  if (sequence === null || declaredEvents[event].feature || state.isStopping || receivers.isFull()) return []
  return deliveries.flatMap(({ webhook_id, id, claimed_by, ...facts }) => {
    if (claimed_by !== me) return []
    const receiver = receivers.of({ store_id, webhook_id })
    const delivery: Delivery = { ...unsentDelivery, store_id, webhook_id, id, event, body, sequence }
    if (!enqueueDirect(receiver, delivery, facts, { at, now: deps.clock.now() })) return []
    sendQueued(state, receiver)
    return [webhook_id]
  })
}

const unsentDelivery = { trigger: 'event', attempts: 0, tries: 0, urgent: false, crashes: 0 } as const

function sendQueued(state: WorkerState, receiver: Receiver): void {
  for (let delivery = startNext(receiver); delivery; delivery = startNext(receiver))
    void send(state, receiver, delivery)
}

async function send(state: WorkerState, receiver: Receiver, delivery: Delivery): Promise<void> {
  const mayCall = !state.isStopping && isOurs(receiver, state.deps.clock.now())
  const attempt = mayCall ? await tryToSend(state, receiver, delivery) : null
  if (attempt) state.finisher.add(attempt)
  finishAttempt(receiver, delivery, attempt && (attempt.duration_ms ?? 0))
  sendQueued(state, receiver)
  if (needsRefill(receiver) || !attempt) state.claimer.wake([receiver])
}

async function tryToSend({ db, deps }: WorkerState, { claim }: Receiver, delivery: Delivery): Promise<Attempt> {
  inFlight.inc()
  try {
    if (!(await mayBeSent(db, claim!))) return withoutAccess(delivery, deps.clock.now())
    return await attempt(delivery, claim!, deps)
  } catch (error) {
    // A bug, or a secret that cannot be opened.
    deps.log.error({ err: error, delivery: publicId('dlv', delivery.id) }, 'a delivery could not be made')
    return postpone(delivery, deps.clock.now())
  } finally {
    inFlight.dec()
  }
}

function onWritten(
  state: WorkerState,
  attempts: readonly Attempt[],
  health: readonly Health[],
  states: Map<string, WebhookState>,
): void {
  const { claimer, receivers, deps } = state
  for (const { consecutive_failures, ...place } of health) {
    const { claim } = receivers.of(place)
    if (claim) claim.is_failing = consecutive_failures > 0
  }
  const written = [...Map.groupBy(attempts, ({ webhook_id }) => webhook_id).values()].map((batch) => {
    const receiver = receivers.of(batch[0]!)
    removeRecorded(receiver, batch)
    return receiver
  })
  for (const { event, status } of attempts) if (status !== 'pending') deliveries.inc({ event, outcome: status })
  const retries = attempts.filter(({ status, at }) => status === 'pending' && at)
  if (retries.length > 0) wakeFor(state, retries)
  for (const receiver of written) {
    const webhookState = states.get(receiver.webhook_id)
    if (!webhookState) continue
    deps.log.warn(
      { webhook: publicId('wh', receiver.webhook_id), state: webhookState },
      'the state of a webhook changed',
    )
    if (webhookState !== 'active') clearQueue(receiver)
  }
  claimer.makeRoom()
  // Held deliveries may be due now.
  if (states.size > 0) claimer.wake(written)
}

function wakeFor({ claimer, deps }: WorkerState, retries: readonly Attempt[]): void {
  const time = Math.max(...retries.map(({ run_at }) => run_at!.getTime()))
  setTimeout(() => claimer.wake(retries), Math.max(0, time - deps.clock.now().getTime())).unref()
}

async function poll(state: WorkerState): Promise<void> {
  const { db, workerId: me, claimer, receivers } = state
  await probePaused(db)
  claimer.wakeAtLeisure()
  const idle = receivers.forgetIdle()
  if (idle.length > 0) await giveBackClaims(db, ownClaims(me, idle))
  const living = await livingWorkers(db)
  state.hasOthers = living.some((worker) => worker !== me)
  if (!(await hasClaims(db, lostClaims(me, living, db.clock.now())))) return
  // Missed twice: after a restart of PostgreSQL every worker needs a moment to take its lock again.
  await sleep(returnMs)
  living.push(...(await livingWorkers(db)))
  await endClaims(db, lostClaims(me, living, db.clock.now()))
  claimer.wake()
}

function ownClaims(me: number, claims: readonly ReceiverClaim[]): Sql {
  const [ids, numbers] = [claims.map(({ webhook_id }) => webhook_id), claims.map(({ claim }) => claim)]
  return sql`(claimed_by = ${me} and (webhook_id, claim) in (select unnest(${ids}::uuid[]), unnest(${numbers}::int[])))`
}

/** Undefined, for all, if their names did not fit into the notification. */
function parseReceiverQueues(payload: string): ReceiverQueue[] | undefined {
  if (payload === '') return undefined
  return payload.split(' ').map((place) => {
    const [store_id, webhook_id] = place.split('/') as [string, string]
    return { store_id, webhook_id }
  })
}

/** Another process announced events of these stores, or of any store if empty. */
function relayEvents(bus: Bus, storeIds: string): void {
  const stores = storeIds === '' ? [null] : storeIds.split(' ')
  for (const storeId of stores) bus.publish(eventsCommitted, { storeId, isOwn: false })
}

/** Notifies other processes of local commits, at limited intervals. */
function notifier(state: WorkerState) {
  const news = new Map<string, Set<string>>()
  let timer: NodeJS.Timeout | undefined
  let last = 0
  const notify = () => {
    timer = undefined
    last = Date.now()
    for (const [name, about] of news) {
      const payload = [...about].join(' ')
      state.db.rows(sql`select pg_notify(${name}, ${payload.length > maxPayload ? '' : payload})`).catch(() => {})
    }
    news.clear()
  }
  return {
    give(name: string, about: string) {
      if (!state.hasOthers) return
      const stores = news.get(name) ?? new Set()
      news.set(name, stores.add(about))
      timer ??= setTimeout(notify, Math.max(0, last + notifyEveryMs - Date.now())).unref()
    },
    stop: () => clearTimeout(timer),
  }
}

/** Leaves waiting deliveries to others and records those in progress. */
async function drain({ db, workerId: me, claimer, receivers, finisher }: WorkerState): Promise<void> {
  await claimer.stop()
  for (const receiver of receivers.all()) clearQueue(receiver)
  const deadline = Date.now() + drainMs
  while (receivers.size() > 0 && Date.now() < deadline) await sleep(10)
  await waitAtMost(Math.max(1000, deadline - Date.now()), finisher.drained())
  finisher.close()
  await giveBackClaims(db, sql`claimed_by = ${me}`).catch(() => {})
}
