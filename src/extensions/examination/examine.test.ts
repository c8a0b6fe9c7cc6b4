// Receivers, each with one mistake that receivers have, and what the examination says of it.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { EventType } from '../../developer/webhooks/events.ts'
import { examine, type Examination, type ProbeTimeouts, type PostProbe, type ProbeReply } from './examine.ts'

const secret = '0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0'
const store = { id: 'QN-7H3KM2PX', name: 'Corner shop', timezone: 'UTC' }

type Call = { headers: Record<string, string>; body: string }
type Receiver = (call: Call) => number | Partial<ProbeReply>

const hmac = (text: string, key: string | Buffer = secret) => createHmac('sha256', key).update(text).digest('hex')
const stampOf = ({ headers }: Call) => headers['x-webhook-timestamp'] ?? ''
const signatureOf = ({ headers }: Call) => headers['x-webhook-signature'] ?? ''
const isFresh = (call: Call) => Math.abs(Date.now() / 1000 - Number(stampOf(call))) <= 300
const isSigned = (call: Call) => signatureOf(call) === hmac(`${stampOf(call)}.${call.body}`)

/** Right in all but what a test replaces. */
const checking =
  (isGenuine: (call: Call) => boolean, then: (call: Call) => number = () => 200): Receiver =>
  (call) =>
    isGenuine(call) && isFresh(call) ? then(call) : 401

function withMemory(known: number): (call: Call) => number {
  const ids = new Set<string>()
  return ({ headers }) => {
    const id = headers['x-webhook-id']!
    if (ids.has(id)) return known
    ids.add(id)
    return 200
  }
}

/** Calls it in this process, as HTTP would: names of headers in lower case. */
function postTo(receiver: Receiver): PostProbe {
  return async ({ headers, body }) => {
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    const answer = receiver({ headers: lower, body })
    return { status: 200, error: null, durationMs: 1, ...(typeof answer === 'number' ? { status: answer } : answer) }
  }
}

const all: EventType[] = ['order.created', 'order.updated']

function examined(
  receiver: Receiver,
  { events = all, patience }: { events?: EventType[]; patience?: ProbeTimeouts } = {},
): Promise<Examination> {
  return examine({ secret, events, store, now: new Date() }, postTo(receiver), patience)
}

const codesOf = ({ findings }: Examination) => findings.map(({ code }) => code)

test('a right receiver has no findings, and passes every probe', async () => {
  const { verdict, findings, probes } = await examined(checking(isSigned, withMemory(200)))
  assert.deepEqual([verdict, findings], ['right', []])
  assert.ok(probes.length === 13 && probes.every(({ passed }) => passed))
})

test('the code of the guide is right', async (t) => {
  const guide = readFileSync(new URL('../../../docs/guides/webhooks.md', import.meta.url), 'utf8')
  const code = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)]
    .map(([, text]) => text!)
    .find((text) => text.includes('verify'))!
  const folder = mkdtempSync(join(tmpdir(), 'stoa-receiver-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'verify.ts'), code.replace(/^(export )?function verify/m, 'export function verify'))
  const { verify } = await import(join(folder, 'verify.ts'))
  const receiver: Receiver = (call) => (verify(secret, stampOf(call), signatureOf(call), call.body) ? 200 : 401)
  assert.deepEqual(codesOf(await examined(receiver)), [])
})

// prettier-ignore
const broken: Record<string, { receiver: () => Receiver; code: string }> = {
  'that never checks': { code: 'unchecked',
    receiver: () => () => 200 },
  'that looks whether there is one': { code: 'only_there',
    receiver: () => checking((call) => signatureOf(call) !== '') },
  'that checks what is signed': { code: 'optional',
    receiver: () => checking((call) => signatureOf(call) === '' || isSigned(call)) },
  'that compares the beginning': { code: 'partial',
    receiver: () => checking((call) =>
    signatureOf(call) !== '' && hmac(`${stampOf(call)}.${call.body}`).startsWith(signatureOf(call))) },
  'that signs what it has parsed': { code: 'reserialised',
    receiver: () => checking((call) =>
    signatureOf(call) === hmac(`${stampOf(call)}.${JSON.stringify(JSON.parse(call.body))}`)) },
  'without a look at the time': { code: 'old_taken ahead_taken',
    receiver: () => (call) => (isSigned(call) ? 200 : 401) },
  'that refuses only what is old': { code: 'ahead_taken',
    receiver: () => (call) =>
    isSigned(call) && Date.now() / 1000 - Number(stampOf(call)) <= 300 ? 200 : 401 },
  'that refuses what it had': { code: 'refuses_duplicate',
    receiver: () => checking(isSigned, withMemory(409)) },
  'that needs to know the order first': { code: 'refuses_order',
    receiver: () => {
    const orders = new Set<string>()
    return checking(isSigned, ({ headers, body }) => {
      if (headers['x-webhook-event'] === 'order.created') orders.add(JSON.parse(body).event_id)
      return headers['x-webhook-event'] !== 'order.updated' || orders.has(JSON.parse(body).event_id) ? 200 : 404
    })
  } },
  'that refuses an event it does not know': { code: 'refuses_new_event',
    receiver: () => checking(isSigned, ({ headers }) =>
    headers['x-webhook-event']!.startsWith('order.') ? 200 : 422) },
  'that refuses a field it does not know': { code: 'refuses_new_field',
    receiver: () => checking(isSigned, ({ body }) =>
    'added_later' in JSON.parse(body) ? 422 : 200) },
  'that reads 100 KB': { code: 'refuses_large',
    receiver: () => (call) =>
    call.body.length > 102_400 ? 413 : checking(isSigned)(call) },
  'that fails without the header': { code: 'crashes',
    receiver: () => (call) =>
    signatureOf(call) === '' ? 500 : checking(isSigned)(call) },
  'that checks another copy of the body': { code: 'body_uncovered',
    receiver: () => checking((call) => copiesOf(call).some(isSigned)) },
  'that takes long': { code: 'slow',
    receiver: () => (call) =>
    ({ status: checking(isSigned)(call) as number, durationMs: 6200 }) },
}

