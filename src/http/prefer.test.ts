import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPreference } from './prefer.ts'

const of = (prefer: string) => ({
  'dry-run': readPreference({ prefer }, 'dry-run'),
  handling: readPreference({ prefer }, 'handling'),
})

test('preferences are read from a list, with or without values, quotes and parameters (RFC 7240 §2)', () => {
  assert.deepEqual(of('dry-run'), { 'dry-run': '', handling: undefined })
  assert.deepEqual(of('Handling=strict, DRY-RUN'), { 'dry-run': '', handling: 'strict' })
  assert.deepEqual(of('respond-async;wait=10 ,handling = "strict"; a=b,,dry-run;x'), {
    'dry-run': '',
    handling: 'strict',
  })
  assert.deepEqual(of('handling=lenient, handling=strict'), { 'dry-run': undefined, handling: 'lenient' })
})

test('what only looks like a preference is none', () => {
  for (const prefer of [
    '',
    ',',
    '=',
    'x="a, dry-run, handling=strict"',
    'dry-run-now',
    'x; dry-run',
    'dry run',
    '"dry-run"',
  ]) {
    assert.deepEqual(of(prefer), { 'dry-run': undefined, handling: undefined }, prefer)
  }
})

test('a preference is read behind whatever else a client would like', () => {
  assert.deepEqual(of(`${'a'.repeat(15_000)}(, dry-run`), { 'dry-run': '', handling: undefined })
})
