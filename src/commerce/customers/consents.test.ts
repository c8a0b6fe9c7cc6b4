// Consent to marketing, and notes of staff: both with their times.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imported } from '../../../test/imports.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { dataOf } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })

const text = 'Email me about news and offers'

test('a consent has its source, words and time; each change is kept, the newest first', async () => {
  const { api } = await world.newStore()
  const marketing_consent = { source: 'checkout', text, consented_at: '2026-01-02T03:04:05Z' }
  const ana = { name: 'Ana', email: 'ana@example.com', accepts_marketing: true, marketing_consent }
  const { id, ...made } = dataOf(await api.post('/v1/customers', ana), 201)
  const { changed_at } = made.marketing_consent
  const consented_at = '2026-01-02T03:04:05.000Z'
  assert.deepEqual(made.marketing_consent, { state: 'subscribed', source: 'checkout', text, consented_at, changed_at })
  assert.equal(made.marketing_changed_at, changed_at)
  const gone = dataOf(await api.patch(`/v1/customers/${id}`, { accepts_marketing: false }), 200).marketing_consent
  assert.deepEqual([gone.state, gone.source, gone.text, gone.consented_at], ['unsubscribed', 'api', null, consented_at])
  const { data: history } = await api.get(`/v1/marketing-consents?customer_id=${id}`)
  assert.deepEqual(
    history.map((one: any) => [one.state, one.source, one.text, one.customer_id]),
    [
      ['unsubscribed', 'api', null, id],
      ['subscribed', 'checkout', text, id],
    ],
  )
})

test('without a change of accepts_marketing, no consent is recorded; wrong values are named', async () => {
  const { api } = await world.newStore()
  const { id, marketing_consent } = dataOf(await api.post('/v1/customers', { name: 'Ana' }), 201)
  assert.equal(marketing_consent, null)
  const same = { accepts_marketing: false, marketing_consent: { source: 'checkout' } }
  assert.equal(dataOf(await api.patch(`/v1/customers/${id}`, same), 200).marketing_consent, null)
  assert.deepEqual((await api.get(`/v1/marketing-consents?customer_id=${id}`)).data, [])
  const wrong = { source: 'hearsay', text: 'a'.repeat(501), consented_at: 'yesterday' }
  const { status, error } = await api.post('/v1/customers', { accepts_marketing: true, marketing_consent: wrong })
  assert.equal(status, 422)
  assert.deepEqual(error.details.map(({ field }: any) => field).toSorted(), [
    'marketing_consent.consented_at',
    'marketing_consent.source',
    'marketing_consent.text',
    'name',
  ])
})

test('an import turns marketing off, and never on for who has unsubscribed', async () => {
  const { api } = await world.newStore()
  const file = (choice: string, email = 'ana@example.com') =>
    imported(world, api, `First Name,Last Name,Email,Accepts Email Marketing\nAna,T,${email},${choice}\n`, {
      kind: 'customers',
      on_duplicate: 'update',
    })
  const read = async () => (await api.get('/v1/customers')).data[0]
  await file('yes')
  const { id, marketing_consent } = await read()
  assert.deepEqual([marketing_consent.state, marketing_consent.source], ['subscribed', 'import'])
  await file('no')
  assert.equal((await read()).marketing_consent.state, 'unsubscribed')
  await file('yes')
  assert.deepEqual([(await read()).accepts_marketing, (await read()).marketing_consent.state], [false, 'unsubscribed'])
  assert.equal((await api.get(`/v1/marketing-consents?customer_id=${id}`)).data.length, 2)
})

test('the proof of consent outlives the customer, who is known in it by their address alone', async () => {
  const { api } = await world.newStore()
  const ana = { name: 'Ana', email: 'Ana@example.com', accepts_marketing: true }
  const { id } = dataOf(await api.post('/v1/customers', ana), 201)
  dataOf(await api.delete(`/v1/customers/${id}`), 200)
  const { data } = await api.get('/v1/marketing-consents?email=ana@EXAMPLE.com')
  assert.deepEqual(
    data.map((one: any) => [one.customer_id, one.state]),
    [[id, 'subscribed']],
  )
  assert.ok(!JSON.stringify(data).toLowerCase().includes('example.com'))
  assert.deepEqual((await api.get('/v1/marketing-consents?email=bo@example.com')).data, [])
})

test('an undo of a consent is a change of its own', async () => {
  const { api } = await world.newStore()
  const { id } = dataOf(await api.post('/v1/customers', { name: 'Ana', email: 'ana@example.com' }), 201)
  const headers = { 'x-request-id': newUuid() }
  dataOf(await api.patch(`/v1/customers/${id}`, { accepts_marketing: true }, { headers }), 200)
  dataOf(await api.post(`/v1/changes/${headers['x-request-id']}/revert`, {}), 200)
  const { data } = await api.get(`/v1/customers/${id}`)
  assert.deepEqual([data.accepts_marketing, data.marketing_consent], [false, null])
  const { data: history } = await api.get(`/v1/marketing-consents?customer_id=${id}`)
  assert.deepEqual(
    history.map(({ state }: any) => state),
    ['unsubscribed', 'subscribed'],
  )
})

test('notes of a customer are listed, newest first, deleted for good, and erased with the customer', async () => {
  const shop = await world.newStore()
  const { api } = shop
  const { id } = dataOf(await api.post('/v1/customers', { name: 'Ana' }), 201)
  const notes = `/v1/customers/${id}/notes`
  const first = dataOf(await api.post(notes, { body: 'Rang about size 44' }), 201)
  const second = dataOf(await api.post(notes, { body: 'a'.repeat(5000) }), 201)
  assert.deepEqual([first.author_kind, first.customer_id], ['key', id])
  const list = async () => (await api.get(notes)).data.map((one: any) => one.id)
  assert.deepEqual(await list(), [second.id, first.id])
  assert.equal((await api.post(notes, { body: ' ' })).status, 422)
  assert.equal((await api.post(notes, { body: 'a'.repeat(5001) })).status, 422)
  const other = await world.newStore()
  assert.equal((await other.api.get(notes)).status, 404)
  assert.equal((await other.api.delete(`${notes}/${first.id}`)).status, 404)
  dataOf(await api.delete(`${notes}/${first.id}`), 200)
  assert.equal((await api.delete(`${notes}/${first.id}`)).status, 404)
  assert.deepEqual(await list(), [second.id])
  dataOf(await api.delete(`/v1/customers/${id}`), 200)
  assert.equal((await api.get(notes)).status, 404)
  const log = JSON.stringify((await api.get('/v1/audit?per_page=100')).data)
  assert.ok(!log.includes('Rang about') && !log.includes('a'.repeat(50)))
})