/** As when a proxy checks what it has got, and hands on something else. */
function copiesOf(call: Call): Call[] {
  const letters = [...'0123456789abcdefghjkmnpqrstvwxyz']
  return letters.map((letter) => ({ ...call, body: call.body.replace(/("event_id":"[^"]*)."/, `$1${letter}"`) }))
}

for (const [what, { receiver, code }] of Object.entries(broken)) {
  test(`a receiver ${what}: ${code}`, async () => {
    const { verdict, findings } = await examined(receiver())
    assert.equal(findings.map((each) => each.code).join(' '), code)
    assert.equal(verdict, 'wrong')
    for (const { says, advice } of findings)
      assert.ok(says.length > 20 && advice.length > 20 && !/[{}]/.test(says + advice), says)
  })
}

const python = (body: string) =>
  JSON.stringify(JSON.parse(body), null, 1)
    .replaceAll(/\n */g, ' ')
    .replaceAll(/([[{]) | ([\]}])/g, '$1$2')
    .replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

// prettier-ignore
const refusing: Record<string, { receiver: Receiver; code: string; says: RegExp }> = {
  'signs the body alone': { code: 'without_timestamp', says: /body alone/,
    receiver: signing((call) => hmac(call.body)) },
  'forgets the dot': { code: 'without_dot', says: /without the dot/,
    receiver: signing((call) => hmac(stampOf(call) + call.body)) },
  'signs the id too':           { code: 'with_id',           says: /Standard/,
    receiver: signing((call) => hmac(`${call.headers['x-webhook-id']}.${stampOf(call)}.${call.body}`)) },
  'expects a prefix':           { code: 'with_prefix',       says: /sha256=/,
    receiver: signing((call) => `sha256=${hmac(`${stampOf(call)}.${call.body}`)}`) },
  'expects base64':             { code: 'in_base64',         says: /base64/,
    receiver: signing((call) => Buffer.from(hmac(`${stampOf(call)}.${call.body}`), 'hex').toString('base64')) },
  'writes JSON as Python does': { code: 'reserialised',      says: /re-serialized/,
    receiver: signing((call) => hmac(`${stampOf(call)}.${python(call.body)}`)) },
  'takes seconds for milliseconds': { code: 'timestamp_in_ms', says: /milliseconds/,
    receiver: (call) => (isSigned(call) && Math.abs(Date.now() - Number(stampOf(call))) <= 300_000 ? 200 : 401) },
  'has a line end in its secret': { code: 'secret_misread',  says: /line break/,
    receiver: signing((call) => hmac(`${stampOf(call)}.${call.body}`, `${secret}\n`)) },
  'decodes its secret':         { code: 'secret_misread',    says: /decoded/,
    receiver: signing((call) => hmac(`${stampOf(call)}.${call.body}`, Buffer.from(secret, 'hex'))) },
  'has another secret':         { code: 'refuses_valid',     says: /401/,
    receiver: signing((call) => hmac(`${stampOf(call)}.${call.body}`, 'another')) },
  'has a clock that is off':    { code: 'clock_off',         says: /off by (599|600) seconds/,
    receiver: () => ({ status: 401, date: new Date(Date.now() + 600_400).toUTCString() }) },
  'leads elsewhere': { code: 'redirects', says: /returns 301/,
    receiver: () => 301 },
  'is not there': { code: 'absent', says: /returns 404/,
    receiver: () => 404 },
  'fails': { code: 'fails', says: /returns 500/,
    receiver: () => 500 },
  'does not answer': { code: 'silent', says: /within 15 sec/,
    receiver: () => ({ status: null, error: 'TIMEOUT' }) },
}

function signing(sign: (call: Call) => string): Receiver {
  return checking((call) => signatureOf(call) === sign(call))
}

for (const [what, { receiver, code, says }] of Object.entries(refusing)) {
  test(`a receiver that refuses what is right since it ${what}: ${code}`, async () => {
    const { verdict, findings, probes } = await examined(receiver)
    assert.deepEqual([verdict, findings.map((each) => each.code), probes.length], ['wrong', [code], 1])
    assert.match(findings[0]!.says, says)
  })
}

test('of what cannot be called it says why', async () => {
  const { verdict, findings } = await examined(() => ({
    status: null,
    error: 'DNS',
    reason: 'The host name does not resolve.',
  }))
  assert.deepEqual([verdict, findings[0]!.says], ['unreachable', 'cannot be called: The host name does not resolve.'])
})

test('an examination ends in time, whatever has not been sent yet', async () => {
  const patience = { timeoutMs: 15_000, slowMs: 5000, wholeMs: -1 }
  const { probes, verdict } = await examined(checking(isSigned), { patience })
  assert.deepEqual([probes.length, verdict], [1, 'incomplete'])
})

test('every probe gets whole milliseconds, however much of the time is gone', async () => {
  const given: number[] = []
  const post = postTo(checking(isSigned, withMemory(200)))
  const counting: PostProbe = (probe, timeoutMs) => {
    given.push(timeoutMs)
    return post(probe, timeoutMs)
  }
  const patience = { timeoutMs: 15_000, slowMs: 5000, wholeMs: 10_000 }
  await examine({ secret, events: all, store, now: new Date() }, counting, patience)
  assert.ok(given.length > 10 && given.every((ms) => Number.isInteger(ms) && ms > 0), given.join())
})
