// The way of a browser through a payment, without a script.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeProvider, payingShop } from '../../../../test/payments.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()
const psp = fakeProvider()

type Shop = Awaited<ReturnType<typeof payingShop>>

/** At the checkout, with everything filled in. */
async function atCheckout(shop: Shop, language = 'en') {
  const { token, total } = await shop.begin()
  const root = `${world.url}/s/${shop.store.slug}`
  const headers = { cookie: `stoa_checkout=${token}; stoa_lang=${language}` }
  const get = async (path: string) => {
    const answer = await fetch(path.startsWith('/s/') ? world.url + path : root + path, { headers, redirect: 'manual' })
    return {
      status: answer.status,
      headers: answer.headers,
      to: answer.headers.get('location'),
      text: await answer.text(),
    }
  }
  const page = await get('/checkout')
  const mark = /name="checkout" value="([^"]*)"/.exec(page.text)![1]!
  const place = async () => {
    const answer = await fetch(`${root}/checkout`, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...headers, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ act: 'place', checkout: mark, total: String(total), payment_method: 'card' }),
    })
    return { status: answer.status, to: answer.headers.get('location'), text: await answer.text() }
  }
  return { page, place, get }
}

const pathOf = (url: string) => new URL(url).pathname + new URL(url).search

test('placing an order leads to the provider, and the way back to the order', async () => {
  const shop = await payingShop(world)
  const { page, place, get } = await atCheckout(shop)
  assert.match(page.headers.get('content-security-policy')!, /form-action 'self' https:\/\/pay\.example/)
  const placed = await place()
  assert.deepEqual([placed.status, placed.to], [303, `https://pay.example/${psp.last().reference}`])
  const back = pathOf(psp.last().returnUrl)
  assert.ok(psp.last().returnUrl.startsWith(`https://shop.example/s/${shop.store.slug}/checkout/payments/pmt_`))
  const waiting = await get(back)
  assert.equal(waiting.status, 200)
  assert.match(waiting.text, /Waiting for your payment/)
  assert.match(waiting.headers.get('refresh')!, new RegExp(`^5; url=${back}`))
  const left = await get(`${back}?cancelled=1`)
  assert.match(left.text, /Your payment didn’t go through/)
  assert.ok(left.text.includes(`https://pay.example/${psp.last().reference}`), 'what was begun can be gone on with')
  psp.pay(psp.last())
  for (let time = 1; time <= 2; time++) {
    const done = await get(back)
    assert.equal(done.status, 303)
    assert.match(done.to!, /\/orders\/ord_/)
  }
  assert.equal((await shop.api.get('/v1/orders')).data.length, 1)
  assert.match((await get((await get(back)).to!)).text, /Thank you, Ana/)
})

test('a payment that was declined is said in the language of the shopper, with the way back', async () => {
  const shop = await payingShop(world)
  const { place, get } = await atCheckout(shop, 'es')
  await place()
  psp.last().status = 'failed'
  const { text } = await get(pathOf(psp.last().returnUrl))
  assert.match(text, /Tu pago no se completó/)
  assert.ok(text.includes(`/s/${shop.store.slug}/checkout"`))
  assert.equal((await place()).status, 303, 'trying again leads to the provider again')
})

test('who paid for what is gone is told that the payment is being refunded', async () => {
  const shop = await payingShop(world, { stock: 1 })
  const { place, get } = await atCheckout(shop)
  await place()
  await shop.api.patch(`/v1/inventory/products/${shop.thing.id}`, { quantity: -1 })
  psp.pay(psp.last())
  const { text } = await get(pathOf(psp.last().returnUrl))
  assert.match(text, /We couldn’t place your order/)
  assert.match(text, /We’ve refunded you in full/)
})

test("another browser's way back shows nothing and sets off nothing; one that was made up leads nowhere", async () => {
  const shop = await payingShop(world)
  const [mine, other] = [await atCheckout(shop), await atCheckout(shop)]
  await mine.place()
  psp.pay(psp.last())
  const back = pathOf(psp.last().returnUrl)
  const looks = psp.calls.fetchState
  const foreign = await other.get(back)
  assert.equal(foreign.status, 403)
  assert.match(foreign.text, /started in another browser/)
  const nobody = await fetch(world.url + back, { redirect: 'manual' })
  assert.equal(nobody.status, 403)
  assert.equal(psp.calls.fetchState, looks)
  assert.deepEqual((await shop.api.get('/v1/orders')).data, [])
  const [id] = back.split('/').at(-1)!.split('.')
  assert.equal((await mine.get(`/checkout/payments/${id}.${'A'.repeat(43)}`)).status, 404)
  const elsewhere = await payingShop(world)
  const link = back.split('/').at(-1)!
  assert.equal((await fetch(`${world.url}/s/${elsewhere.store.slug}/checkout/payments/${link}`)).status, 404)
})

test('a provider that is down is said beside the methods, and nothing is lost', async () => {
  const shop = await payingShop(world)
  const { place } = await atCheckout(shop)
  psp.on.createPayment = () => {
    throw new Error('ECONNREFUSED')
  }
  const { status, text } = await place()
  delete psp.on.createPayment
  assert.equal(status, 422)
  assert.match(text, /We couldn’t reach the payment provider\. You haven’t been charged/)
  assert.equal((await place()).status, 303)
})
