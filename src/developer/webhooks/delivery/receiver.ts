// The state that this process holds of one receiver: its claim, its queue and its room for concurrent attempts. Pure:
// the worker reports what happens and acts on the answer.
//
//    idle ──ask──► asked ──receive──► kept ──(the last is written)──► idle
//                    └───(nothing is due)──► idle
import { leaseMs, minLeaseMs, type Attempt, type Delivery, type ReceiverClaim } from './delivery.ts'

export type Receiver = {
  readonly store_id: string
  readonly webhook_id: string
  /** The latest claim. */
  claim?: ReceiverClaim
  waiting: Delivery[]
  inFlight: number
  /** IDs of rows that wait, are in progress, or were sent but not recorded: no claim takes them again. */
  readonly ids: Set<string>
  /** A claim in progress relies on this entry. */
  isAsked: boolean
  /** When the latest claim ended: it may have brought what was queued before. */
  receivedAt?: Date
  mayHaveMore: boolean
  averageMs: number
  idleLooks: number
}

/** The request for one receiver in a claim. */
export type ClaimRequest = {
  store_id: string
  webhook_id: string
  /** The maximum number of deliveries. */
  room: number
  ids: string[]
  /** The lease needs no renewal. */
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
// Looks, one a second, at an idle receiver before it is released: its claim has not ended by then.
const maxIdleLooks = 15

export function newReceiver(store_id: string, webhook_id: string): Receiver {
  return {
    store_id,
    webhook_id,
    waiting: [],
    inFlight: 0,
    ids: new Set(),
    isAsked: false,
    mayHaveMore: false,
    averageMs: worthMs,
    idleLooks: 0,
  }
}

/** The maximum number of rows, waiting or in progress. */
export function computeRoom({ averageMs }: Receiver, isCrowded: boolean): number {
  if (isCrowded && averageMs > slowMs) return 1
  return Math.min(maxRoom, Math.max(firstRoom, Math.round((maxUnderWay * worthMs) / averageMs)))
}

function occupancy({ waiting, inFlight: underWay }: Receiver): number {
  return waiting.length + underWay
}

/** Null if it has no room. */
export function planClaim(
  receiver: Receiver,
  { now, most, isCrowded }: { now: Date; most: number; isCrowded: boolean },
) {
  const { store_id, webhook_id, ids, claim } = receiver
  const room = Math.min(most, computeRoom(receiver, isCrowded) - occupancy(receiver))
  if (room <= 0) return null
  const is_kept = claim !== undefined && claim.claimed_until.getTime() - now.getTime() > renewMs
  receiver.isAsked = true
  const demand: ClaimRequest = { store_id, webhook_id, room, ids: [...ids], is_kept }
  return demand
}

/** The claim has ended: with what was due, or, without a claim, because it failed or the receiver is another's. */
export function applyClaim(receiver: Receiver, { room }: ClaimRequest, now: Date, claim?: ReceiverClaim): void {
  receiver.isAsked = false
  receiver.receivedAt = now
  receiver.mayHaveMore = false
  if (!claim && receiver.ids.size === 0) delete receiver.claim
  if (!claim) return
  receiver.claim = claim
  receiver.idleLooks = 0
  receiver.mayHaveMore = claim.deliveries.length >= room
  receiver.waiting.push(...claim.deliveries)
  for (const { id } of claim.deliveries) receiver.ids.add(id)
}

/** The receiver as in its current row. */
export type ReceiverFacts = Omit<ReceiverClaim, 'store_id' | 'webhook_id' | 'features' | ClaimOnly>
type ClaimOnly = 'claim' | 'claimed_until' | 'deliveries' | 'hasUnnumbered'

/**
 * Takes a delivery that this process has just queued, without a claim, if the receiver is its own and has a call to
 * spare. It takes none that a claim may bring, or has brought since `at`, the time before the delivery was written.
 */
export function enqueueDirect(
  receiver: Receiver,
  delivery: Delivery,
  facts: ReceiverFacts,
  { at, now }: { at: Date; now: Date },
): boolean {
  const { isAsked, mayHaveMore, receivedAt } = receiver
  if (isAsked || mayHaveMore || occupancy(receiver) >= maxUnderWay || facts.is_paused) return false
  if (!isOurs(receiver, now) || !receivedAt || receivedAt >= at) return false
  receiver.claim = { ...receiver.claim!, ...facts }
  receiver.idleLooks = 0
  receiver.ids.add(delivery.id)
  receiver.waiting.push(delivery)
  return true
}

/** True if a success must be recorded in its health: it ends failures, or more rows wait than its log's end shows. */
export function isNotable({ claim, ids }: Receiver): boolean {
  return claim === undefined || claim.is_failing || ids.size > maxUnderWay
}

/** The one to send now; none while eight are in progress, or one of a paused receiver. */
export function startNext(receiver: Receiver): Delivery | undefined {
  const limit = receiver.claim?.is_paused ? 1 : maxUnderWay
  if (receiver.inFlight >= limit || receiver.waiting.length === 0) return undefined
  receiver.inFlight++
  return receiver.waiting.shift()
}

/** True if the claim lasts long enough for another call. */
export function isOurs({ claim }: Receiver, now: Date): boolean {
  return claim !== undefined && claim.claimed_until.getTime() - now.getTime() >= minLeaseMs
}

/** A call ended after this many milliseconds; null if none was made and the row stays queued. */
export function finishAttempt(receiver: Receiver, { id }: Delivery, tookMs: number | null): void {
  receiver.inFlight--
  if (tookMs === null) receiver.ids.delete(id)
  else receiver.averageMs = receiver.averageMs * 0.8 + Math.max(tookMs, 0.5) * 0.2
}

/** True once when a refill is due. */
export function needsRefill(receiver: Receiver): boolean {
  const isDue = receiver.mayHaveMore && occupancy(receiver) <= computeRoom(receiver, false) / 2
  if (isDue) receiver.mayHaveMore = false
  return isDue
}

/** Removes recorded deliveries. */
export function removeRecorded(receiver: Receiver, attempts: readonly Attempt[]): void {
  for (const { id } of attempts) receiver.ids.delete(id)
}

/** Returns waiting deliveries to the queue. */
export function clearQueue(receiver: Receiver): void {
  for (const { id } of receiver.waiting.splice(0)) receiver.ids.delete(id)
}

/** Called once a second. True if it was idle long enough to be forgotten, and its claim released. */
export function isForgettable(receiver: Receiver): boolean {
  if (receiver.ids.size > 0 || receiver.isAsked) receiver.idleLooks = 0
  else receiver.idleLooks++
  return receiver.idleLooks > maxIdleLooks
}
