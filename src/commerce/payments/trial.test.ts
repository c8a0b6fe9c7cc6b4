import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeProvider, sandboxSettings } from '../../../test/payments.ts'
import { dataOf, faultsOf } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()
const psp = fakeProvider()
const path = '/v1/store/payment-methods'
const card = { code: 'card', provider: 'sandbox', settings: sandboxSettings }

test('a test begins a payment at the provider and lets it go; nothing of it is a payment of the store', async () => {
  const { api, events } = await world.newStore()
  const { id } = dataOf(await api.post(path, card), 201)
  const calls = { ...psp.calls }
  assert.deepEqual(dataOf(await api.post(`${path}/${id}/test`), 200), { succeeded: true, reason: null })
  assert.deepEqual([psp.calls.createPayment - calls.createPayment, psp.calls.cancel - calls.cancel], [1, 1])
  assert.equal((await api.get('/v1/payments')).body.pagination.total, 0)
  assert.deepEqual(await events(), [])
})

test("a refusal is reported in the provider's words, and a missing answer too", async (t) => {
  t.after(() => delete psp.on.createPayment)
  const { api } = await world.newStore()
  const { id } = dataOf(await api.post(path, card), 201)
  psp.on.createPayment = () => ({ refused: 'Invalid API Key provided' })
  const refused = dataOf(await api.post(`${path}/${id}/test`), 200)
  assert.deepEqual(refused, { succeeded: false, reason: 'Invalid API Key provided' })
  psp.on.createPayment = () => {
    throw new Error('connection reset')
  }
  assert.deepEqual(dataOf(await api.post(`${path}/${id}/test`), 200), { succeeded: false, reason: 'connection reset' })
})

test('a method without a remote provider always succeeds, and a dry run calls no provider', async () => {
  const { api } = await world.newStore()
  const byHand = dataOf(await api.post(path, { code: 'cod' }), 201)
  assert.deepEqual(dataOf(await api.post(`${path}/${byHand.id}/test`), 200), { succeeded: true, reason: null })
  const remote = dataOf(await api.post(path, card), 201)
  const before = psp.calls.createPayment
  const rehearsed = await api.post(`${path}/${remote.id}/test`, {}, { headers: { prefer: 'dry-run' } })
  assert.deepEqual(Object.keys(faultsOf(rehearsed)), ['Prefer'])
  assert.equal(psp.calls.createPayment, before)
})
