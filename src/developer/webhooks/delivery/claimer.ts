// Decides when to claim, and for which receivers: those known to have work at once, all waiting ones periodically.
import type { Database } from '../../../kit/database/database.ts'
import type { Log } from '../../../platform/process/log.ts'
import { claim, findWaiting, maxReceivers, type ReceiverQueue } from './claim.ts'
import type { ReceiverClaim } from './delivery.ts'
import { planClaim, isForgettable, newReceiver, applyClaim, type Receiver } from './receiver.ts'

/** All receivers known to this process. */
export type Receivers = {
  of(place: ReceiverQueue): Receiver
  all(): Iterable<Receiver>
  /** Deliveries of all receivers together. */
  size(): number
  isCrowded(): boolean
  isFull(): boolean
  /** Forgets idle receivers, and returns their claims to be released. */
  forgetIdle(): ReceiverClaim[]
}

const maxDeliveries = 2048
// Throttled: each pass also visits receivers that hold their deliveries, of which there may be thousands.
const restPerPass = 20
const maxRestMs = 10_000
// A smaller claim would cost as much; every recorded batch frees more room.
const minSlots = 64

export function openReceivers(): Receivers {
  const receivers = new Map<string, Receiver>()
  const size = () => receivers.values().reduce((sum, { ids }) => sum + ids.size, 0)
  return {
    of({ store_id, webhook_id }) {
      const receiver = receivers.get(webhook_id) ?? newReceiver(store_id, webhook_id)
      receivers.set(webhook_id, receiver)
      return receiver
    },
    all: () => receivers.values(),
    size,
    isCrowded: () => size() > maxDeliveries / 2,
    isFull: () => maxDeliveries - size() < minSlots,
    forgetIdle() {
      const idle = [...receivers.values()].filter(isForgettable)
      for (const { webhook_id } of idle) receivers.delete(webhook_id)
      return idle.flatMap((receiver) => receiver.claim ?? [])
    },
  }
}

export type Claimer = {
  /** Scans these receivers, or all that wait. `isBehind`: their stores have unnumbered events. */
  wake(places?: readonly ReceiverQueue[], isBehind?: boolean): void
  /** Scans all waiting receivers, unless the last scan was slow and recent. */
  wakeAtLeisure(): void
  /** There is room again after there was none. */
  makeRoom(): void
  stop(): Promise<void>
}

type ClaimerOptions = {
  db: Database
  me: number
  log: Log
  receivers: Receivers
  /** The receiver may have something to send now. */
  onClaimed: (receiver: Receiver) => void
}

export function openClaimer(options: ClaimerOptions): Claimer {
  const hints = new Map<string, ReceiverQueue>()
  const behind = new Set<string>()
  let isScanWanted = false
  const scan = openScan(options)
  let isFull = false
  let isStopped = false
  let isUnderWay = false
  let underWay = Promise.resolve()

  const claimWhileWanted = async () => {
    isUnderWay = true
    while ((isScanWanted || hints.size > 0) && !isFull && !isStopped) {
      await claimOnce().catch((error: unknown) => options.log.warn({ err: error }, 'deliveries could not be claimed'))
    }
    isUnderWay = false
  }
  const claimOnce = async () => {
    isFull = options.receivers.isFull()
    if (isFull) return
    if (isScanWanted) {
      isScanWanted = false
      const { places, hasMore } = await scan.next()
      places.forEach((place) => hints.set(place.webhook_id, place))
      isScanWanted ||= hasMore
    }
    const places = [...hints.values()].slice(0, maxReceivers)
    places.forEach(({ webhook_id }) => hints.delete(webhook_id))
    const storeIds = new Set(places.map(({ store_id }) => store_id)).intersection(behind)
    storeIds.forEach((storeId) => behind.delete(storeId))
    const queues = await claimQueues(options, places, [...storeIds])
    queues.forEach((place) => hint(place, true))
  }
  const hint = (place: ReceiverQueue, isBehind: boolean) => {
    hints.set(place.webhook_id, place)
    if (isBehind) behind.add(place.store_id)
  }
  const begin = () => {
    if (!isUnderWay) underWay = claimWhileWanted()
  }
  const wake: Claimer['wake'] = (places, isBehind = false) => {
    if (places) places.forEach((place) => hint(place, isBehind))
    else isScanWanted = true
    begin()
  }
  return {
    wake,
    wakeAtLeisure() {
      if (scan.isRested()) wake()
    },
    makeRoom() {
      isFull = false
      begin()
    },
    async stop() {
      isStopped = true
      await underWay
    },
  }
}

/** Passes all receivers that have something pending, a part at a time. */
export function openScan({ db, me }: Pick<ClaimerOptions, 'db' | 'me'>) {
  let cursor: ReceiverQueue | null = null
  let [passMs, restsUntil] = [0, 0]
  return {
    isRested: () => performance.now() >= restsUntil,
    async next() {
      const startedAt = performance.now()
      const { places, last } = await findWaiting(db, me, cursor)
      cursor = last
      const now = performance.now()
      passMs += now - startedAt
      if (last === null) [passMs, restsUntil] = [0, now + Math.min(maxRestMs, restPerPass * passMs)]
      return { places, hasMore: last !== null }
    },
  }
}

/** Returns those to claim once more, after the events of their stores were numbered. */
async function claimQueues(
  { db, me, receivers, onClaimed }: ClaimerOptions,
  places: readonly ReceiverQueue[],
  behind: readonly string[],
): Promise<ReceiverQueue[]> {
  const most = Math.max(1, Math.floor((maxDeliveries - receivers.size()) / places.length))
  const [now, isCrowded] = [db.clock.now(), receivers.isCrowded()]
  const demands = places.map(receivers.of).flatMap((receiver) => {
    const demand = planClaim(receiver, { now, most, isCrowded })
    return demand ? [{ receiver, demand }] : []
  })
  if (demands.length === 0) return []
  let claims = new Map<string, ReceiverClaim>()
  try {
    const demand = demands.map((each) => each.demand)
    claims = new Map((await claim(db, me, demand, behind)).map((own) => [own.webhook_id, own]))
  } finally {
    for (const { receiver, demand } of demands) {
      applyClaim(receiver, demand, db.clock.now(), claims.get(receiver.webhook_id))
      onClaimed(receiver)
    }
  }
  return [...claims.values()].filter(({ hasUnnumbered }) => hasUnnumbered)
}
