import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newUuid } from '../../kit/values/ids.ts'
import { sql } from '../../kit/database/sql.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { createStore, setStatus } from './operations.ts'

// Uses its own database, because a job deletes expired slugs. Row security hides other stores' rows, but a slug
// reserved for another store must still be found.
const world = await openWorld({ ROW_SECURITY: 'on' }, { sweeps: true })

const newSlug = () => `shop-${newUuid().slice(-12)}`
const days = (count: number) => count * 24 * 3600

async function rename({ api }: TestStore, slug: string) {
  const { status, data, error } = await api.patch('/v1/store', { slug })
  return status === 200 ? data.slug : [status, error.code, error.message]
}

const ask = (path: string, init: RequestInit = {}) => fetch(world.url + path, { redirect: 'manual', ...init })

async function leadsTo(path: string, init?: RequestInit) {
  const answer = await ask(path, init)
  return [answer.status, answer.headers.get('location')]
}

const openShop = (values: { name: string; slug?: string }) =>
  world.app.db.transaction(async (tx) => {
    const id = await createStore(tx, { currency: 'USD', timezone: 'UTC', country_code: 'US', ...values })
    const row = await tx.one<{ slug: string }>(sql`select slug from stores where id = ${id}`)
    return row!.slug
  })

test('pages below a slug that was given up are sent to the same page below the new one, 301', async () => {
  const shop = await world.newStore()
  const old = shop.store.slug
  assert.deepEqual(await leadsTo(`/s/${old}`), [200, null])
  const slug = await rename(shop, newSlug())
  assert.deepEqual(await leadsTo(`/s/${old}`), [301, `/s/${slug}`])
  assert.deepEqual(await leadsTo(`/s/${old}/`), [301, `/s/${slug}/`])
  assert.deepEqual(await leadsTo(`/s/${old}?lang=es&q=a%2Fb`), [301, `/s/${slug}?lang=es&q=a%2Fb`])
  assert.deepEqual(await leadsTo(`/s/${old}/products/mug?x=/s/y`), [301, `/s/${slug}/products/mug?x=/s/y`])
  assert.deepEqual(await leadsTo(`/s/${old}/recover/abc`), [301, `/s/${slug}/recover/abc`])
  assert.deepEqual(await leadsTo(`/s/${old}`, { method: 'HEAD' }), [301, `/s/${slug}`])
  assert.deepEqual(await leadsTo(`/s/${old}/cart`, { method: 'POST', body: new URLSearchParams({ a: 'b' }) }), [
    308,
    `/s/${slug}/cart`,
  ])
  const answer = await ask(`/s/${old}`)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal((await fetch(`${world.url}/s/${old}`)).status, 200)
})

test('the storefront API sends whoever asks below the old slug on: reads by 301, writes by 308', async () => {
  const shop = await world.newStore()
  const { id } = (await shop.api.post('/v1/products', { name: 'Mug', price: 10 })).data
  const old = shop.store.slug
  const slug = await rename(shop, newSlug())
  const answer = await ask(`/storefront/${old}/products?search=mug`)
  assert.deepEqual([answer.status, ((await answer.json()) as any).error.code], [301, 'MOVED'])
  assert.equal(answer.headers.get('location'), `/storefront/${slug}/products?search=mug`)
  assert.equal(answer.headers.get('access-control-allow-origin'), '*')
  assert.ok(answer.headers.get('x-ratelimit-remaining'))
  assert.deepEqual(await leadsTo(`/storefront/${old}`), [301, `/storefront/${slug}`])

  const body = JSON.stringify({ items: [{ product_id: id, quantity: 2 }] })
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  assert.deepEqual(await leadsTo(`/storefront/${old}/checkouts`, init), [308, `/storefront/${slug}/checkouts`])
  // A client that follows redirects has created its checkout.
  const begun = await fetch(`${world.url}/storefront/${old}/checkouts`, init)
  assert.deepEqual([begun.status, ((await begun.json()) as any).data.items[0].quantity], [201, 2])
})

test('a slug that was given up twice leads to the latest, in one step', async () => {
  const shop = await world.newStore()
  const old = shop.store.slug
  const second = await rename(shop, newSlug())
  const third = await rename(shop, newSlug())
  assert.deepEqual(await leadsTo(`/s/${old}`), [301, `/s/${third}`])
  assert.deepEqual(await leadsTo(`/s/${second}`), [301, `/s/${third}`])
})

