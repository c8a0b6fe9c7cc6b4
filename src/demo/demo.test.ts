import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import sharp from 'sharp'
import { newDatabase } from '../../test/database.ts'
import { folderStorage } from '../commerce/media/folder.ts'
import { listPictureFiles, buildPictureFolder } from '../commerce/media/picture.ts'
import { findFirstStore, createDemo } from './firststore.ts'
import { renderPictures } from './renderer.ts'
import { allPictures } from './pictures.ts'

const secretKey = 'a key of the tests, 32 characters'
const baseUrl = 'https://shop.example'
const dayMs = 86_400_000

test('the demo is a store that has sold for 30 days, up to now and not beyond', async (t) => {
  const { url, one } = await openDatabase(t)
  const began = Date.now()
  const { id } = await createDemo(url, { secretKey, baseUrl })
  const counters = await one(`
    select products_active, products_draft, categories, discounts, webhooks,
           orders > 40 as sells, customers > 15 as has_customers
    from store_counters where store_id = '${id}'`)
  assert.deepEqual(counters, {
    products_active: 24,
    products_draft: 1,
    categories: 6,
    discounts: 3,
    webhooks: 1,
    sells: true,
    has_customers: true,
  })
  const orders = await one(`
    select min(created_at) as first, max(created_at) as last, count(distinct created_at::date)::int as days,
      count(distinct status)::int as statuses, count(distinct payment_status)::int as payments
    from orders where store_id = '${id}'`)
  assert.ok(began - orders.first.getTime() > 28 * dayMs && began - orders.first.getTime() < 30 * dayMs)
  assert.ok(began - orders.last.getTime() < dayMs && orders.last <= new Date())
  assert.ok(orders.days > 24 && orders.statuses >= 3 && orders.payments >= 2)
  const sent = `select count(*)::int as orders from orders where store_id = '${id}' and status = 'completed'`
  assert.deepEqual(await one(`${sent} and fulfillment_status <> 'fulfilled'`), { orders: 0 })
  for (const table of ['products', 'orders', 'customers', 'discounts', 'inventory_transactions', 'events']) {
    const column = table === 'events' ? 'occurred_at' : 'created_at'
    const { late } = await one(`select count(*)::int as late from ${table} where ${column} > now()`)
    assert.equal(late, 0, table)
  }
})

test('two carts were left, and one order waits for a receiver that is away', async (t) => {
  const { url, one } = await openDatabase(t)
  const { id } = await createDemo(url, { secretKey, baseUrl })
  const carts = `
    from checkouts
    where store_id = '${id}'
      and status = 'active'
      and due_at < now()
      and customer_email is not null`
  assert.deepEqual(await one(`select count(*)::int as carts ${carts}`), { carts: 2 })
  assert.deepEqual(await one('select count(*)::int as pending, min(status) as status from deliveries'), {
    pending: 1,
    status: 'pending',
  })
})

test('a first start makes the demo once, and a key only for somebody who reads it', async (t) => {
  const { url, one } = await openDatabase(t)
  const find = (more: { demo: boolean; showsKey: boolean }) => findFirstStore(url, { secretKey, baseUrl, ...more })
  assert.equal((await find({ demo: false, showsKey: true })).store, null)
  const { store, postgres } = await find({ demo: true, showsKey: true })
  assert.match(postgres, /^18/)
  assert.equal(store!.name, 'Harbour & Pine')
  assert.match(store!.access!.key, /^wk_test_/)
  assert.match(store!.access!.signInLink, /^[0-9A-Za-z]{43}$/)
  assert.deepEqual((await find({ demo: true, showsKey: true })).store, { ...store, access: null })
  assert.deepEqual(await one('select count(*)::int as stores from stores'), { stores: 1 })
})

test('without a reader no key is made', async (t) => {
  const { url, one } = await openDatabase(t)
  assert.equal((await findFirstStore(url, { secretKey, baseUrl, demo: true, showsKey: false })).store!.access, null)
  assert.deepEqual(await one('select count(*)::int as keys from api_keys'), { keys: 0 })
})

test('a first start that ends in the middle of the demo leaves nothing, and the next one makes it whole', async (t) => {
  const { url, one } = await openDatabase(t)
  const find = () => findFirstStore(url, { secretKey, baseUrl, demo: true, showsKey: true })
  // Webhooks come when most of the rest is there.
  await one(`create function stop() returns trigger language plpgsql as $$ begin raise 'stopped'; end $$`)
  await one('create trigger stop before insert on webhooks execute function stop()')
  assert.match(String((await find()).problem), /stopped/)
  for (const table of ['stores', 'products', 'orders', 'events', 'users']) {
    assert.deepEqual(await one(`select count(*)::int as rows from ${table}`), { rows: 0 }, table)
  }
  await one('drop trigger stop on webhooks')
  const { store } = await find()
  assert.equal(store!.slug, 'harbour-and-pine')
  assert.deepEqual(await one('select orders > 40 as sells, webhooks, api_keys from store_counters'), {
    sells: true,
    webhooks: 1,
    api_keys: 1,
  })
})

