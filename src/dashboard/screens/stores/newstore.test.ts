import assert from 'node:assert/strict'
import { test } from 'node:test'
import { staffOf } from '../../../../test/staff.ts'
import { openWorld } from '../../../../test/world.ts'
import { countryCodes } from '../../../kit/values/countries.ts'
import { timezoneNames } from '../../../kit/values/timezonenames.ts'
import { loadStore } from '../../../tenancy/stores/store.ts'
import { getMainTimezone, listTimezones } from './newstore.ts'

const world = await openWorld()
const asked = { name: 'Second shop', country_code: 'MX', currency: '', default_language: 'es' }

test('whoever opens a store owns it; its time is that of the country', async () => {
  const shop = await world.newStore()
  const ben = await staffOf(world, [shop], 'staff')
  assert.match((await ben.get(`/${shop.store.id}`)).text, /href="\/dashboard\/new">.*Create another store/)
  assert.match((await ben.get('/new')).text, /<option value="US" selected>United States/)
  const { status, location } = await ben.post('/new', asked)
  assert.equal(status, 303)
  const store = (await loadStore(world.app.db, location.slice(1)))!
  assert.deepEqual(
    [store.name, store.currency, store.country_code, store.timezone, store.slug.startsWith('second-shop')],
    ['Second shop', 'MXN', 'MX', 'America/Mexico_City', true],
  )
  assert.equal(store.maintenance_mode, true)
  assert.match(
    (await ben.get(location)).text,
    /Owner[^]*<a class="button[^"]*" href="[^"]*\/settings\/store">Open your online store/,
  )
  assert.match((await ben.get(`${location}/settings/audit/security`)).text, /Online store opened/)
})

test('a currency that is chosen stands over that of the country', async () => {
  const ben = await staffOf(world, [await world.newStore()])
  const { location } = await ben.post('/new', { ...asked, currency: 'USD' })
  const store = (await loadStore(world.app.db, location.slice(1)))!
  assert.equal(store.currency, 'USD')
})

test('signing in leads to the store that was used last', async () => {
  const shops = [await world.newStore({ name: 'A' }), await world.newStore({ name: 'B' })]
  const ana = await staffOf(world, shops)
  for (const { store } of shops) {
    const shown = await ana.get(`/${store.id}`)
    const [line = ''] = shown.headers.getSetCookie()
    assert.match(line, new RegExp(`^stoa_store=${store.id}; Max-Age=31536000; Path=/; HttpOnly; Secure; SameSite=Lax$`))
    const { location } = await ana.get('', { cookie: `${ana.cookie}; ${line.split(';')[0]}` })
    assert.equal(location, `/${store.id}`)
  }
})

test('every country has a time of its own', () => {
  const known = new Set(timezoneNames)
  for (const country of countryCodes) {
    const all = listTimezones(country)
    const timezone = getMainTimezone(country)
    assert.ok(known.has(timezone), `${country}: ${timezone}`)
    if (all.length > 0) assert.ok(all.includes(timezone), `${country}: ${timezone}`)
  }
  assert.equal(getMainTimezone('US'), 'America/New_York')
})

test('what is wrong is said beside its field, in the language of the page', async () => {
  const ana = await staffOf(world, [await world.newStore()])
  const { status, text } = await ana.post(
    '/new',
    { ...asked, name: '', currency: 'DOLLAR' },
    { 'accept-language': 'es' },
  )
  assert.equal(status, 422)
  assert.match(text, /id="name-fault">Este campo es obligatorio/)
  assert.match(text, /id="currency-fault">/)
})

test('somebody without a store is shown how to open one, or to wait', async () => {
  const nobody = await staffOf(world, [])
  const { text } = await nobody.get('')
  assert.match(text, /No stores yet/)
  assert.match(text, /href="\/dashboard\/new"/)
  const { location } = await nobody.post('/new', asked)
  assert.equal((await nobody.get('')).location, location)
})

test('at most ten stores a day', async () => {
  const ana = await staffOf(world, [await world.newStore()])
  for (let count = 1; count <= 10; count++) assert.equal((await ana.post('/new', asked)).status, 303)
  const refused = await ana.post('/new', asked)
  assert.equal(refused.status, 429)
  assert.match(refused.text, /Too many attempts/)
})

test('where only the operator opens stores, people are told so and open none', async () => {
  const closed = await openWorld({ NEW_STORE_PLAN: 'none' })
  const shop = await closed.newStore()
  const ana = await staffOf(closed, [shop])
  assert.ok(!(await ana.get(`/${shop.store.id}`)).text.includes('/dashboard/new'))
  assert.match((await ana.get('/new')).text, /Only the person who runs this service/)
  assert.equal((await ana.post('/new', asked)).status, 403)
  const nobody = await staffOf(closed, [])
  assert.match((await nobody.get('')).text, /Wait for an invitation/)
})

test('stores that people open have the plan that the operator has chosen', async () => {
  const small = await openWorld({ NEW_STORE_PLAN: 'free' })
  const ana = await staffOf(small, [])
  const { location } = await ana.post('/new', asked)
  const store = (await loadStore(small.app.db, location.slice(1)))!
  assert.equal(store.plan.id, 'free')
})
