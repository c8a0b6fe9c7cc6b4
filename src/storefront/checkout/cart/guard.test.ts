import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ana, faultsOf, productOf, shopperOf } from '../../../../test/checkouts.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()
const minute = 60
const many = (count: number) => Array.from({ length: count }, (_, n) => n)

async function shopOf() {
  world.clock.advance(60 * minute)
  const shop = await world.newStore()
  const items = [{ product_id: (await productOf(shop)).id, quantity: 1 }]
  return { shop, items, shopper: shopperOf(world, shop) }
}

test('an address begins 120 checkouts a minute', async () => {
  const { items, shopper } = await shopOf()
  const answers = await Promise.all(many(121).map(() => shopper.begin({ items })))
  const counts = [201, 429].map((wanted) => answers.filter(({ status }) => status === wanted).length)
  assert.deepEqual(counts, [120, 1])
  const limited = answers.find(({ status }) => status === 429)!
  assert.ok(Number(limited.headers.get('retry-after')) <= minute)
  world.clock.advance(minute)
  assert.equal((await shopper.begin({ items })).status, 201)
})

test('an address names 100 people an hour, the same as often as it likes', async () => {
  const { items, shopper } = await shopOf()
  const { token } = (await shopper.begin({ items })).data
  const name = (email: string) => shopper.change(token, { customer: { email } }).then(({ status }) => status)
  for (const n of many(100)) assert.equal(await name(`shopper${n}@example.com`), 200)
  assert.equal(await name('one.more@example.com'), 429)
  assert.equal(await name('SHOPPER7@example.com'), 200)
  world.clock.advance(60 * minute)
  assert.equal(await name('one.more@example.com'), 200)
})

test('ten wrong discount codes of a checkout, thirty of an address, and it has to wait', async () => {
  const { shop, items, shopper } = await shopOf()
  await shop.api.post('/v1/discounts', { code: 'RIGHT', type: 'percentage', value: 10 })
  const begin = async () => (await shopper.begin({ items, customer: ana })).data.token
  const attempt = async (token: string, discount_code: string) => {
    const answer = await shopper.change(token, { discount_code })
    return answer.status === 200 ? [] : faultsOf(answer)
  }
  const wrong = ['discount_code: does not exist'],
    spent = ['discount_code: has been tried too many times; wait a few minutes']
  const [first, second, third, fourth] = [await begin(), await begin(), await begin(), await begin()]
  for (const n of many(10)) assert.deepEqual(await attempt(first, `GUESS${n}`), wrong)
  assert.deepEqual(await attempt(first, 'RIGHT'), spent)
  assert.deepEqual(faultsOf(await shopper.complete(first, { discount_code: 'RIGHT' })), spent)
  assert.deepEqual(await attempt(second, 'RIGHT'), [], 'a right one is no try')
  for (const token of [second, third]) for (const n of many(10)) assert.deepEqual(await attempt(token, `G${n}`), wrong)
  assert.deepEqual(await attempt(fourth, 'RIGHT'), spent)
  world.clock.advance(10 * minute)
  assert.deepEqual(await attempt(fourth, 'RIGHT'), [])
})

test('of a hundred wrong codes at once ten of a checkout are answered, thirty of an address', async () => {
  const { items, shopper } = await shopOf()
  const begin = async () => (await shopper.begin({ items, customer: ana })).data.token as string
  const answered = async (tokens: string[]) => {
    const answers = await Promise.all(
      many(100).map((n) => shopper.change(tokens[n % tokens.length]!, { discount_code: `G${n}` })),
    )
    return answers.filter((answer) => faultsOf(answer)[0] === 'discount_code: does not exist').length
  }
  assert.equal(await answered([await begin()]), 10)
  assert.equal(await answered([await begin(), await begin(), await begin(), await begin()]), 20)
})
