// When to claim, and of whom: of receivers that are known to have something, at once; of all that wait, now and then.
import type { Database } from '../kit/database/database.ts'
import type { Log } from '../platform/process/log.ts'
import { claim, maximumReceivers, type Claim } from './claim.ts'
import { firstRoom, maximumHeld, type Lanes } from './lanes.ts'

export type Claimer = {
  /** Looks at these receivers; without them, at all that wait. */
  wake(webhookIds?: readonly string[]): void
  /** There is room again, where there was none. */
  makeRoom(): void
  stop(): Promise<void>
}

// A claim for less would cost as much; room comes with every batch that is written down.
const leastSlots = 64

export function openClaimer({ db, me, lanes, log }: { db: Database; me: number; lanes: Lanes; log: Log }): Claimer {
  const hinted = new Set<string>()
  let isScanWanted = false
  let cursor: string | null = null
  let isFull = false
  let isStopped = false
  let isUnderWay = false
  let underWay = Promise.resolve()

  const isWanted = () => isScanWanted || hinted.size > 0

  const claimWhileWanted = async () => {
    isUnderWay = true
    while (isWanted() && !isFull && !isStopped) {
      await claimOnce().catch((error: unknown) => log.warn({ err: error }, 'deliveries could not be claimed'))
    }
    isUnderWay = false
  }

  const claimOnce = async () => {
    const slots = maximumHeld - lanes.size()
    isFull = slots < leastSlots
    if (isFull) return
    const only = isScanWanted || hinted.size > maximumReceivers ? null : [...hinted]
    isScanWanted = false
    hinted.clear()
    const [held, known] = [lanes.ask(only), lanes.ids(only)]
    let claimed: Claim = { receivers: [], rows: [], next: null }
    try {
      claimed = await claim(db, { me, slots, cursor, only, held, known, room: firstRoom })
      if (!only) cursor = claimed.next
      // What did not fit in is found by the next look at all.
      isScanWanted ||= claimed.next !== null
    } finally {
      lanes.add(held, claimed)
    }
  }

  const begin = () => {
    if (!isUnderWay) underWay = claimWhileWanted()
  }
  return {
    wake(webhookIds) {
      if (webhookIds) webhookIds.forEach((id) => hinted.add(id))
      else isScanWanted = true
      begin()
    },
    makeRoom() {
      if (!isFull) return
      isFull = false
      begin()
    },
    async stop() {
      isStopped = true
      await underWay
    },
  }
}
