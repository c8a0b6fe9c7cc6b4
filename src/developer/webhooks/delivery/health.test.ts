import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Attempt } from './delivery.ts'
import { nextState, tally, type WebhookState } from './health.ts'

const start = new Date('2026-01-01T00:00:00Z')
const minutes = (count: number) => new Date(start.getTime() + count * 60_000)
const stateAfter = (state: WebhookState, consecutive_failures: number, minutesFailing: number) => {
  const failing_since = consecutive_failures > 0 ? start : null
  return nextState({ state, consecutive_failures, failing_since, turned: null }, minutes(minutesFailing))
}

test('20 failures in a row over 10 minutes pause, over 24 hours disable; less does neither', () => {
  const day = 24 * 60
  const table: [WebhookState, number, number, WebhookState][] = [
    ['active', 0, 0, 'active'],
    ['active', 19, 3 * day, 'active'],
    ['active', 20, 9.99, 'active'],
    ['active', 20, 10, 'paused'],
    ['active', 500, 9.99, 'active'],
    ['active', 20, day - 0.01, 'paused'],
    ['active', 20, day, 'disabled'],
    ['paused', 20, day - 0.01, 'paused'],
    ['paused', 21, day, 'disabled'],
    ['paused', 0, 0, 'active'],
    ['disabled', 0, 0, 'disabled'],
    ['disabled', 30, 2 * day, 'disabled'],
  ]
  for (const [before, failures, minutesFailing, after] of table) {
    assert.equal(stateAfter(before, failures, minutesFailing), after, `${before} ${failures} ${minutesFailing}`)
  }
})

const ended = (status: Attempt['status'], more: Partial<Attempt> = {}) =>
  ({
    store_id: 'S',
    webhook_id: 'a',
    trigger: 'event',
    status,
    status_code: 500,
    ...(status === 'pending' ? {} : { completed_at: minutes(1) }),
    ...more,
  }) as Attempt

test('a batch counts the failures since its last success', () => {
  const last = ended('failed', { completed_at: minutes(2) })
  const [own] = tally([ended('failed'), ended('failed'), ended('delivered'), last, ended('pending')])
  assert.deepEqual(own, {
    store_id: 'S',
    webhook_id: 'a',
    reset: true,
    failures: 1,
    first_failure_at: minutes(2),
    last_delivery_at: minutes(2),
    last_delivery_status: 'failed',
    turned: null,
    isPlain: false,
  })
})

test('manual resends and tests do not count as failures; a test that succeeds enables, 410 disables', () => {
  const [own] = tally([ended('failed', { trigger: 'manual' }), ended('failed', { trigger: 'test' }), ended('skipped')])
  assert.deepEqual([own!.failures, own!.reset, own!.turned], [0, false, null])
  assert.equal(tally([ended('delivered', { trigger: 'test' })])[0]!.turned, 'enabled')
  assert.equal(tally([ended('delivered', { trigger: 'manual' })])[0]!.reset, false)
  assert.equal(tally([ended('failed', { status_code: 410 })])[0]!.turned, 'gone')
  assert.equal(tally([ended('failed', { status_code: 410, trigger: 'manual' })])[0]!.turned, null)
})

test('what is still to be tried changes nothing', () => {
  const of = (webhook_id: string, status: Attempt['status']) => ended(status, { webhook_id })
  const tallies = tally([of('b', 'delivered'), of('a', 'pending')])
  assert.deepEqual(
    tallies.find(({ webhook_id }) => webhook_id === 'a'),
    {
      store_id: 'S',
      webhook_id: 'a',
      reset: false,
      failures: 0,
      first_failure_at: null,
      last_delivery_at: null,
      last_delivery_status: null,
      turned: null,
      isPlain: true,
    },
  )
})
