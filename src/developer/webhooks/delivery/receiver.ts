// The state that this process holds of one receiver: its claim, its queue and its room for concurrent attempts. Pure:
// the worker reports what happens and acts on the answer.
//
//    idle ──ask──► asked ──receive──► kept ──(the last is written)──► given back ──forget──► idle
//                    └───(nothing is due)──► idle
import { leaseMs, minLeaseMs, type Attempt, type ReceiverClaim, type Delivery } from './delivery.ts'

export type Receiver = {
  readonly store_id: string
  readonly webhook_id: string
  /** The latest claim. */
  claim?: ReceiverClaim
  waiting: Delivery[]
  underWay: number
  /** IDs of rows that wait, are in progress, or were sent but not recorded: no claim takes them again. */
  readonly ids: Set<string>
  /** A claim in progress relies on this entry. */
  isAsked: boolean
  isGivenBack: boolean
  mayHaveMore: boolean
  averageMs: number
  isIdle: boolean
}

/** The request for one receiver in a claim. */
export type Demand = {
  store_id: string
  webhook_id: string
  /** The maximum number of deliveries. */
  room: number
  ids: string[]
  /** It stays this process's for long enough: only what is due need be read. */
  is_kept: boolean
}

/** Room of a receiver whose speed is unknown. */
export const firstRoom = 8
const maxUnderWay = 8
// A quick receiver may have 100 ms of work here: then it does not wait for the next claim.
const worthMs = 100
const maxRoom = 256
// When it is crowded here, receivers this slow may have one.
const slowMs = 1000
// A claim is renewed when less than this is left of it.
const renewMs = leaseMs - minLeaseMs

export function newReceiver(store_id: string, webhook_id: string): Receiver {
  return {
    store_id,
    webhook_id,
    waiting: [],
    underWay: 0,
    ids: new Set(),
    isAsked: false,
    isGivenBack: false,
    mayHaveMore: false,
    averageMs: worthMs,
    isIdle: false,
  }
}

/** The maximum number of rows, waiting or in progress. */
export function roomOf({ averageMs }: Receiver, isCrowded: boolean): number {
  if (isCrowded && averageMs > slowMs) return 1
  return Math.min(maxRoom, Math.max(firstRoom, Math.round((maxUnderWay * worthMs) / averageMs)))
}

function has({ waiting, underWay }: Receiver): number {
  return waiting.length + underWay
}

/** Until `receive`, it is not given back. Null: it has no room. */
export function ask(receiver: Receiver, { now, most, isCrowded }: { now: Date; most: number; isCrowded: boolean }) {
  const { store_id, webhook_id, ids, claim } = receiver
  const room = Math.min(most, roomOf(receiver, isCrowded) - has(receiver))
  if (room <= 0) return null
  const isFresh = claim !== undefined && claim.claimed_until.getTime() - now.getTime() > renewMs
  const is_kept = isFresh && ids.size > 0 && !receiver.isGivenBack
  receiver.isAsked = true
  const demand: Demand = { store_id, webhook_id, room, ids: [...ids], is_kept }
  return demand
}

/** The claim has ended: with what was due, or, without a claim, because it failed or the receiver is another's. */
export function receive(receiver: Receiver, { room }: Demand, claim?: ReceiverClaim): void {
  receiver.isAsked = false
  receiver.mayHaveMore = false
  if (!claim) return
  receiver.claim = claim
  receiver.isIdle = false
  receiver.mayHaveMore = claim.deliveries.length >= room
  receiver.waiting.push(...claim.deliveries)
  for (const { id } of claim.deliveries) receiver.ids.add(id)
}

/** The one to send now; none while eight are in progress, or one of a paused receiver. */
export function next(receiver: Receiver): Delivery | undefined {
  const limit = receiver.claim?.is_paused ? 1 : maxUnderWay
  if (receiver.underWay >= limit || receiver.waiting.length === 0) return undefined
  receiver.underWay++
  return receiver.waiting.shift()
}

/** Whether the claim lasts long enough for another call. */
export function isOurs({ claim }: Receiver, now: Date): boolean {
  return claim !== undefined && claim.claimed_until.getTime() - now.getTime() >= minLeaseMs
}

/** A call ended after this many milliseconds; null if none was made and the row stays queued. */
export function end(receiver: Receiver, { id }: Delivery, tookMs: number | null): void {
  receiver.underWay--
  if (tookMs === null) receiver.ids.delete(id)
  else receiver.averageMs = receiver.averageMs * 0.8 + Math.max(tookMs, 0.5) * 0.2
}

/** More is in the queue, and half of the room is free again. Says so once. */
export function isHungry(receiver: Receiver): boolean {
  const isDue = receiver.mayHaveMore && has(receiver) <= roomOf(receiver, false) / 2
  if (isDue) receiver.mayHaveMore = false
  return isDue
}

/** If these are the last deliveries here, the receiver is released with them. Returns the number of its claim. */
export function giveBack(receiver: Receiver, written: readonly Attempt[]): number | null {
  receiver.isGivenBack = receiver.ids.size === written.length && !receiver.isAsked
  return receiver.isGivenBack ? receiver.claim!.claim : null
}

/** These are written down. */
export function forget(receiver: Receiver, written: readonly Attempt[]): void {
  for (const { id } of written) receiver.ids.delete(id)
  receiver.isGivenBack = false
}

/** Returns waiting deliveries to the queue. */
export function drop(receiver: Receiver): void {
  for (const { id } of receiver.waiting.splice(0)) receiver.ids.delete(id)
}

/** Whether nothing came since the last call, so that its measured speed can be forgotten. */
export function isForgettable(receiver: Receiver): boolean {
  if (receiver.ids.size > 0 || receiver.isAsked) return false
  const wasIdle = receiver.isIdle
  receiver.isIdle = true
  return wasIdle
}
