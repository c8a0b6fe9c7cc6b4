import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type * as Sdk from '../../sdk/typescript/src/index.ts'
import { generated } from '../../sdk/generate.ts'
import { root } from '../server.ts'
import { openWorld } from '../world.ts'
import { complaintsOf, installedPackage } from './packed.ts'
import { proxied as proxiedServer, type Instead } from './proxied.ts'

const world = await openWorld()
const folder = await installedPackage()
const sdk: typeof Sdk = await import(path.join(folder, 'node_modules/@stoa-commerce/sdk/dist/index.js'))

async function newShop(): Promise<{ stoa: Sdk.Stoa; key: string }> {
  const { api } = await world.newStore()
  return { stoa: new sdk.Stoa({ url: world.url, key: api.key }), key: api.key }
}

test('the generated files are those of the route table', () => {
  for (const [file, text] of Object.entries(generated())) {
    assert.ok(readFileSync(path.join(root, 'sdk', file), 'utf8') === text, `sdk/${file} is old: run npm run sdk`)
  }
})

test('the runtime code takes at most 8 KB, compressed, and imports nothing', () => {
  const files = globSync(path.join(folder, 'node_modules/@stoa-commerce/sdk/dist/*.js'))
  const readAll = (paths: string[]) => paths.map((file) => readFileSync(file, 'utf8')).join('\n')
  const code = readAll(files)
  // The program stoa-listen is beside the library, which does not import it.
  const library = readAll(files.filter((file) => path.basename(file) !== 'listen.js'))
  assert.ok(gzipSync(library, { level: 9 }).length <= 8192)
  assert.doesNotMatch(library, /listen\.js/)
  assert.deepEqual(
    [...code.matchAll(/from '([^']+)'/g)].map(([, from]) => from).filter((from) => !from!.startsWith('./')),
    [],
  )
})

test('a program compiles against the package, and mistakes do not', async () => {
  const program = `
    import { Stoa, ValidationError, type Product, type WebhookEvent } from '@stoa-commerce/sdk'
    const stoa = new Stoa({ url: '', key: '' })
    export async function use(event: WebhookEvent) {
      const { data, pagination } = await stoa.products.list({ 'price[gte]': 10, sort: 'price' })
      const [first]: Product[] = data
      for await (const order of stoa.orders.list({ status: 'pending' })) order.items[0]!.quantity satisfies number
      const dry = await stoa.products.update(first!.id, { price: 1 }, { dryRun: true })
      dry.rehearsal.stock_movements satisfies object[] | undefined
      const real = await stoa.products.update(first!.id, { price: 1 }, { ifMatch: first! })
      if (event.event === 'order.created') event.body.order.order_number satisfies number
      for await (const each of stoa.events.after(0, { types: ['order.created'] })) each.sequence satisfies number
      return [pagination.total, real.price, ValidationError]
    }`
  const wrong = `
    import { Stoa } from '@stoa-commerce/sdk'
    const stoa = new Stoa({ url: '', key: '' })
    export const mistakes = [
      // @ts-expect-error price is missing
      () => stoa.products.create({ name: 'Mug' }),
      // @ts-expect-error there is no such order
      () => stoa.products.list({ sort: 'color' }),
      // @ts-expect-error it was executed, and has no rehearsal
      () => stoa.products.delete('prod_1').then(({ rehearsal }) => rehearsal),
    ]`
  assert.equal(await complaintsOf(folder, { 'use.ts': program, 'wrong.ts': wrong }), '')
})

test('a list is awaited for a page, and iterated for all of them', async () => {
  const { stoa } = await newShop()
  for (const name of ['A', 'B', 'C', 'D', 'E']) await stoa.products.create({ name, price: 10 })
  const query = { sort: 'name', order: 'asc', per_page: 2 } as const
  const { data, pagination } = await stoa.products.list(query)
  assert.deepEqual([data.map(({ name }) => name), pagination.total_pages], [['A', 'B'], 3])
  const names: string[] = []
  for await (const { name } of stoa.products.list(query)) names.push(name)
  assert.deepEqual(names, ['A', 'B', 'C', 'D', 'E'])
})

test('a loop that changes what it filters by, while others are added, meets each record once', async () => {
  const { stoa } = await newShop()
  const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G']
  for (const name of names) await stoa.products.create({ name, price: 10, product_status: 'draft' })
  const met: string[] = []
  for await (const { id, name } of stoa.products.list({ status: 'draft', per_page: 2 })) {
    met.push(name)
    world.clock.advance(1)
    await stoa.products.create({ name: `${name}2`, price: 10, product_status: 'draft' })
    await stoa.products.update(id, { product_status: 'active' })
  }
  assert.deepEqual(met.toSorted(), names)
})

