import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { conforms, type Fake } from '../../../../test/conformance.ts'
import { movableClock } from '../../../kit/values/clock.ts'
import { newUuid } from '../../../kit/values/ids.ts'
import { signSandboxWebhook, deriveWebhookSecret } from '../../../extensions/sandbox/account.ts'
import { openSandbox } from '../../../extensions/sandbox/server.ts'
import { approve, sessionBody } from '../../../extensions/sandbox/session.ts'
import { sandbox } from './sandbox.ts'

const clock = movableClock()
const server = await openSandbox({ clock, timing: { lateMs: 3_600_000 } })
after(() => server.close())
const { provider } = server

const key = `sk_sandbox_${newUuid().replaceAll('-', '')}`
const secretOfHooks = deriveWebhookSecret(provider.account(key))

const fake: Fake = {
  apiUrl: server.url,
  settings: { api_key: key, webhook_secret: secretOfHooks },
  approve: async (reference) => press(reference, 'approve'),
  decline: async (reference) => press(reference, 'decline'),
  async payLate(reference) {
    await press(reference, 'late')
    return {
      async comeIn() {
        const session = provider.find(reference)
        provider.change(session, approve(session, provider.now()))
      },
    }
  },
  async expire(reference) {
    const session = provider.find(reference)
    provider.sessions.put(reference, { ...session, expires_at: new Date(0).toISOString() })
  },
  breakAnswers: (how) => (provider.switches = how === null ? {} : { [how === '500' ? '500_after_charging' : how]: 1 }),
  refundsOf: (reference) =>
    provider
      .find(reference)
      .movements.filter(({ type }) => type === 'refund')
      .map(({ amount }) => amount),
  hook(reference, { secondsAgo = 0, secret = secretOfHooks, lies = false } = {}) {
    const id = `evt_${newUuid()}`
    const timestamp = String(Number(secondsNow()) - secondsAgo)
    const data = {
      ...sessionBody(provider.find(reference), server.url),
      ...(lies ? { status: 'captured', captured: 1 } : {}),
    }
    return signed(JSON.stringify({ id, type: 'session.captured', data }), { id, timestamp, secret })
  },
  sign: (raw) => signed(raw.toString(), { id: 'evt_1', timestamp: secondsNow(), secret: secretOfHooks }),
  currencies: [
    { currency: 'USD', amount: 10.05, minor: 1005, unfit: 10.055 },
    { currency: 'JPY', amount: 500, minor: 500, unfit: 0.5 },
    { currency: 'KWD', amount: 1.234, minor: 1234 },
  ],
  askedOf: (reference) => provider.find(reference).amount,
}

type Signing = { id: string; timestamp: string; secret: string }

function signed(body: string, { id, timestamp, secret }: Signing) {
  const signature = signSandboxWebhook(secret, { id, timestamp, body })
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
  return { raw: Buffer.from(body), headers }
}

function secondsNow(): string {
  return String(Math.floor(Date.now() / 1000))
}

async function press(reference: string, what: string): Promise<void> {
  const headers = { 'sec-fetch-site': 'same-origin' }
  const body = new URLSearchParams({ do: what })
  await fetch(`${server.url}/pay/${reference}`, { method: 'POST', headers, body, redirect: 'manual' })
}

conforms('sandbox', sandbox, fake)

test('without an address of the operator nothing is sent anywhere', async () => {
  const at = {
    settings: fake.settings,
    currency: 'EUR',
    returnUrl: 'https://shop.example/return',
    cancelUrl: 'https://shop.example/checkout',
    apiUrl: null,
    now: new Date(),
    signal: AbortSignal.timeout(5_000),
    fetch: () => assert.fail('nothing is called'),
  }
  const begun = await sandbox.createPayment({ id: 'pay_1', amount: 1, currency: 'EUR', description: 'One thing' }, at)
  assert.ok('refused' in begun)
  assert.deepEqual(sandbox.origins(at), [])
})
