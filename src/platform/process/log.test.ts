import assert from 'node:assert/strict'
import { stripVTControlCharacters } from 'node:util'
import { test } from 'node:test'
import { openLog, readable } from './log.ts'

test('a terminal gets readable lines: time, level, message, facts, the stack of an error', () => {
  const written: string[] = []
  const terminal = { isTTY: true, write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream
  const log = openLog('info', terminal)
  log.debug('nothing')
  log.warn({ networks: ['10.0.0.0/8'], reason: 'set' }, 'beware')
  log.error({ err: new Error('broken') }, 'failed')
  const [first = '', second = '', ...rest] = written.map(stripVTControlCharacters)
  assert.match(first, /^\d\d:\d\d:\d\d warn  beware \(networks: \["10\.0\.0\.0\/8"\], reason: set\)\n$/)
  assert.match(second, /^\d\d:\d\d:\d\d error failed\nError: broken\n +at /)
  assert.deepEqual(rest, [])
})

test("secrets are removed from a terminal's lines too", () => {
  const written: string[] = []
  const terminal = { isTTY: true, write: (text: string) => written.push(text) }
  const log = openLog('info', terminal as unknown as NodeJS.WriteStream)
  log.info(
    { headers: { 'x-api-key': 'wk_live_1', authorization: 'Bearer 1' }, made: { key: 'wk_live_2', secret: 'quiet' } },
    'made',
  )
  assert.doesNotMatch(written.join(''), /wk_live|Bearer|quiet/)
})

test('a line without a message is its facts', () => {
  const line = JSON.stringify({ level: 30, time: '2026-11-21T10:50:29.000Z', took_ms: 3 })
  assert.equal(stripVTControlCharacters(readable(line)), '10:50:29 info   (took_ms: 3)\n')
})