test('a refusal is an error of its code, with all faults', async () => {
  const { stoa } = await newShop()
  await assert.rejects(stoa.products.create({ name: '', price: 0 }), (error) => {
    assert.ok(error instanceof sdk.ValidationError && error instanceof sdk.StoaError)
    assert.deepEqual([error.status, error.code, error.name], [422, 'VALIDATION_ERROR', 'ValidationError'])
    assert.deepEqual(error.faults.map(({ field }) => field).sort(), ['name', 'price'])
    assert.ok(error.requestId && error.message.includes('price must be greater than 0'))
    return true
  })
  await assert.rejects(stoa.orders.get('ord_none'), sdk.NotFoundError)
  await assert.rejects(new sdk.Stoa({ url: world.url, key: 'wk_live_no' }).store.get(), sdk.AuthenticationError)
  assert.throws(() => stoa.products.delete(''), TypeError)
  assert.throws(() => stoa.products.delete('..'), TypeError)
})

test('a change is refused if the record is not as it was read', async () => {
  const { stoa } = await newShop()
  const read = await stoa.products.create({ name: 'Mug', price: 10 })
  const changed = await stoa.products.update(read.id, { price: 11 }, { ifMatch: read })
  await assert.rejects(stoa.products.update(read.id, { price: 12 }, { ifMatch: read }), sdk.PreconditionError)
  const again = await stoa.products.update(read.id, { price: 12 }, { ifMatch: changed })
  assert.equal(again.price, 12)
  const { data } = await stoa.products.list()
  await assert.rejects(stoa.products.delete(read.id, { ifMatch: data[0]! }), TypeError)
})

test('a dry run answers with its effects, and changes nothing', async () => {
  const { stoa } = await newShop()
  const { id } = await stoa.products.create({ name: 'Mug', price: 10 })
  const { data, rehearsal } = await stoa.products.update(id, { price: 11 }, { dryRun: true })
  assert.deepEqual([data.price, rehearsal.events?.map(({ event }) => event)], [11, ['product.updated']])
  assert.equal((await stoa.products.get(id)).price, 10)
})

test('a dry run that was executed after all is an error', async () => {
  const { key } = await newShop()
  const { url } = await proxied(() => null)
  const dry = new sdk.Stoa({ url, key }).categories.create({ name: 'Mugs' }, { dryRun: true })
  await assert.rejects(dry, { code: 'NO_DRY_RUN' })
})

const proxied = (answer: (attempt: number) => Instead) => proxiedServer(world.url, answer)

test('a write whose answer is lost is repeated with its key, and done once', async () => {
  const { stoa, key } = await newShop()
  const { url, seen } = await proxied((attempt) => (attempt === 1 ? 'lost' : attempt === 2 ? { status: 502 } : null))
  const careful = new sdk.Stoa({ url, key })
  const { name } = await careful.products.create({ name: 'Once', price: 10 })
  assert.equal(name, 'Once')
  assert.equal((await stoa.products.list()).pagination.total, 1)
  assert.equal(seen.length, 3)
  assert.equal(new Set(seen.map((headers) => headers['idempotency-key'])).size, 1)
})

test('429 is repeated after Retry-After, other refusals never, and a long wait is the error', async () => {
  const { key } = await newShop()
  const limited = await proxied((attempt) => (attempt === 1 ? { status: 429, headers: { 'retry-after': '0' } } : null))
  await new sdk.Stoa({ url: limited.url, key }).store.get()
  assert.equal(limited.seen.length, 2)
  const late = await proxied(() => ({ status: 429, headers: { 'retry-after': '3600' } }))
  await assert.rejects(new sdk.Stoa({ url: late.url, key }).store.get(), (error) => {
    assert.ok(error instanceof sdk.RateLimitError && error.retryAfterSeconds === 3600)
    return true
  })
  const refused = await proxied(() => ({ status: 418 }))
  await assert.rejects(new sdk.Stoa({ url: refused.url, key }).store.get(), { code: 'HTTP_418' })
  const down = await proxied(() => ({ status: 503 }))
  await assert.rejects(new sdk.Stoa({ url: down.url, key, retries: 1 }).store.get(), sdk.UnavailableError)
  assert.deepEqual(
    [late, refused, down].map(({ seen }) => seen.length),
    [1, 1, 2],
  )
})

test("a shopper's write has no key, so only a refusal is repeated; the API key is not sent", async () => {
  const { url, seen } = await proxied(() => ({ status: 500 }))
  const stoa = new sdk.Stoa({ url, key: 'wk_live_secret' })
  await assert.rejects(stoa.storefront.checkouts.create('shop', { items: [] }), sdk.UnavailableError)
  assert.deepEqual([seen.length, seen[0]!['x-api-key'], seen[0]!['idempotency-key']], [1, undefined, undefined])
})

