// Custom fields at checkout: from the question to the order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyer, faultsOf, productOf, setUp, shopperOf } from '../../../test/checkouts.ts'
import { dataOf } from '../../../test/shop.ts'
import { staffOf } from '../../../test/staff.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

const fields = [
  { key: 'gift_message', label: 'Gift message', description: 'Printed on a card' },
  { key: 'delivery_day', label: 'Delivery day', type: 'date' },
  { key: 'wrapping', label: 'Wrapping', type: 'choice', choices: ['Plain', 'Festive'] },
  { key: 'terms', label: 'I am over 18', type: 'boolean', is_required: true },
  { key: 'floor', label: 'Floor', type: 'number' },
  { key: 'website', label: 'Website', type: 'url' },
]

async function openShop(asked: readonly object[] = fields) {
  const shop = await setUp(await world.newStore({ currency: 'MXN', country_code: 'MX' }))
  const define = async (field: object) =>
    dataOf(
      await shop.api.post('/v1/store/custom-fields', { applies_to: 'order', asked_at_checkout: true, ...field }),
      201,
    )
  const definitions = []
  for (const [position, field] of asked.entries()) definitions.push(await define({ position, ...field }))
  const items = [{ product_id: (await productOf(shop)).id, quantity: 1 }]
  const shopper = shopperOf(world, shop)
  return { shop, shopper, definitions, start: { ...buyer(), items, shipping_method: 'standard' } }
}

test('the storefront tells the fields that are asked, in their order, and no others', async () => {
  const { shop, shopper } = await openShop()
  await shop.api.post('/v1/store/custom-fields', { applies_to: 'order', key: 'internal', label: 'Internal' })
  const { custom_fields } = (await shopper.get()).data
  assert.deepEqual(
    custom_fields.map(({ key }: any) => key),
    fields.map(({ key }) => key),
  )
  assert.deepEqual(custom_fields[2], {
    key: 'wrapping',
    label: 'Wrapping',
    description: null,
    type: 'choice',
    choices: ['Plain', 'Festive'],
    is_required: false,
  })
})

test('answers merge by key, null removes one, and the order has them with the label of that day', async () => {
  const { shop, shopper, definitions, start } = await openShop()
  const begun = (await shopper.begin({ ...start, custom_fields: { gift_message: 'For Mia', floor: 3 } })).data
  assert.deepEqual(begun.custom_fields, { gift_message: 'For Mia', floor: 3 })
  const { token } = begun
  const custom_fields = { floor: null, terms: true, wrapping: 'Festive', delivery_day: '2027-12-24' }
  const changed = (await shopper.change(token, { custom_fields })).data.custom_fields
  assert.deepEqual(changed, { gift_message: 'For Mia', terms: true, wrapping: 'Festive', delivery_day: '2027-12-24' })
  assert.deepEqual((await shopper.read(token)).data.custom_fields, changed)
  const { order } = (await shopper.complete(token, { custom_fields: { gift_message: ' ' } })).data
  await shop.api.patch(`/v1/store/custom-fields/${definitions[2].id}`, { label: 'Paper' })
  const answers = [
    { key: 'delivery_day', label: 'Delivery day', value: '2027-12-24' },
    { key: 'wrapping', label: 'Wrapping', value: 'Festive' },
    { key: 'terms', label: 'I am over 18', value: true },
  ]
  assert.deepEqual((await shop.api.get(`/v1/orders/${order.id}`)).data.custom_fields, answers)
  const created = (await shop.events()).find(({ event }) => event === 'order.created')!
  assert.deepEqual(created.body.order.custom_fields, answers)
})

test('a required field is asked for at the end, and a required box must be ticked', async () => {
  const { shopper, start } = await openShop([
    { key: 'note', label: 'VAT note', is_required: true },
    { key: 'terms', label: 'I am over 18', type: 'boolean', is_required: true },
  ])
  const { token } = (await shopper.begin({ ...start, custom_fields: { terms: false } })).data
  assert.deepEqual(faultsOf(await shopper.complete(token)), [
    'custom_fields.note: is required',
    'custom_fields.terms: must be true',
  ])
  assert.equal((await shopper.complete(token, { custom_fields: { note: 'Exempt', terms: true } })).status, 201)
})

