import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { openBrowser } from '../../../test/browser.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { openSandbox, type SandboxOptions } from './server.ts'
import { names } from './switches.ts'

const key = `sk_sandbox_${newUuid().replaceAll('-', '')}`
const fast = { lateMs: 20, delayMs: 40, retriesMs: [5, 5, 5] }

async function open(t: TestContext, options: SandboxOptions = {}) {
  const sandbox = await openSandbox({ timing: fast, ...options })
  t.after(() => sandbox.close())
  const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(sandbox.url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(method === 'POST' ? { 'idempotency-key': newUuid() } : {}),
        ...headers,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    return { status: response.status, text, body: parsed(text) }
  }
  const begin = async (more: object = {}) => (await call('POST', '/v1/sessions', { ...terms, ...more })).body
  const act = async (id: string, what: string) => {
    const browser = openBrowser()
    const page = await browser.visit(`${sandbox.url}/pay/${id}`)
    return browser.submit(page, { do: what }, () => true)
  }
  return { ...sandbox, call, begin, act, look: async (id: string) => (await call('GET', `/v1/sessions/${id}`)).body }
}

function parsed(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const terms = {
  amount: 2590,
  currency: 'EUR',
  reference: 'pay_1',
  description: 'Order of 2 things',
  return_url: 'https://shop.example/return',
  cancel_url: 'https://shop.example/checkout',
}

/** Whoever listens for webhooks; answers with the statuses given, then with 200. */
async function listen(t: TestContext, statuses: number[] = []) {
  const heard: { headers: Record<string, string>; body: any; raw: string }[] = []
  const server = createServer((request, response) => {
    let raw = ''
    request.on('data', (chunk) => (raw += chunk))
    request.on('end', () => {
      heard.push({ headers: request.headers as Record<string, string>, body: JSON.parse(raw), raw })
      response.writeHead(statuses.shift() ?? 200).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const until = async (count: number) => {
    while (heard.length < count) await new Promise((resolve) => setTimeout(resolve, 5))
    return heard
  }
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}/hook`, heard, until }
}

test('an approved payment is captured, and the shopper comes back', async (t) => {
  const { begin, act, look } = await open(t)
  const session = await begin()
  assert.equal(session.status, 'pending')
  assert.equal((await act(session.id, 'approve')).location, terms.return_url)
  const { status, authorized, captured, refunded } = await look(session.id)
  assert.deepEqual(
    { status, authorized, captured, refunded },
    { status: 'captured', authorized: 2590, captured: 2590, refunded: 0 },
  )
})

test('what is only to be authorised is captured in parts, never more than there is, or let go', async (t) => {
  const { begin, act, call, look } = await open(t)
  const { id } = await begin({ capture: 'manual' })
  await act(id, 'approve')
  assert.equal((await look(id)).status, 'authorized')
  assert.equal((await call('POST', `/v1/sessions/${id}/capture`, { amount: 1000 })).body.captured, 1000)
  assert.equal((await call('POST', `/v1/sessions/${id}/capture`, { amount: 1591 })).status, 409)
  assert.equal((await call('POST', `/v1/sessions/${id}/cancel`, {})).status, 409)

  const other = await begin({ capture: 'manual' })
  await act(other.id, 'approve')
  const { body } = await call('POST', `/v1/sessions/${other.id}/cancel`, {})
  assert.deepEqual([body.status, body.authorized], ['canceled', 0])
})

test('a refund happens once for its key, and all of them never exceed what was captured', async (t) => {
  const { begin, act, call, look } = await open(t)
  const { id } = await begin()
  await act(id, 'approve')
  const once = { 'idempotency-key': 'refund 1' }
  const [first, again] = [
    await call('POST', `/v1/sessions/${id}/refund`, { amount: 590 }, once),
    await call('POST', `/v1/sessions/${id}/refund`, { amount: 590 }, once),
  ]
  assert.deepEqual(first.body, again.body)
  assert.equal((await call('POST', `/v1/sessions/${id}/refund`, { amount: 591 }, once)).status, 409)
  assert.equal((await call('POST', `/v1/sessions/${id}/refund`, { amount: 2001 })).status, 409)
  assert.equal((await look(id)).refunded, 590)
  assert.equal((await call('POST', `/v1/sessions/${id}/refund`, {})).body.amount, 2000)
})

test('declined, challenged, paid late and left payments end as the shopper said', async (t) => {
  const { begin, act, look, url } = await open(t)
  const [declined, challenged, late, left] = [await begin(), await begin(), await begin(), await begin()]
  assert.equal((await act(declined.id, 'decline')).location, terms.return_url)
  assert.equal((await look(declined.id)).status, 'failed')

  const browser = openBrowser()
  await act(challenged.id, 'challenge')
  assert.equal((await look(challenged.id)).status, 'requires_action')
  const codePage = await browser.visit(`${url}/pay/${challenged.id}/challenge`)
  assert.match(codePage.headers.get('content-security-policy')!, /form-action 'self' https:\/\/shop\.example;/)
  assert.equal((await browser.submit(codePage, { code: '4321' })).status, 422)
  assert.equal((await browser.submit(codePage, { code: '1234' }, () => true)).location, terms.return_url)
  assert.equal((await look(challenged.id)).status, 'captured')

  assert.equal((await act(late.id, 'late')).location, terms.return_url)
  const underWay = await look(late.id)
  assert.equal(underWay.captured, underWay.status === 'processing' ? 0 : 2590)
  while ((await look(late.id)).status === 'processing') await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal((await look(late.id)).captured, 2590)

  assert.match((await browser.visit(`${url}/pay/${left.id}`)).text, /href="https:\/\/shop\.example\/checkout"/)
  assert.equal((await look(left.id)).status, 'pending')
  // What is over cannot be paid again.
  await act(left.id, 'decline')
  const over = await browser.visit(`${url}/pay/${left.id}`)
  assert.ok(over.form === null && /declined/.test(over.text))
})

test('an account has its own payments, and a key of no account is refused', async (t) => {
  const { begin, call } = await open(t)
  const { id } = await begin()
  const other = { authorization: 'Bearer sk_sandbox_somebody_else' }
  assert.equal((await call('GET', `/v1/sessions/${id}`, undefined, other)).status, 404)
  assert.equal((await call('POST', `/v1/sessions/${id}/refund`, {}, other)).status, 404)
  assert.equal((await call('GET', `/v1/sessions/${id}`, undefined, { authorization: 'Bearer nothing' })).status, 401)
  assert.equal((await call('POST', '/v1/sessions', { ...terms, amount: 0 })).status, 400)
  assert.equal((await call('POST', '/v1/sessions', { ...terms, amount: 1.5 })).status, 400)
})

test('a session that is too old is expired', async (t) => {
  const { begin, look, act } = await open(t)
  const { id } = await begin({ expires_in_s: 1 })
  while ((await look(id)).status === 'pending') await new Promise((resolve) => setTimeout(resolve, 50))
  assert.equal((await look(id)).status, 'expired')
  await assert.rejects(act(id, 'approve'), /there is no form/)
})

test('each change is told by a signed webhook, again and again until it is taken', async (t) => {
  const { begin, act, call } = await open(t)
  const hook = await listen(t, [500, 302])
  const { body: account } = await call('PUT', '/v1/account', { webhook_url: hook.url, name: 'Corner shop' })
  const { id } = await begin()
  await act(id, 'approve')
  const [first, , third] = await hook.until(3)
  assert.deepEqual([first!.body.type, first!.body.data.id], ['session.captured', id])
  assert.equal(first!.body.id, third!.body.id)
  const { 'webhook-id': hookId, 'webhook-timestamp': at, 'webhook-signature': signature } = third!.headers
  const secret = Buffer.from(account.webhook_secret.slice(6), 'base64')
  const expected = createHmac('sha256', secret).update(`${hookId}.${at}.${third!.raw}`).digest('base64')
  assert.equal(signature, `v1,${expected}`)
  assert.equal((await call('GET', '/v1/events')).body.data[0].id, first!.body.id)
})

test('webhooks are lost, sent twice, late, out of order and lie when they are told to', async (t) => {
  const { begin, act, call } = await open(t)
  const hook = await listen(t)
  await call('PUT', '/v1/account', { webhook_url: hook.url })
  const paid = async (switches: object) => {
    hook.heard.length = 0
    const { id } = await begin({ switches })
    await act(id, 'challenge')
    await call('POST', `/v1/sessions/${id}/cancel`, {})
    return id
  }
  await paid({ duplicate: 1 })
  assert.equal(new Set((await hook.until(4)).map(({ body }) => body.id)).size, 2)
  await paid({ lie: 1 })
  assert.deepEqual(
    (await hook.until(2)).map(({ body }) => [body.data.status, body.data.captured]),
    [
      ['captured', 25901],
      ['captured', 25901],
    ],
  )
  await paid({ out_of_order: 1 })
  assert.deepEqual((await hook.until(2)).map(({ body }) => body.type).sort(), [
    'session.canceled',
    'session.requires_action',
  ])
  await paid({ lose: 1 })
  await paid({ delay: 1 })
  // Those of the lost payment would have come long before.
  assert.equal(new Set((await hook.until(2)).map(({ body }) => body.data.id)).size, 1)
})

test('an answer is lost or unreadable, and what was asked has happened once all the same', async (t) => {
  const { begin, act, call, look, provider } = await open(t)
  for (const name of ['500_after_charging', 'rubbish'] as const) {
    const { id } = await begin()
    await act(id, 'approve')
    provider.switches = { [name]: 1 }
    const once = { 'idempotency-key': `refund with ${name}` }
    const broken = await call('POST', `/v1/sessions/${id}/refund`, { amount: 500 }, once)
    assert.ok(broken.status === 500 || broken.body === null)
    provider.switches = {}
    assert.equal((await call('POST', `/v1/sessions/${id}/refund`, { amount: 500 }, once)).body.amount, 500)
    assert.equal((await look(id)).refunded, 500)
  }
})

test('a call that hangs has its effect', async (t) => {
  const { begin, act, look, url, provider } = await open(t)
  const { id } = await begin()
  await act(id, 'approve')
  provider.switches = { hang: 1 }
  const signal = AbortSignal.timeout(100)
  const headers = { authorization: `Bearer ${key}`, 'idempotency-key': 'hanging', 'content-type': 'application/json' }
  const hanging = fetch(`${url}/v1/sessions/${id}/refund`, { method: 'POST', headers, body: '{}', signal })
  await assert.rejects(hanging, { name: 'TimeoutError' })
  provider.switches = {}
  assert.equal((await look(id)).refunded, 2590)
})

test('switches and the whole ledger are for whoever has the admin token', async (t) => {
  const { begin, call, adminToken, provider } = await open(t)
  const { id } = await begin()
  assert.equal((await call('GET', '/admin/sessions')).status, 401)
  const admin = { authorization: `Bearer ${adminToken}` }
  assert.equal((await call('GET', '/admin/sessions', undefined, admin)).body.data[0].id, id)
  assert.equal((await call('PUT', '/admin/switches', { explode: 1 }, admin)).status, 400)
  assert.equal((await call('PUT', '/admin/switches', { lose: 2 }, admin)).status, 400)
  assert.equal((await call('PUT', '/admin/switches', { lose: 0.5 }, admin)).status, 200)
  assert.deepEqual(provider.switches, { lose: 0.5 })
  const one = await call('PUT', `/admin/sessions/${id}/switches`, Object.fromEntries(names.map((n) => [n, 0])), admin)
  assert.equal(one.status, 200)
})

test('what is remembered in a file survives the provider, money on its way included', async (t) => {
  const file = path.join(tmpdir(), `sandbox-${newUuid()}`)
  t.after(() => rm(file))
  const first = await open(t, { file, timing: { lateMs: 60_000 } })
  const session = await first.begin()
  await first.act(session.id, 'late')
  const once = { 'idempotency-key': 'the same' }
  const { body } = await first.call('POST', '/v1/sessions', terms, once)
  await first.close()
  const second = await open(t, { file })
  while ((await second.look(session.id)).status === 'processing') await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal((await second.look(session.id)).captured, 2590)
  assert.equal((await second.call('POST', '/v1/sessions', terms, once)).body.id, body.id)
})
