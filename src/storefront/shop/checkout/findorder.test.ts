import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ana, buyer, productOf, shopperOf } from '../../../../test/checkouts.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'

const world = await openWorld()
let visitors = 0

/** From an address of its own unless one is given. */
async function ask(shop: TestStore, fields: Record<string, string>, ip = `10.9.${++visitors >> 8}.${visitors & 255}`) {
  const response = await fetch(`${world.url}/s/${shop.store.slug}/find-order`, {
    method: 'POST',
    headers: { 'x-forwarded-for': ip, 'accept-language': 'en', 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams(fields),
  })
  return { status: response.status, text: await response.text() }
}

async function placed(shop: TestStore, customer: object = { customer: ana }) {
  const items = [{ product_id: (await productOf(shop)).id, quantity: 1 }]
  const { data } = await shopperOf(world, shop).begin({ items, ...buyer(), ...customer })
  return (await shopperOf(world, shop).complete(data.token)).data.order
}

const linksOf = async ({ api }: TestStore) => (await api.get('/v1/mails?kind=order_link')).data

test('who knows the e-mail and the number of an order is sent its link, in the language of the page', async () => {
  const shop = await world.newStore()
  const { id, order_number } = await placed(shop)
  const { status, text } = await ask(shop, { email: 'ANA@example.com', number: `#${order_number}` })
  assert.equal(status, 200)
  assert.match(text, /Check your inbox/)
  const [mail, ...others] = await linksOf(shop)
  assert.deepEqual(others, [])
  assert.deepEqual([mail.order_id, mail.recipient, mail.language], [id, ana.email, 'en'])
})

test('the page says the same of an order that is not there, and nobody is written to', async () => {
  const shop = await world.newStore(),
    other = await world.newStore()
  const { order_number } = await placed(shop)
  await placed(other)
  const known = await ask(shop, { email: ana.email, number: String(order_number) })
  for (const fields of [
    { email: ana.email, number: '99999' },
    { email: 'bob@example.com', number: String(order_number) },
  ]) {
    const unknown = await ask(shop, fields)
    assert.equal(unknown.status, known.status)
    assert.equal(unknown.text.replace('bob@', 'ana@'), known.text)
  }
  assert.equal((await linksOf(shop)).length, 1)
  assert.equal((await linksOf(other)).length, 0)
})

test('an order gets three links a day, and an address asks twenty times an hour', async () => {
  const shop = await world.newStore()
  const { order_number } = await placed(shop)
  const fields = { email: ana.email, number: String(order_number) }
  for (let count = 0; count < 5; count++) assert.equal((await ask(shop, fields)).status, 200)
  assert.equal((await linksOf(shop)).length, 3)
  const answers = []
  for (let count = 0; count < 21; count++) answers.push((await ask(shop, fields, '10.10.10.10')).status)
  assert.deepEqual([answers.filter((status) => status === 200).length, answers.at(-1)], [20, 429])
})

test('what is no e-mail or no number is said beside its field', async () => {
  const shop = await world.newStore()
  const { status, text } = await ask(shop, { email: 'ana', number: 'x<b>' })
  assert.equal(status, 422)
  assert.equal(text.match(/aria-invalid="true"/g)?.length, 2)
  assert.ok(text.includes('value="x&lt;b&gt;"'))
})

test('the order page leads there; who gave no e-mail is told to keep the address', async () => {
  const shop = await world.newStore()
  const pageOf = async ({ id }: { id: string }) => {
    const { text } = (await shop.api.get(`/v1/store/mails/order_link/preview?order=${id}`)).data
    const [path] = /\/s\/\S+/.exec(text)!
    return (await fetch(world.url + path)).text()
  }
  assert.match(await pageOf(await placed(shop)), /keep.*find-order|find-order/is)
  const withoutMail = await pageOf(await placed(shop, { customer: { name: 'Ana', phone: ana.phone } }))
  assert.match(withoutMail, /You didn’t give an email/)
  assert.match(withoutMail, /readonly value="https:\/\/shop\.example\/s\/\S+\?lang=en"/)
  assert.match(withoutMail, /href="sms:\?&amp;body=https%3A%2F%2Fshop\.example/)
})
