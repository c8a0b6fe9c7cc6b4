// What this process has claimed, a lane for each receiver: at most eight calls of one are under way, in all processes
// together, because a receiver belongs to one process at a time. The rest waits here for its turn.
import type { Claim, Claimed, Held, Receiver } from './claim.ts'

export type Lanes = {
  /** For a claim, of some receivers or of all: what is had of each, and may be. Until its end none is given back. */
  ask(only: readonly string[] | null): Held[]
  /** The claim ended; with these rows, if it did not fail. */
  add(asked: readonly Held[], claimed: Pick<Claim, 'receivers' | 'rows'>): void
  /** Of some receivers or of all. What was sent is known until it is written down, so that no claim takes it again. */
  ids(only: readonly string[] | null): string[]
  size(): number
  /** These are written down. */
  forget(rows: readonly Row[]): void
  /** Forgets what waits and is not under way, of one receiver or of all: it is still in the queue. */
  drop(webhookId?: string): void
  /** Receivers that are given back when these are written down, with their last claim. */
  finishedBy(rows: readonly Row[]): Map<string, number>
  /** Forgets receivers that have been idle since the last time. */
  tidy(): void
}

type Row = { webhook_id: string; id: string }

type Lane = {
  waiting: Claimed[]
  underWay: number
  /** Of what waits, is under way or is not yet written down. */
  known: Set<string>
  /** As it was last claimed. */
  receiver?: Receiver
  /** A claim is under way that counts on it. */
  isAsked: boolean
  /** It is being given back. */
  isFinished: boolean
  averageMs: number
  mayHaveMore: boolean
  isIdle: boolean
}

/** Of all receivers together, waiting ones included. */
export const maximumHeld = 2048
/** What a receiver that is not known yet may have. */
export const firstRoom = 8

const maximumUnderWay = 8
// A quick receiver may have 100 ms of work here: then it does not wait for the next claim.
const worthMs = 100
const maximumRoom = 256
// With more than half of all taken, receivers this slow may have one.
const slowMs = 1000

/**
 * `send` delivers one row and answers the milliseconds, or null when the row must not be sent by this claim;
 * `onRoom`: a receiver with more in the queue has room.
 */
export function openLanes(
  send: (row: Claimed, receiver: Receiver) => Promise<number | null>,
  onRoom: (webhookId: string) => void,
): Lanes {
  const lanes = new Map<string, Lane>()
  let size = 0

  const roomOf = ({ averageMs }: Lane): number => {
    if (size > maximumHeld / 2 && averageMs > slowMs) return 1
    return Math.min(maximumRoom, Math.max(firstRoom, Math.round((maximumUnderWay * worthMs) / averageMs)))
  }
  const go = (webhookId: string, lane: Lane): void => {
    const limit = lane.receiver?.is_paused ? 1 : maximumUnderWay
    while (lane.underWay < limit && lane.waiting.length > 0) void run(webhookId, lane, lane.waiting.shift()!)
  }
  const run = async (webhookId: string, lane: Lane, row: Claimed): Promise<void> => {
    lane.underWay++
    const tookMs = await send(row, lane.receiver!)
    lane.underWay--
    if (tookMs === null) remove(lane, row)
    else lane.averageMs = lane.averageMs * 0.8 + Math.max(tookMs, 0.5) * 0.2
    go(webhookId, lane)
    if (!lane.mayHaveMore || lane.waiting.length + lane.underWay > roomOf(lane) / 2) return
    lane.mayHaveMore = false
    onRoom(webhookId)
  }
  const remove = (lane: Lane, { id }: { id: string }): void => {
    if (lane.known.delete(id)) size--
  }
  const laneOf = (webhookId: string): Lane => {
    let lane = lanes.get(webhookId)
    if (!lane) {
      lane = {
        waiting: [],
        underWay: 0,
        known: new Set(),
        isAsked: false,
        isFinished: false,
        averageMs: worthMs,
        mayHaveMore: false,
        isIdle: false,
      }
      lanes.set(webhookId, lane)
    }
    return lane
  }
  return {
    ask: (only) =>
      (only ?? [...lanes.keys()]).flatMap((webhook_id) => {
        const lane = lanes.get(webhook_id)
        if (!lane) return []
        lane.isAsked = lane.known.size > 0 && !lane.isFinished
        const has = lane.waiting.length + lane.underWay
        return [{ webhook_id, has, room: roomOf(lane), is_kept: lane.isAsked }]
      }),
    add(asked, { receivers, rows }) {
      for (const { webhook_id } of asked) laneOf(webhook_id).isAsked = false
      const rooms = new Map(asked.map(({ webhook_id, has, room }) => [webhook_id, room - has]))
      for (const receiver of receivers) laneOf(receiver.webhook_id).receiver = receiver
      for (const [webhookId, own] of Map.groupBy(rows, ({ webhook_id }) => webhook_id)) {
        const lane = laneOf(webhookId)
        lane.isIdle = false
        lane.mayHaveMore = own.length >= (rooms.get(webhookId) ?? firstRoom)
        lane.waiting.push(...own)
        own.forEach(({ id }) => lane.known.add(id))
        size += own.length
        go(webhookId, lane)
      }
    },
    ids: (only) => (only ?? [...lanes.keys()]).flatMap((id) => [...(lanes.get(id)?.known ?? [])]),
    size: () => size,
    forget(rows) {
      for (const row of rows) {
        const lane = laneOf(row.webhook_id)
        remove(lane, row)
        lane.isFinished = false
      }
    },
    drop(webhookId) {
      const dropped = webhookId === undefined ? [...lanes.values()] : [laneOf(webhookId)]
      for (const lane of dropped) lane.waiting.splice(0).forEach((row) => remove(lane, row))
    },
    finishedBy(rows) {
      const groups = [...Map.groupBy(rows, ({ webhook_id }) => webhook_id)]
      return new Map(
        groups.flatMap(([webhookId, own]) => {
          const lane = laneOf(webhookId)
          lane.isFinished = lane.known.size === own.length && !lane.isAsked
          return lane.isFinished ? [[webhookId, lane.receiver!.claim]] : []
        }),
      )
    },
    tidy() {
      for (const [webhookId, lane] of lanes) {
        if (lane.known.size > 0) continue
        if (lane.isIdle) lanes.delete(webhookId)
        lane.isIdle = true
      }
    },
  }
}
