// When to claim, and of whom: of receivers that are known to have something, at once; of all that wait, now and then.
import type { Database } from '../kit/database.ts'
import type { Log } from '../platform/log.ts'
import { claim, maximumReceivers } from './claim.ts'
import { firstRoom, maximumHeld, type Lanes } from './lanes.ts'
import { freeUnknownRows } from './workers.ts'

export type Claimer = {
  /** Looks at these receivers; without them, at all that wait. */
  wake(webhookIds?: readonly string[]): void
  /** There is room again, where there was none. */
  makeRoom(): void
  /** An answer to a claim may have been lost: rows may be in our name that we do not know. */
  doubt(): void
  stop(): Promise<void>
}

/** `settled`: everything that was delivered so far is written down. */
export function openClaimer({ db, me, lanes, log, settled }: {
  db: Database
  me: number
  lanes: Lanes
  log: Log
  settled: () => Promise<void>
}): Claimer {
  const hinted = new Set<string>()
  let isScanWanted = false
  let cursor: string | null = null
  let isFull = false
  let isUnsure = false
  let isStopped = false
  let isUnderWay = false
  let underWay = Promise.resolve()

  const isWanted = () => isScanWanted || hinted.size > 0

  const claimWhileWanted = async () => {
    isUnderWay = true
    while (isWanted() && !isFull && !isStopped) {
      await claimOnce().catch((error: unknown) => {
        isUnsure = true
        log.warn({ err: error }, 'deliveries could not be claimed')
      })
    }
    isUnderWay = false
  }

  const claimOnce = async () => {
    const slots = maximumHeld - lanes.size()
    isFull = slots === 0
    if (isFull) return
    const only = isScanWanted || hinted.size > maximumReceivers ? null : [...hinted]
    isScanWanted = false
    hinted.clear()
    if (isUnsure) await becomeSure()
    const held = lanes.held()
    const { rows, next } = await claim(db, { me, slots, cursor: only ? null : cursor, only, held, room: firstRoom })
    lanes.add(rows, held)
    if (!only) cursor = next
    // What did not fit in is found by the next look at all.
    isScanWanted ||= next !== null
  }

  const becomeSure = async () => {
    await settled()
    await freeUnknownRows(db, me, lanes.ids())
    isUnsure = false
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
    doubt() {
      isUnsure = true
      isScanWanted = true
      begin()
    },
    async stop() {
      isStopped = true
      await underWay
    },
  }
}
