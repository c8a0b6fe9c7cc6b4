// What this process has claimed, a lane for each receiver: at most eight calls of one are under way, in all processes
// together, because a receiver belongs to one process at a time. The rest waits here for its turn.
import type { Claimed } from './claim.ts'

export type Lanes = {
  /** Rows of a claim that was made with `held()` as it was then. */
  add(rows: readonly Claimed[], asked: readonly Held[]): void
  /** What is had of whom, and how much each may have. */
  held(): Held[]
  /** What waits and is not under way, of one receiver or of all. It is forgotten here. */
  takeBack(webhookId?: string): Claimed[]
  ids(): string[]
  size(): number
  /** Forgets receivers that have been idle since the last time. */
  tidy(): void
}

export type Held = { webhook_id: string; has: number; room: number }

type Lane = {
  waiting: Claimed[]
  underWay: number
  limit: number
  averageMs: number
  mayHaveMore: boolean
  isIdle: boolean
}

/** Of all receivers together, waiting ones included. */
export const maximumHeld = 1024
/** What a receiver that is not known yet may have. */
export const firstRoom = 8

const maximumUnderWay = 8
// A quick receiver may have 50 ms of work here: then it does not wait for the next claim.
const worthMs = 50
const maximumRoom = 128
// With more than half of all taken, receivers this slow may have one.
const slowMs = 1000

/** `send` delivers one row and answers the milliseconds; `onRoom`: a receiver with more in the queue has room. */
export function openLanes(send: (row: Claimed) => Promise<number>, onRoom: (webhookId: string) => void): Lanes {
  const lanes = new Map<string, Lane>()
  const known = new Set<string>()

  const roomOf = ({ averageMs }: Lane): number => {
    if (known.size > maximumHeld / 2 && averageMs > slowMs) return 1
    return Math.min(maximumRoom, Math.max(firstRoom, Math.round((maximumUnderWay * worthMs) / averageMs)))
  }
  const go = (webhookId: string, lane: Lane): void => {
    while (lane.underWay < lane.limit && lane.waiting.length > 0) void run(webhookId, lane, lane.waiting.shift()!)
  }
  const run = async (webhookId: string, lane: Lane, row: Claimed): Promise<void> => {
    lane.underWay++
    const tookMs = await send(row)
    lane.underWay--
    lane.averageMs = lane.averageMs * 0.8 + Math.max(tookMs, 0.5) * 0.2
    known.delete(row.id)
    go(webhookId, lane)
    if (!lane.mayHaveMore || lane.waiting.length + lane.underWay > roomOf(lane) / 2) return
    lane.mayHaveMore = false
    onRoom(webhookId)
  }
  const laneOf = (webhookId: string): Lane => {
    let lane = lanes.get(webhookId)
    if (!lane) {
      lane = { waiting: [], underWay: 0, limit: maximumUnderWay, averageMs: worthMs, mayHaveMore: false, isIdle: false }
      lanes.set(webhookId, lane)
    }
    return lane
  }
  const take = (lane: Lane): Claimed[] => {
    const rows = lane.waiting.splice(0)
    rows.forEach(({ id }) => known.delete(id))
    return rows
  }
  return {
    add(rows, asked) {
      const rooms = new Map(asked.map(({ webhook_id, has, room }) => [webhook_id, room - has]))
      for (const [webhookId, own] of Map.groupBy(rows, ({ webhook_id }) => webhook_id)) {
        const lane = laneOf(webhookId)
        lane.limit = own[0]!.is_paused ? 1 : maximumUnderWay
        lane.isIdle = false
        lane.mayHaveMore = own.length >= (rooms.get(webhookId) ?? firstRoom)
        // A claim that ended here came back to us: the row is under way already.
        lane.waiting.push(...own.filter(({ id }) => !known.has(id)))
        own.forEach(({ id }) => known.add(id))
        go(webhookId, lane)
      }
    },
    held: () => [...lanes].map(([webhook_id, lane]) =>
      ({ webhook_id, has: lane.waiting.length + lane.underWay, room: roomOf(lane) })),
    takeBack(webhookId) {
      const lane = webhookId === undefined ? undefined : lanes.get(webhookId)
      return webhookId === undefined ? [...lanes.values()].flatMap(take) : lane ? take(lane) : []
    },
    ids: () => [...known],
    size: () => known.size,
    tidy() {
      for (const [webhookId, lane] of lanes) {
        if (lane.waiting.length + lane.underWay > 0) continue
        if (lane.isIdle) lanes.delete(webhookId)
        lane.isIdle = true
      }
    },
  }
}
