import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureClass } from '../../../platform/outbound/fetch.ts'
import { decide, type AttemptResult } from './verdict.ts'

const threeTimes = [{ status: 'pending', delayMs: 1000 }, { status: 'pending', delayMs: 2000 }, { status: 'failed' }]
const retried = (tries: number) => threeTimes[tries - 1]

function eachTry(result: AttemptResult, expected: (tries: number) => unknown): void {
  for (const tries of [1, 2, 3]) {
    assert.deepEqual(decide(tries, result), expected(tries), `${tries} ${JSON.stringify(result)}`)
  }
}

test('2xx is delivered, at any try', () => {
  for (let status = 200; status < 300; status++) eachTry({ ok: true, status }, () => ({ status: 'delivered' }))
})

test('3xx and 4xx fail at once', () => {
  for (let status = 300; status < 500; status++) eachTry({ ok: true, status }, () => ({ status: 'failed' }))
})

test('5xx and what is no HTTP status is tried again after 1 and after 2 seconds, three times in all', () => {
  for (let status = 500; status < 1000; status++) eachTry({ ok: true, status }, retried)
  for (let status = 100; status < 200; status++) eachTry({ ok: true, status }, retried)
})

test('network errors are tried again like 5xx; an address that is not allowed fails at once', () => {
  const classes: FailureClass[] = ['TIMEOUT', 'DNS', 'TLS', 'REFUSED', 'RESET', 'BAD_RESPONSE']
  for (const error of classes) eachTry({ ok: false, error }, retried)
  eachTry({ ok: false, error: 'BLOCKED_ADDRESS' }, () => ({ status: 'failed' }))
})

test('there is no fourth try', () => {
  for (const tries of [4, 5, 100]) assert.deepEqual(decide(tries, { ok: true, status: 500 }), { status: 'failed' })
})
