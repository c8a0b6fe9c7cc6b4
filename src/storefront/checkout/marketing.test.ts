// Consent to marketing at checkout: from the box to the history of the customer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ana, buyer, productOf, setUp, shopperOf } from '../../../test/checkouts.ts'
import { dataOf, faultsOf } from '../../../test/shop.ts'
import { statementsOf } from '../../../test/statements.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

async function open(settings: object = { marketing: 'optional' }) {
  const shop = await setUp(await world.newStore())
  dataOf(await shop.api.patch('/v1/store/checkout', settings), 200)
  const items = [{ product_id: (await productOf(shop)).id, quantity: 1 }]
  const shopper = shopperOf(world, shop)
  const customers = async () => (await shop.api.get('/v1/customers')).data
  const consents = async () =>
    (await shop.api.get('/v1/marketing-consents')).data.map(({ state, source, text }: any) => [state, source, text])
  const buy = async (body: object) => {
    const { data } = await shopper.begin({ items, ...buyer(), shipping_method: 'standard', ...body })
    return dataOf(await shopper.complete(data.token), 201)
  }
  return { shop, shopper, items, customers, consents, buy }
}

test('the box is never ticked beforehand, and the order records it with the sentence and the source', async () => {
  const { shopper, customers, consents, buy } = await open()
  assert.partialDeepStrictEqual((await shopper.get()).data.checkout, {
    marketing: 'optional',
    marketing_text: 'Email me about news and offers',
  })
  await buy({})
  assert.deepEqual(await consents(), [])
  await buy({ accepts_marketing: true })
  const [customer] = await customers()
  assert.equal(customer.accepts_marketing, true)
  const at = new Date(customer.marketing_consent.consented_at).getTime()
  assert.ok(Math.abs(at - world.clock.now().getTime()) < 60_000)
  assert.deepEqual(await consents(), [['subscribed', 'checkout', 'Email me about news and offers']])
  await buy({ accepts_marketing: true })
  await buy({})
  assert.equal((await customers())[0].accepts_marketing, true)
  assert.equal((await consents()).length, 1)
})

test('the sentence is the one of the tick, in the language of the shopper', async () => {
  const { shop, shopper, items, consents, buy } = await open()
  await buy({ locale: 'de', accepts_marketing: true })
  const own = 'Send me the letter of the mill'
  await shop.api.patch('/v1/store/checkout', { marketing_text: own })
  const other = buyer('mia@example.com')
  const { data } = await shopper.begin({ items, ...other, customer: { ...other.customer, phone: null } })
  const ticked = await shopper.change(data.token, { accepts_marketing: true, shipping_method: 'standard' })
  assert.equal(ticked.data.accepts_marketing, true)
  await shop.api.patch('/v1/store/checkout', { marketing_text: 'Another sentence' })
  dataOf(await shopper.complete(data.token), 201)
  assert.deepEqual(await consents(), [
    ['subscribed', 'checkout', own],
    ['subscribed', 'checkout', 'Informieren Sie mich per E-Mail über Neuigkeiten und Angebote'],
  ])
})

test('a box that is unticked again, and a buyer without an email, agree to nothing', async () => {
  const { shopper, items, consents } = await open()
  const begin = async (customer: object) =>
    (await shopper.begin({ items, ...buyer(), customer, shipping_method: 'standard', accepts_marketing: true })).data
  const unticked = await begin(ana)
  await shopper.change(unticked.token, { accepts_marketing: false })
  dataOf(await shopper.complete(unticked.token), 201)
  const nameless = await begin({ name: 'Mia', phone: '+52 55 8765 4321' })
  dataOf(await shopper.complete(nameless.token), 201)
  assert.deepEqual(await consents(), [])
})

test('the last step may bring it, and a purchase without it sends no statement for it', async () => {
  const { shopper, items, consents } = await open({ marketing: 'hidden' })
  const begin = async () => (await shopper.begin({ items, ...buyer(), shipping_method: 'standard' })).data
  const { token } = await begin()
  dataOf(await shopper.complete(token, { accepts_marketing: true }), 201)
  // A shop with pages of its own has shown its own sentence.
  assert.deepEqual(await consents(), [['subscribed', 'checkout', null]])
  const again = await begin()
  const statements = await statementsOf(async () => void (await shopper.complete(again.token)))
  assert.ok(!statements.some((one: any) => /marketing_consents/.test(one.text ?? one)))
})

test('nobody can be required to agree', async () => {
  const { shop } = await open()
  const refused = await shop.api.patch('/v1/store/checkout', { marketing: 'required', marketing_text: 'x'.repeat(501) })
  assert.deepEqual(Object.keys(faultsOf(refused)), ['marketing', 'marketing_text'])
  assert.partialDeepStrictEqual((await shop.api.get('/v1/store/checkout')).data, {
    marketing: 'optional',
    marketing_text: null,
  })
})
