import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeProvider, payingShop, sandboxSettings } from '../../../test/payments.ts'
import { dataOf, faultsOf } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
import { openSettings } from './settings.ts'

const world = await openWorld()
const psp = fakeProvider()
const path = '/v1/store/payment-methods'

async function secretsOf({ store }: { store: { id: string } }) {
  const [row] = await world.app.db.rows<any>(sql`
    select id, settings, secrets from payment_methods where store_id = ${store.id}`)
  return { row, opened: openSettings(world.app.vault, store.id, row.id, row) }
}

test('secrets of a method are sealed, and answers say only that they are set', async () => {
  const shop = await world.newStore()
  const body = { code: 'card', provider: 'sandbox', settings: { ...sandboxSettings, unknown: 'x' } }
  const made = dataOf(await shop.api.post(path, body), 201)
  assert.deepEqual(made.settings, { api_key: 'set', webhook_secret: 'set' })
  assert.equal(made.webhook_url, `https://shop.example/payments/${shop.store.id}/card`)
  const { row, opened } = await secretsOf(shop)
  assert.deepEqual(opened, sandboxSettings)
  assert.ok(!JSON.stringify(row).includes('sandbox_0123456789'))
  const read = dataOf(await shop.api.get(`${path}/${made.id}`), 200)
  assert.deepEqual(read, made)
})

test('a read method can be sent back; one setting changes, and null removes one', async () => {
  const shop = await world.newStore()
  const { id } = dataOf(
    await shop.api.post(path, { code: 'card', provider: 'sandbox', settings: sandboxSettings }),
    201,
  )
  const read = dataOf(await shop.api.get(`${path}/${id}`), 200)
  dataOf(await shop.api.patch(`${path}/${id}`, read), 200)
  assert.deepEqual((await secretsOf(shop)).opened, sandboxSettings)
  const api_key = 'sk_sandbox_another'
  dataOf(await shop.api.patch(`${path}/${id}`, { settings: { api_key, capture: 'manual' } }), 200)
  assert.deepEqual((await secretsOf(shop)).opened, { ...sandboxSettings, api_key, capture: 'manual' })
  const { settings } = dataOf(await shop.api.patch(`${path}/${id}`, { settings: { webhook_secret: null } }), 200)
  assert.deepEqual(settings, { api_key: 'set', capture: 'manual' })
  const refused = await shop.api.patch(`${path}/${id}`, { settings: { api_key: null } })
  assert.deepEqual(Object.keys(faultsOf(refused)), ['settings.api_key'])
})

test('all faults of a method are reported at once, with those of its settings', async () => {
  const shop = await world.newStore()
  const settings = { api_key: '', capture: 'sometimes' }
  const told = faultsOf(await shop.api.post(path, { code: 'card', provider: 'sandbox', position: -1, settings }))
  assert.deepEqual(Object.keys(told).sort(), ['position', 'settings.api_key', 'settings.capture'])
  const missing = faultsOf(await shop.api.post(path, { code: 'card', provider: 'sandbox' }))
  assert.deepEqual(missing, { 'settings.api_key': 'is required' })
})

test('a method that has taken payments is switched off, not deleted', async () => {
  const shop = await payingShop(world)
  const before = psp.payments.length
  await shop.shopper.complete((await shop.begin()).token)
  assert.equal(psp.payments.length, before + 1)
  const refused = await shop.api.delete(`${path}/${shop.method.id}`)
  assert.deepEqual([refused.status, refused.error.code], [409, 'CONFLICT'])
  assert.equal((await shop.api.patch(`${path}/${shop.method.id}`, { provider: 'manual' })).status, 409)
  assert.equal((await shop.api.patch(`${path}/${shop.method.id}`, { is_active: false })).status, 200)
})

test('a bank transfer is offered only with instructions', async () => {
  const shop = await payingShop(world)
  const { id } = dataOf(await shop.api.post(path, { code: 'bank_transfer' }), 201)
  const codes = async () => (await shop.shopper.get()).data.payment_methods.map(({ code }: any) => code)
  assert.deepEqual(await codes(), ['card'])
  await shop.api.patch(`${path}/${id}`, { instructions: 'Account 0123' })
  assert.deepEqual((await codes()).sort(), ['bank_transfer', 'card'])
})
