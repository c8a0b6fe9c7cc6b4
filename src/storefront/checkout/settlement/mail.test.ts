import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMailServer } from '../../../../test/mailserver.ts'
import { fakeProvider, payingShop } from '../../../../test/payments.ts'
import { openWorld } from '../../../../test/world.ts'

const server = await openMailServer()
const world = await openWorld({ SMTP_URL: server.url, MAILS_PER_MINUTE: '100000' }, { sweeps: true })
const psp = fakeProvider()

type Shop = Awaited<ReturnType<typeof payingShop>>

const lookAgain = (seconds = 180) => {
  world.clock.advance(seconds)
  return world.app.jobs.run('look at payments')
}
const sendLater = (seconds = 16 * 60) => {
  world.clock.advance(seconds)
  return world.app.sender.sendDue()
}
const mailsOf = async ({ api }: Shop) => (await api.get('/v1/mails?kind=payment_failed')).data
const textOf = (raw: string) => raw.replaceAll(/=\r\n/g, '').replaceAll('=3D', '=')

/** A checkout whose payment has begun. */
async function paying(shop: Shop) {
  const begun = await shop.begin()
  assert.equal((await shop.shopper.complete(begun.token)).status, 202)
  return { ...begun, email: begun.customer.email as string, payment: psp.last() }
}

for (const status of ['failed', 'cancelled', 'expired'] as const) {
  test(`a payment that ends as ${status} brings its shopper one letter with the way back to the checkout`, async () => {
    const shop = await payingShop(world)
    const { id, email, payment, token } = await paying(shop)
    payment.status = status
    await lookAgain()
    await lookAgain(24 * 60 * 60)
    const [queued, ...others] = await mailsOf(shop)
    assert.deepEqual([queued.recipient, queued.checkout_id, queued.order_id, others], [email, id, null, []])
    await sendLater()
    const [letter, ...more] = server.received.filter(({ to }) => to === email)
    assert.deepEqual(more, [])
    assert.match(letter!.header('Subject')!, /Your.payment.to.*go.through/)
    const [address] = /https:\/\/shop\.example\/\S+\/recover\/[\w-]{43}/.exec(textOf(letter!.raw)) ?? []
    assert.ok(address, letter!.raw)
    assert.match(
      letter!.header('List-Unsubscribe')!,
      /^<https:\/\/shop\.example\/s\/[^/]+\/unsubscribe\/[\w-]{43}\?lang=en>$/,
    )
    assert.equal(letter!.header('List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click')
    const page = await fetch(`${world.url}${new URL(address).pathname}`, {
      redirect: 'manual',
      headers: { cookie: `checkout=${token}` },
    })
    assert.equal(page.status, 303)
  })
}

test('a shopper who has not paid for a day gets one email, whatever the provider reports later', async () => {
  const shop = await payingShop(world)
  const { payment } = await paying(shop)
  await lookAgain(25 * 60 * 60)
  payment.status = 'expired'
  await lookAgain(2 * 60 * 60)
  assert.equal((await mailsOf(shop)).length, 1)
})

test('a shopper with an order, or with another payment, gets no email', async () => {
  const shop = await payingShop(world)
  const outcomes = []
  for (const pays of [true, false]) {
    const { token, email, payment } = await paying(shop)
    payment.status = 'failed'
    await lookAgain()
    assert.equal((await shop.shopper.complete(token)).status, 202)
    if (pays) {
      psp.pay(psp.last())
      assert.equal((await shop.shopper.complete(token)).status, 201)
    }
    await sendLater()
    assert.ok(!server.received.some(({ to, raw }) => to === email && /recover/.test(raw)))
    const { status, error } = (await mailsOf(shop)).find(({ recipient }: any) => recipient === email)
    outcomes.push(`${status} ${error}`)
  }
  assert.deepEqual(outcomes, [
    'suppressed An order has been placed in the meantime',
    'suppressed Another payment is in progress',
  ])
})

test('an order that is paid at once, and a payment that was replaced, bring no such letter', async () => {
  const shop = await payingShop(world)
  const { token, payment } = await paying(shop)
  await shop.shopper.change(token, { items: [{ product_id: shop.thing.id, quantity: 2 }] })
  assert.equal((await shop.shopper.complete(token)).status, 202)
  payment.status = 'cancelled'
  await lookAgain()
  psp.pay(psp.last())
  assert.equal((await shop.shopper.complete(token)).status, 201)
  assert.deepEqual(await mailsOf(shop), [])
})

test('one address gets one such letter a day, and none where the store has switched it off', async () => {
  const shop = await payingShop(world)
  const { token, payment } = await paying(shop)
  payment.status = 'failed'
  await lookAgain()
  await shop.shopper.complete(token)
  psp.last().status = 'failed'
  await lookAgain()
  assert.equal((await mailsOf(shop)).length, 1)
  const silent = await payingShop(world)
  await silent.api.patch('/v1/store/mails/payment_failed', { is_active: false })
  const other = await paying(silent)
  other.payment.status = 'failed'
  await lookAgain()
  assert.deepEqual(await mailsOf(silent), [])
})

test('a provider that refuses to begin brings the letter too', async () => {
  const shop = await payingShop(world)
  psp.on.createPayment = () => ({ refused: 'no such account' })
  const { token } = await shop.begin()
  assert.equal((await shop.shopper.complete(token)).status, 422)
  delete psp.on.createPayment
  assert.equal((await mailsOf(shop)).length, 1)
})
