import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leaseMs, minLeaseMs, type Attempt, type ReceiverClaim, type Delivery } from './delivery.ts'
import {
  planClaim,
  clearQueue,
  finishAttempt,
  firstRoom,
  removeRecorded,
  isForgettable,
  needsRefill,
  isNotable,
  isOurs,
} from './receiver.ts'
import { newReceiver, startNext, enqueueDirect, applyClaim, computeRoom, type Receiver } from './receiver.ts'

const start = new Date('2026-01-01T00:00:00Z')
const after = (ms: number) => new Date(start.getTime() + ms)
const plenty = { now: start, most: 2048, isCrowded: false }

let count = 0
const due = (length: number) => Array.from({ length }, () => ({ id: `d${count++}` }) as Delivery)
const claimed = (deliveries: Delivery[], more: Partial<ReceiverClaim> = {}) =>
  ({ claim: 1, is_paused: false, claimed_until: after(leaseMs), deliveries, ...more }) as ReceiverClaim
const written = (some: readonly Delivery[]) => some as unknown as Attempt[]

/** A receiver that has got so many deliveries by a claim. */
function having(length: number, more: Partial<ReceiverClaim> = {}): Receiver {
  const receiver = newReceiver('S', 'w')
  applyClaim(receiver, planClaim(receiver, plenty)!, start, claimed(due(length), more))
  return receiver
}

function begun(receiver: Receiver): Delivery[] {
  const all: Delivery[] = []
  for (let one = startNext(receiver); one; one = startNext(receiver)) all.push(one)
  return all
}

test('of one receiver at most eight are under way; each end lets one more go', () => {
  const receiver = having(20)
  const first = begun(receiver)
  assert.equal(first.length, 8)
  finishAttempt(receiver, first[0]!, 5)
  assert.equal(begun(receiver).length, 1)
  assert.equal(receiver.inFlight, 8)
})

test('of a paused receiver one is under way', () => {
  assert.equal(begun(having(5, { is_paused: true })).length, 1)
})

test('a receiver that is not known yet has room for eight, a quick one for 100 ms of work, at most 256', () => {
  const receiver = newReceiver('S', 'w')
  assert.equal(computeRoom(receiver, false), firstRoom)
  assert.equal(computeRoom({ ...receiver, averageMs: 10 }, false), 80)
  assert.equal(computeRoom({ ...receiver, averageMs: 0.5 }, false), 256)
  assert.equal(computeRoom({ ...receiver, averageMs: 15_000 }, false), firstRoom)
})

test('when it is crowded, a slow receiver has room for one', () => {
  const receiver = newReceiver('S', 'w')
  assert.equal(computeRoom({ ...receiver, averageMs: 1001 }, true), 1)
  assert.equal(computeRoom({ ...receiver, averageMs: 10 }, true), 80)
})

test('a claim is asked for what there is room for, and for nothing when there is none', () => {
  const receiver = having(5)
  assert.equal(planClaim(receiver, plenty)!.room, 3)
  assert.equal(planClaim(receiver, { ...plenty, most: 2 })!.room, 2)
  assert.equal(planClaim(having(8), plenty), null)
  assert.equal(planClaim(having(8), { ...plenty, isCrowded: true }), null)
})

test('what was sent is known until it is written down, and makes room when it ends', () => {
  const receiver = having(8)
  const [first] = begun(receiver)
  finishAttempt(receiver, first!, 5)
  const demand = planClaim(receiver, plenty)!
  assert.equal(demand.room, computeRoom(receiver, false) - 7)
  assert.ok(demand.ids.includes(first!.id))
  removeRecorded(receiver, written([first!]))
  assert.ok(!planClaim(receiver, plenty)!.ids.includes(first!.id))
})

test('it is kept while its claim is fresh', () => {
  const isKept = (receiver: Receiver, now = start) => planClaim(receiver, { ...plenty, now })!.is_kept
  assert.equal(isKept(newReceiver('S', 'w')), false)
  assert.equal(isKept(having(0)), true)
  assert.equal(isKept(having(1), after(minLeaseMs)), false)
})

const facts = {
  ...{ url: 'https://new.example', secret: 's', previous_secret: null, client_id: null },
  ...{ is_paused: false, is_failing: false },
}
const offered = (receiver: Receiver, more: Partial<typeof facts> = {}, now = after(2), at = after(1)) =>
  enqueueDirect(receiver, due(1)[0]!, { ...facts, ...more }, { at, now })

test('it takes what is queued here with a call to spare, and calls where the webhook leads now', () => {
  const receiver = having(7)
  assert.equal(offered(receiver), true)
  assert.equal(receiver.claim!.url, 'https://new.example')
  assert.equal(begun(receiver).length, 8)
  assert.equal(offered(receiver), false, 'eight are under way')
})

test('it takes nothing without a claim, at its end, during another, before what waits, or when it is paused', () => {
  assert.equal(offered(newReceiver('S', 'w')), false)
  assert.equal(offered(having(0), {}, after(leaseMs - minLeaseMs + 1)), false)
  assert.equal(offered(having(0), { is_paused: true }), false)
  assert.equal(offered(having(0), {}, after(1), start), false, 'the claim may have brought it')
  const asked = having(0)
  planClaim(asked, plenty)
  assert.equal(offered(asked), false)
  const behind = having(firstRoom)
  removeRecorded(behind, written(begun(behind)))
  behind.inFlight = 0
  assert.equal(offered(behind), false)
})

test('a success is notable while it fails and with a queue; in a row of successes it is not', () => {
  assert.equal(isNotable(newReceiver('S', 'w')), true)
  assert.equal(isNotable(having(1)), false)
  assert.equal(isNotable(having(1, { is_failing: true })), true)
  assert.equal(isNotable(having(9)), true)
})

test('it wants more once half of its room is free, and says so once', () => {
  const receiver = having(firstRoom)
  const all = begun(receiver)
  receiver.averageMs = 100
  const hungry = all.map((delivery) => {
    finishAttempt(receiver, delivery, 100)
    return needsRefill(receiver)
  })
  assert.deepEqual(hungry, [false, false, false, true, false, false, false, false])
})

test('a receiver that got less than it had room for wants no more', () => {
  const receiver = having(firstRoom - 1)
  begun(receiver).forEach((delivery) => finishAttempt(receiver, delivery, 100))
  assert.equal(needsRefill(receiver), false)
})

test('nothing is sent with less of the claim left than a call may take', () => {
  const receiver = having(1)
  assert.equal(isOurs(receiver, after(leaseMs - minLeaseMs)), true)
  assert.equal(isOurs(receiver, after(leaseMs - minLeaseMs + 1)), false)
})

test('what was not sent, and what is dropped, is known no more: a claim may bring it again', () => {
  const receiver = having(10)
  const [first, ...others] = begun(receiver)
  finishAttempt(receiver, first!, null)
  clearQueue(receiver)
  assert.deepEqual(
    [...receiver.ids],
    others.map(({ id }) => id),
  )
})

test('a receiver that was idle at fifteen looks is forgotten at the next', () => {
  const receiver = having(1)
  const looks = () => Array.from({ length: 16 }, () => isForgettable(receiver)).indexOf(true)
  assert.equal(looks(), -1)
  const all = begun(receiver)
  finishAttempt(receiver, all[0]!, 5)
  assert.equal(looks(), -1)
  removeRecorded(receiver, written(all))
  assert.equal(looks(), 15)
})