test('a redirect does not carry the key away', async () => {
  const { url, seen } = await proxied(() => ({ status: 302, headers: { location: world.url } }))
  await assert.rejects(new sdk.Stoa({ url, key: 'wk_live_secret', retries: 0 }).store.get(), sdk.ConnectionError)
  assert.equal(seen.length, 1)
})

test('the feed goes on after failures, and where the last loop ended', async () => {
  const { stoa, key } = await newShop()
  for (const name of ['A', 'B', 'C']) await stoa.products.create({ name, price: 10 })
  const { url } = await proxied((attempt) => (attempt % 2 === 1 ? 'lost' : null))
  const feed = new sdk.Stoa({ url, key, retries: 0 }).events.after(0, { waitSeconds: 1 })
  const names: string[] = []
  for await (const { event, body } of feed) {
    if (event === 'product.created') names.push(body!.product.name)
    if (names.length === 2) break
  }
  assert.equal(feed.position, 1)
  const made = stoa.products.create({ name: 'D', price: 10 })
  for await (const { event, body } of feed) {
    if (event === 'product.created') names.push(body!.product.name)
    if (names.at(-1) === 'D') break
  }
  await made
  assert.deepEqual(names, ['A', 'B', 'B', 'C', 'D'])
})

test('the feed ends with the signal, and with an error that does not pass', async () => {
  const { stoa } = await newShop()
  const end = new AbortController()
  const reading = stoa.events.after(0, { signal: end.signal })[Symbol.asyncIterator]().next()
  end.abort(new Error('enough'))
  await assert.rejects(reading, /enough/)
  await assert.rejects(stoa.events.after(99)[Symbol.asyncIterator]().next(), sdk.ValidationError)
})

const secret = 'a secret of sixteen'
const body = '{"event_id":"prod_1","product":{"id":"prod_1"}}'
const now = 1_772_366_400_000

function signed(over: Record<string, string> = {}, text = body, key = secret) {
  const timestamp = over['X-Webhook-Timestamp'] ?? '1772366400'
  const signature = createHmac('sha256', key).update(`${timestamp}.${text}`).digest('hex')
  const headers = { 'X-Webhook-Id': 'dlv_1', 'X-Webhook-Event': 'product.deleted', 'X-Webhook-Timestamp': timestamp }
  return { ...headers, 'X-Webhook-Signature': signature, 'X-Webhook-Sequence': '7', ...over }
}

test('a webhook is verified, also in the day after a rotation', async () => {
  const {
    event,
    id,
    sequence,
    isTest,
    body: payload,
  } = await sdk.verifyWebhook({ secret, headers: signed(), body, now })
  assert.deepEqual([event, id, sequence, isTest], ['product.deleted', 'dlv_1', 7, false])
  assert.equal((payload as { event_id: string }).event_id, 'prod_1')
  const previous = signed()['X-Webhook-Signature']
  const rotated = new Headers(signed({ 'X-Webhook-Signature-Previous': previous }, body, 'the new secret'))
  await sdk.verifyWebhook({ secret, headers: rotated, body: new TextEncoder().encode(body), now })
  await sdk.verifyWebhook({ secret: ['the new secret', secret], headers: signed(), body, now })
})

test('a webhook that fails says which check failed, and why', async () => {
  const cases: [Partial<Sdk.WebhookRequest>, Sdk.WebhookCheck, RegExp][] = [
    [{ headers: {} }, 'header', /X-Webhook-Id is missing/],
    [{ body: JSON.parse(body) }, 'body', /pass the raw body/],
    [{ headers: signed({ 'X-Webhook-Timestamp': 'today' }) }, 'timestamp', /not in seconds: today/],
    [{ now: now + 301_000 }, 'timestamp', /301 seconds old, more than 300/],
    [{ now: now - 301_000 }, 'timestamp', /301 seconds ahead/],
    [{ headers: signed({ 'X-Webhook-Signature': 'abc' }) }, 'signature', /not 64 hexadecimal digits/],
    [{ secret: '' }, 'signature', /the secret is empty/],
    [{ secret: `${secret}\n` }, 'signature', /spaces or a line break/],
    [{ body: JSON.stringify(JSON.parse(body), null, 2) }, 'signature', /changed on the way/],
    [{ secret: 'another secret' }, 'signature', /that of another webhook/],
    [{ headers: signed({}, 'no json'), body: 'no json' }, 'json', /not JSON/],
  ]
  for (const [change, check, message] of cases) {
    const failure = await sdk.verifyWebhook({ secret, headers: signed(), body, now, ...change }).catch((error) => error)
    assert.ok(failure instanceof sdk.WebhookError, `${message}`)
    assert.equal(failure.check, check)
    assert.match(failure.message, message)
  }
})
