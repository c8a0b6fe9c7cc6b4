import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leaseMs, minLeaseMs, type Attempt, type ReceiverClaim, type Delivery } from './delivery.ts'
import { ask, drop, end, firstRoom, forget, giveBack, isForgettable, isHungry, isOurs } from './receiver.ts'
import { newReceiver, next, receive, roomOf, type Receiver } from './receiver.ts'

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
  receive(receiver, ask(receiver, plenty)!, claimed(due(length), more))
  return receiver
}

function begun(receiver: Receiver): Delivery[] {
  const all: Delivery[] = []
  for (let one = next(receiver); one; one = next(receiver)) all.push(one)
  return all
}

test('of one receiver at most eight are under way; each end lets one more go', () => {
  const receiver = having(20)
  const first = begun(receiver)
  assert.equal(first.length, 8)
  end(receiver, first[0]!, 5)
  assert.equal(begun(receiver).length, 1)
  assert.equal(receiver.underWay, 8)
})

test('of a paused receiver one is under way', () => {
  assert.equal(begun(having(5, { is_paused: true })).length, 1)
})

test('a receiver that is not known yet has room for eight, a quick one for 100 ms of work, at most 256', () => {
  const receiver = newReceiver('S', 'w')
  assert.equal(roomOf(receiver, false), firstRoom)
  assert.equal(roomOf({ ...receiver, averageMs: 10 }, false), 80)
  assert.equal(roomOf({ ...receiver, averageMs: 0.5 }, false), 256)
  assert.equal(roomOf({ ...receiver, averageMs: 15_000 }, false), firstRoom)
})

test('when it is crowded, a slow receiver has room for one', () => {
  const receiver = newReceiver('S', 'w')
  assert.equal(roomOf({ ...receiver, averageMs: 1001 }, true), 1)
  assert.equal(roomOf({ ...receiver, averageMs: 10 }, true), 80)
})

test('a claim is asked for what there is room for, and for nothing when there is none', () => {
  const receiver = having(5)
  assert.equal(ask(receiver, plenty)!.room, 3)
  assert.equal(ask(receiver, { ...plenty, most: 2 })!.room, 2)
  assert.equal(ask(having(8), plenty), null)
  assert.equal(ask(having(8), { ...plenty, isCrowded: true }), null)
})

test('what was sent is known until it is written down, and makes room when it ends', () => {
  const receiver = having(8)
  const [first] = begun(receiver)
  end(receiver, first!, 5)
  const demand = ask(receiver, plenty)!
  assert.equal(demand.room, roomOf(receiver, false) - 7)
  assert.ok(demand.ids.includes(first!.id))
  forget(receiver, written([first!]))
  assert.ok(!ask(receiver, plenty)!.ids.includes(first!.id))
})

test('it is kept while something of it is here and its claim is fresh', () => {
  const isKept = (receiver: Receiver, now = start) => ask(receiver, { ...plenty, now })!.is_kept
  assert.equal(isKept(newReceiver('S', 'w')), false)
  assert.equal(isKept(having(1)), true)
  assert.equal(isKept(having(1), after(minLeaseMs)), false)
})

test('with the last that is written it is given back, by the number of its claim', () => {
  const receiver = having(2, { claim: 7 })
  const [first, second] = begun(receiver)
  assert.equal(giveBack(receiver, written([first!])), null)
  forget(receiver, written([first!]))
  assert.equal(giveBack(receiver, written([second!])), 7)
  assert.equal(ask(receiver, plenty)!.is_kept, false, 'what is being given back must be claimed again')
})

test('while a claim counts on it, it is not given back', () => {
  const receiver = having(1)
  const [only] = begun(receiver)
  const demand = ask(receiver, plenty)!
  assert.equal(giveBack(receiver, written([only!])), null)
  receive(receiver, demand)
  assert.equal(giveBack(receiver, written([only!])), 1)
})

test('it wants more once half of its room is free, and says so once', () => {
  const receiver = having(firstRoom)
  const all = begun(receiver)
  receiver.averageMs = 100
  const hungry = all.map((delivery) => {
    end(receiver, delivery, 100)
    return isHungry(receiver)
  })
  assert.deepEqual(hungry, [false, false, false, true, false, false, false, false])
})

test('a receiver that got less than it had room for wants no more', () => {
  const receiver = having(firstRoom - 1)
  begun(receiver).forEach((delivery) => end(receiver, delivery, 100))
  assert.equal(isHungry(receiver), false)
})

test('nothing is sent with less of the claim left than a call may take', () => {
  const receiver = having(1)
  assert.equal(isOurs(receiver, after(leaseMs - minLeaseMs)), true)
  assert.equal(isOurs(receiver, after(leaseMs - minLeaseMs + 1)), false)
})

test('what was not sent, and what is dropped, is known no more: a claim may bring it again', () => {
  const receiver = having(10)
  const [first, ...others] = begun(receiver)
  end(receiver, first!, null)
  drop(receiver)
  assert.deepEqual(
    [...receiver.ids],
    others.map(({ id }) => id),
  )
})

test('an idle receiver is forgotten at the second look', () => {
  const receiver = having(1)
  assert.equal(isForgettable(receiver), false)
  const all = begun(receiver)
  end(receiver, all[0]!, 5)
  assert.equal(isForgettable(receiver), false)
  forget(receiver, written(all))
  assert.deepEqual([isForgettable(receiver), isForgettable(receiver)], [false, true])
})