test('for a year nobody else can take it; the store itself takes it back', async () => {
  const [shop, other] = await Promise.all([world.newStore(), world.newStore()])
  const old = await rename(shop, newSlug())
  const next = await rename(shop, newSlug())
  const refused = [409, 'CONFLICT', `A store with the slug ${old} already exists`]
  assert.deepEqual(await rename(other, old), refused)
  await assert.rejects(openShop({ name: 'Shop', slug: old }), { code: 'CONFLICT', message: refused[2] })
  assert.match(await openShop({ name: old }), new RegExp(`^${old}-.{6}$`))
  assert.equal((await other.api.get('/v1/store')).data.slug, other.store.slug)

  assert.equal(await rename(shop, old), old)
  assert.deepEqual(await leadsTo(`/s/${old}`), [200, null])
  assert.deepEqual(await leadsTo(`/s/${next}`), [301, `/s/${old}`])
  assert.deepEqual((await rename(other, next))[0], 409)
})

test('after a year it is free, and a job forgets it', async () => {
  const [shop, other] = await Promise.all([world.newStore(), world.newStore()])
  const [first, second] = [shop.store.slug, newSlug()]
  await rename(shop, second)
  const slug = await rename(shop, newSlug())
  const kept = () => world.app.db.rows(sql`select slug from store_slugs where store_id = ${shop.store.id}`)
  world.clock.advance(days(365) - 60)
  await world.app.jobs.run('purge what has ended')
  assert.equal((await kept()).length, 2)
  assert.deepEqual((await rename(other, first))[0], 409)
  world.clock.advance(120)
  assert.deepEqual(await leadsTo(`/s/${first}`), [404, null])
  assert.equal(await rename(other, first), first)
  // A slug that is given up again is reserved for its last owner.
  const another = await rename(other, newSlug())
  assert.deepEqual(await leadsTo(`/s/${first}`), [301, `/s/${another}`])
  await world.app.jobs.run('purge what has ended')
  assert.deepEqual(await kept(), [])
  assert.deepEqual(await leadsTo(`/s/${slug}`), [200, null])
})

test('what changes no slug keeps none, and of many the latest twenty are kept', async () => {
  const shop = await world.newStore()
  await rename(shop, shop.store.slug)
  await shop.api.patch('/v1/store', { name: 'Other' })
  const kept = () =>
    world.app.db.rows<{ slug: string }>(sql`select slug from store_slugs where store_id = ${shop.store.id}`)
  assert.deepEqual(await kept(), [])
  const slugs = [shop.store.slug]
  for (let n = 0; n < 22; n++) {
    world.clock.advance(60)
    slugs.push(await rename(shop, newSlug()))
  }
  assert.deepEqual((await kept()).map(({ slug }) => slug).sort(), slugs.slice(2, 22).sort())
})

test('a store that is closed, and what can be no slug, lead nowhere', async () => {
  const shop = await world.newStore()
  const old = shop.store.slug
  await rename(shop, newSlug())
  await world.app.db.transaction((tx) => setStatus(tx, shop.store.id, 'closed'))
  for (const path of [`/s/${old}`, `/storefront/${old}`, '/s/a%00b', '/storefront/a%00b', '/s/UPPER', '/s/nobody']) {
    assert.deepEqual(await leadsTo(path), [404, null], path)
  }
  const other = await world.newStore()
  assert.deepEqual((await rename(other, old))[0], 409)
})

test('of 40 stores that want a slug while it is given up nobody gets it', async () => {
  const shop = await world.newStore()
  const others = await Promise.all(Array.from({ length: 8 }, () => world.newStore()))
  const old = shop.store.slug
  const next = newSlug()
  const answers = await Promise.all([
    rename(shop, next),
    ...Array.from({ length: 40 }, (_, index) =>
      index % 2
        ? rename(others[index % 8]!, old)
        : openShop({ name: 'Shop', slug: old }).catch(({ status }) => [status]),
    ),
  ])
  assert.equal(answers[0], next)
  assert.deepEqual([...new Set(answers.slice(1).map((answer) => (answer as any[])[0]))], [409])
})

test('a store whose name is long is found below the slug made of it', async () => {
  const name = `${newUuid()} `.repeat(3).trim()
  for (const slug of [await openShop({ name }), await openShop({ name })]) {
    assert.ok(slug.length <= 63)
    assert.deepEqual(await leadsTo(`/s/${slug}`), [200, null])
  }
})
