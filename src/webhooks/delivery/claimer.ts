// When to claim, and whom: receivers that are known to have something, at once; all that wait, now and then.
import type { Database } from '../../kit/database/database.ts'
import type { Log } from '../../platform/process/log.ts'
import { claim, findWaiting, maximumReceivers, type Place } from './claim.ts'
import type { Claim } from './delivery.ts'
import { sql } from '../../kit/database/sql.ts'
import { ask, isForgettable, newReceiver, receive, type Receiver } from './receiver.ts'
import { giveBackClaims } from './workers.ts'

/** All receivers of which this process knows. */
export type Receivers = {
  of(place: Place): Receiver
  all(): Iterable<Receiver>
  /** Deliveries of all together. */
  size(): number
  isCrowded(): boolean
  forgetIdle(): void
}

const maximumKnown = 2048
// A claim for less would cost as much; room comes with every batch that is written down.
const fewestSlots = 64

export function openReceivers(): Receivers {
  const receivers = new Map<string, Receiver>()
  const size = () => receivers.values().reduce((sum, { known }) => sum + known.size, 0)
  return {
    of({ store_id, webhook_id }) {
      const receiver = receivers.get(webhook_id) ?? newReceiver(store_id, webhook_id)
      receivers.set(webhook_id, receiver)
      return receiver
    },
    all: () => receivers.values(),
    size,
    isCrowded: () => size() > maximumKnown / 2,
    forgetIdle() {
      for (const [id, receiver] of receivers) if (isForgettable(receiver)) receivers.delete(id)
    },
  }
}

export type Claimer = {
  /** Looks at these receivers; without them, at all that wait. */
  wake(places?: readonly Place[]): void
  /** There is room again, where there was none. */
  makeRoom(): void
  stop(): Promise<void>
}

type Means = {
  db: Database
  me: number
  log: Log
  receivers: Receivers
  /** It may have something to send now. */
  onClaimed: (receiver: Receiver) => void
}

export function openClaimer(means: Means): Claimer {
  const hints = new Map<string, Place>()
  let isScanWanted = false
  let cursor: Place | null = null
  let isFull = false
  let isStopped = false
  let isUnderWay = false
  let underWay = Promise.resolve()

  const claimWhileWanted = async () => {
    isUnderWay = true
    while ((isScanWanted || hints.size > 0) && !isFull && !isStopped) {
      await claimOnce().catch((error: unknown) => means.log.warn({ err: error }, 'deliveries could not be claimed'))
    }
    isUnderWay = false
  }
  const claimOnce = async () => {
    const slots = maximumKnown - means.receivers.size()
    isFull = slots < fewestSlots
    if (isFull) return
    if (isScanWanted) await scan()
    const places = [...hints.values()].slice(0, maximumReceivers)
    places.forEach(({ webhook_id }) => hints.delete(webhook_id))
    await claimOf(means, places, slots)
  }
  const scan = async () => {
    isScanWanted = false
    const { found, last } = await findWaiting(means.db, means.me, cursor)
    found.forEach((place) => hints.set(place.webhook_id, place))
    cursor = last
    isScanWanted ||= last !== null
  }
  const begin = () => {
    if (!isUnderWay) underWay = claimWhileWanted()
  }
  return {
    wake(places) {
      if (places) places.forEach((place) => hints.set(place.webhook_id, place))
      else isScanWanted = true
      begin()
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

/** What was claimed although nothing was due any more is given back at once. */
async function claimOf({ db, me, receivers, onClaimed }: Means, places: readonly Place[], slots: number) {
  const most = Math.max(1, Math.floor(slots / places.length))
  const [now, isCrowded] = [db.clock.now(), receivers.isCrowded()]
  const asked = places.map(receivers.of).flatMap((receiver) => {
    const wanted = ask(receiver, { now, most, isCrowded })
    return wanted ? [{ receiver, wanted }] : []
  })
  if (asked.length === 0) return
  let claims = new Map<string, Claim>()
  try {
    const wanted = asked.map((each) => each.wanted)
    claims = new Map((await claim(db, me, wanted)).map((own) => [own.webhook_id, own]))
  } finally {
    for (const { receiver, wanted } of asked) {
      receive(receiver, wanted, claims.get(receiver.webhook_id))
      onClaimed(receiver)
    }
  }
  const idle = asked.flatMap(({ receiver: { webhook_id, known } }) =>
    claims.has(webhook_id) && known.size === 0 ? [webhook_id] : [],
  )
  if (idle.length > 0) await giveBackClaims(db, sql`claimed_by = ${me} and webhook_id = any(${idle}::uuid[])`)
}