test('of two first starts at once one makes the demo, and both find it', async (t) => {
  const { url, one } = await openDatabase(t)
  const find = () => findFirstStore(url, { secretKey, baseUrl, demo: true, showsKey: true })
  const [a, b] = await Promise.all([find(), find()])
  assert.equal(a.store!.id, b.store!.id)
  assert.equal([a, b].filter(({ store }) => store!.access).length, 1)
  assert.deepEqual(await one('select count(*)::int as stores from stores'), { stores: 1 })
})

test('every product, the opening and the offer are drawn, in every size', async (t) => {
  const { url, one } = await openDatabase(t)
  const folder = await newFolder(t)
  const { id } = await createDemo(url, { secretKey, baseUrl })
  const counts = `
    select count(*)::int as pictures, count(*) filter (where status = 'ready')::int as ready,
      (select count(*)::int from products where main_image is null and product_status = 'active') as without,
      (select hero_image like 'https://shop.example/media/%' from stores) as opens,
      (select image like '%/media/%' from order_bumps) as offers
    from media where store_id = '${id}'`
  const before = await one(counts)
  assert.deepEqual(before, { pictures: allPictures().length, ready: 0, without: 0, opens: true, offers: true })
  await renderPictures(url, folderStorage(folder))
  assert.deepEqual(await one(counts), { ...before, ready: before.pictures })
  for (const picture of allPictures()) {
    for (const { file, width, type } of listPictureFiles(picture)) {
      const found = await sharp(path.join(folder, buildPictureFolder(id, picture), file)).metadata()
      assert.deepEqual([found.width, found.format], [width, type], `${picture.alt} ${file}`)
    }
  }
})

test('what a start that was ended had not drawn yet, the next one draws', async (t) => {
  const { url, one } = await openDatabase(t)
  const storage = folderStorage(await newFolder(t))
  await createDemo(url, { secretKey, baseUrl })
  const ready = `select count(*)::int as ready from media where status = 'ready'`
  const ending = new AbortController()
  const put: typeof storage.put = async (...file) => {
    await storage.put(...file)
    if ((await one(ready)).ready === 2) ending.abort()
  }
  await assert.rejects(renderPictures(url, { ...storage, put }, { signal: ending.signal }), /has exited/)
  const { ready: drawn } = await one(ready)
  assert.ok(drawn >= 2 && drawn < allPictures().length, `${drawn}`)
  // The job that takes up what uploads left found no file to make them of.
  await one(`update media set status = 'failed' where status = 'processing' returning 1`)
  await renderPictures(url, storage)
  assert.deepEqual(await one(ready), { ready: allPictures().length })
  await renderPictures(url, { ...storage, put: () => assert.fail('nothing is left to draw') })
})

test('the demo has a look, pages, policies and menus whose links lead somewhere', async (t) => {
  const { url, one } = await openDatabase(t)
  await createDemo(url, { secretKey, baseUrl })
  const { kinds, slugs, links, look } = await one(`
    select (select array_agg(kind order by kind) from pages) as kinds,
      (select array_agg('/pages/' || slug) from pages) || (select array_agg('/categories/' || slug) from categories)
        || (select array_agg('/products/' || slug) from products) as slugs,
      (select array_agg(entry->>'link') from json_array_elements(header_menu) as entry)
        || (select array_agg(entry->>'link') from json_array_elements(footer_menu) as entry)
        || announcement_link as links,
      accent_color is not null and contact_email is not null and legal_name is not null as look
    from stores`)
  assert.deepEqual(kinds, ['page', 'privacy', 'returns', 'shipping', 'terms'])
  assert.deepEqual(
    links.filter((link: string) => !slugs.includes(link)),
    [],
  )
  assert.equal(look, true)
})

async function newFolder(t: { after(hook: () => Promise<void>): void }): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'stoa-demo-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function openDatabase(t: { after(hook: () => Promise<void>): void }) {
  const url = await newDatabase(t)
  return {
    url,
    async one(text: string): Promise<any> {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        return (await client.query(text)).rows[0]
      } finally {
        await client.end()
      }
    },
  }
}