test('what does not fit a field is refused, all of it at once', async () => {
  const { shopper, start } = await openShop()
  const bad = {
    gift_message: 5,
    delivery_day: '2027-02-30',
    wrapping: 'Golden',
    terms: 'yes',
    floor: 1e16,
    website: 'javascript:alert(1)',
    shoe_size: 42,
  }
  const { token } = (await shopper.begin(start)).data
  const faults = [
    'custom_fields.gift_message: must be a string',
    'custom_fields.delivery_day: must be a date, such as 2026-01-31',
    'custom_fields.wrapping: must be one of Plain, Festive',
    'custom_fields.terms: must be true or false',
    'custom_fields.floor: must be at most 1000000000000000',
    'custom_fields.website: must be an http or https URL',
    'custom_fields.shoe_size: is not a recognized field',
  ]
  for (const refused of [
    await shopper.begin({ ...start, custom_fields: bad }),
    await shopper.change(token, { custom_fields: bad }),
    await shopper.complete(token, { custom_fields: bad }),
  ]) {
    assert.equal(refused.status, 422)
    assert.deepEqual(
      faultsOf(refused).filter((one) => !one.includes('terms: must be true') || one.includes('or false')),
      faults,
    )
  }
  assert.deepEqual((await shopper.read(token)).data.custom_fields, {})
})

test('an answer has a maximum, as all of them have', async () => {
  const { shopper, start } = await openShop()
  const refused = async (custom_fields: unknown) => faultsOf(await shopper.begin({ ...start, custom_fields }))
  assert.deepEqual(await refused({ gift_message: 'x'.repeat(1001) }), [
    'custom_fields.gift_message: must be at most 1000 characters long',
  ])
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`key_${index}`, 'x']))
  assert.equal((await refused(keys(51))).length, 1)
  assert.equal((await refused(keys(50))).length, 50)
  assert.equal((await refused([])).length, 1)
  assert.equal((await refused({ gift_message: { deep: [1] } })).length, 1)
  const huge = await shopper.begin({ ...start, custom_fields: { gift_message: 'x'.repeat(10 << 20) } })
  assert.equal(huge.status, 413)
  const odd = JSON.parse('{"__proto__": "x", "constructor": "y"}')
  assert.ok((await refused(odd)).length > 0)
})

test('an answer to a deactivated field is dropped, and one that no longer fits is asked for again', async () => {
  const { shop, shopper, definitions, start } = await openShop()
  const custom_fields = { gift_message: 'For Mia', wrapping: 'Festive', terms: true }
  const { token } = (await shopper.begin({ ...start, custom_fields })).data
  const change = (index: number, body: object) =>
    shop.api.patch(`/v1/store/custom-fields/${definitions[index].id}`, body)
  await change(0, { is_active: false })
  await change(2, { choices: ['Plain', 'Golden'] })
  const seen = (await shopper.read(token)).data
  assert.deepEqual(seen.custom_fields, { terms: true })
  assert.deepEqual(
    seen.changes.map(({ field }: any) => field),
    ['custom_fields.wrapping'],
  )
  assert.deepEqual(faultsOf(await shopper.complete(token)), ['custom_fields.wrapping: must be one of Plain, Golden'])
  const { order } = (await shopper.complete(token, { custom_fields: { wrapping: 'Golden' } })).data
  const answers = (await shop.api.get(`/v1/orders/${order.id}`)).data.custom_fields
  assert.deepEqual(
    answers.map(({ key, value }: any) => [key, value]),
    [
      ['wrapping', 'Golden'],
      ['terms', true],
    ],
  )
})

test('a store that asks nothing has no answers, and refuses them', async () => {
  const { shopper, start } = await openShop([])
  assert.deepEqual((await shopper.get()).data.custom_fields, [])
  const begun = (await shopper.begin(start)).data
  assert.deepEqual(begun.custom_fields, {})
  const refused = await shopper.change(begun.token, { custom_fields: { a: 'b' } })
  assert.deepEqual(faultsOf(refused), ['custom_fields.a: is not a recognized field'])
  assert.equal((await shopper.change(begun.token, { custom_fields: null })).status, 200)
})

test('a checkout draft has the answers, and its screen shows them with their labels', async () => {
  const { shop, shopper, start } = await openShop()
  const ana = await staffOf(world, [shop], 'staff')
  await shopper.begin({ ...start, custom_fields: { gift_message: 'For Mia', terms: true } })
  const [draft] = (await shop.api.get('/v1/checkout-drafts?status=active')).data
  assert.deepEqual(draft.custom_fields, { gift_message: 'For Mia', terms: true })
  const { text } = await ana.get(`/${shop.store.id}/carts/${draft.id}`)
  const words = text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
  assert.match(words, /Additional information Gift message For Mia I am over 18 Yes/)
})
