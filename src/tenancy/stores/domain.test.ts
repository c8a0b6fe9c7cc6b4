import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getAtHost } from '../../../test/host.ts'
import { answering } from '../../../test/strangers.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'

/** DNS records by name; other names do not exist. */
const dns = new Map<string, string[] | 'broken'>()

const world = await openWorld(
  {},
  {
    network: {
      resolver: {
        ...answering(['93.184.216.34']),
        async resolveTxt(name) {
          const texts = dns.get(name)
          if (texts === 'broken') throw Object.assign(new Error('no'), { code: 'ESERVFAIL' })
          if (!texts) throw Object.assign(new Error('no'), { code: 'ENOTFOUND' })
          // Long TXT records are split into parts.
          return texts.map((text) => [text.slice(0, 20), text.slice(20)])
        },
      },
    },
  },
)

let count = 0
const newDomain = () => `shop${++count}.example.com`

const visit = (host: string, path?: string, headers?: Record<string, string>) => getAtHost(world, host, path, headers)

async function withDomain(shop: TestStore): Promise<string> {
  const custom_domain = newDomain()
  assert.equal((await shop.api.patch('/v1/store', { custom_domain })).status, 200)
  const { record } = (await shop.api.get('/v1/store/domain')).data
  dns.set(record.name, ['v=spf1 -all', record.value])
  return custom_domain
}

const verify = ({ api }: TestStore, custom_domain: unknown) => api.post('/v1/store/verify-domain', { custom_domain })

test('a domain is verified by a TXT record that only its store knows', async () => {
  const shop = await world.newStore()
  const none = { custom_domain: null, domain_verified: false, record: null }
  assert.deepEqual((await shop.api.get('/v1/store/domain')).data, none)
  const domain = newDomain()
  await shop.api.patch('/v1/store', { custom_domain: domain })
  const { record, ...rest } = (await shop.api.get('/v1/store/domain')).data
  assert.deepEqual(rest, { custom_domain: domain, domain_verified: false })
  assert.deepEqual([record.type, record.name], ['TXT', `_stoa.${domain}`])
  assert.match(record.value, /^stoa-verification=[\w-]{43}$/)

  const missing = await verify(shop, domain)
  assert.deepEqual(
    [missing.status, missing.error.details],
    [422, [{ field: 'custom_domain', message: `has no TXT record ${record.value} at ${record.name}` }]],
  )
  dns.set(record.name, ['v=spf1 -all', record.value])
  const { status, data } = await verify(shop, domain)
  assert.deepEqual([status, data.domain_verified, data.storefront_url], [200, true, `https://${domain}`])
  assert.equal((await verify(shop, domain)).status, 200)
  assert.equal((await shop.api.get('/v1/store/domain')).data.domain_verified, true)

  const other = newDomain()
  const changed = (await shop.api.patch('/v1/store', { custom_domain: other })).data
  assert.equal(changed.domain_verified, false)
  assert.equal(changed.storefront_url, `https://shop.example/s/${shop.store.slug}`)
  const foreign = await world.newStore()
  await foreign.api.patch('/v1/store', { custom_domain: domain })
  assert.equal((await verify(foreign, domain)).status, 422)
})

test('what is no domain of the store, or cannot be looked up, is not verified', async () => {
  const shop = await world.newStore()
  const domain = await withDomain(shop)
  const messageOf = async (given: unknown) => {
    const { status, error } = await verify(shop, given)
    assert.equal(status, 422)
    return error.details.map(({ field, message }: any) => `${field} ${message}`).join()
  }
  assert.match(await messageOf(undefined), /^custom_domain is required/)
  assert.match(await messageOf('no domain'), /^custom_domain must match/)
  const other = await world.newStore()
  assert.match(await messageOf(await withDomain(other)), /has no TXT record/)
  dns.set(`_stoa.${domain}`, 'broken')
  assert.equal(await messageOf(domain), 'custom_domain could not be looked up (ESERVFAIL); try again later')
})

test('a domain needs its feature of the plan', async () => {
  const { api } = await world.newStore({ plan: 'free' })
  const body = { custom_domain: 'shop.example.com' }
  const answers = [await api.get('/v1/store/domain'), await api.post('/v1/store/verify-domain', body)]
  for (const { status, error } of answers) {
    assert.deepEqual([status, error.details], [403, { feature: 'custom_domain' }])
  }
})

test('the shop answers at its verified domain, with its cookies and addresses there', async () => {
  const shop = await world.newStore({ name: 'Casa Nogal' })
  await shop.api.post('/v1/products', { name: 'Mug', price: 14 })
  const domain = await withDomain(shop)
  assert.equal((await visit(domain)).status, 404)
  await verify(shop, domain)
  const home = await visit(`${domain.toUpperCase()}:8443`)
  assert.equal(home.status, 200)
  assert.match(home.text, /href="\/products\/mug"/)
  assert.match(home.text, new RegExp(`<link rel="canonical" href="https://${domain}">`))
  assert.doesNotMatch(home.text, new RegExp(`/s/${shop.store.slug}`))
  assert.equal(
    (await visit(domain, '/products/mug?lang=es')).headers['set-cookie']?.toString(),
    'stoa_lang=es; Max-Age=31536000; Path=/; HttpOnly; Secure; SameSite=Lax',
  )
  assert.match((await visit(domain, '/nothing')).text, /Page not found/)
  const style = /"(\/s\/_\/[^"]+\.css)"/.exec(home.text)![1]!
  assert.equal((await visit(domain, style)).status, 200)
  // The page is still available under its slug, with the domain as its canonical URL.
  const below = await visit('127.0.0.1', `/s/${shop.store.slug}`)
  assert.match(below.text, new RegExp(`<link rel="canonical" href="https://${domain}">`))

  await shop.api.patch('/v1/store', { maintenance_mode: true })
  const shut = await visit(domain)
  assert.deepEqual([shut.status, /<h1>Casa Nogal</.test(shut.text)], [503, true])
})

test("a domain that is nobody's, or the service's own, shows no shop", async () => {
  const own = ['shop.example', '127.0.0.1', '[::1]', 'localhost']
  for (const host of [...own, 'nobody.example.com', 'a..b', "x'; drop.com", `${'x'.repeat(300)}.com`]) {
    assert.equal((await visit(host, '/cart')).status, 404, host)
    // The service's own host shows its home page; unknown hosts show nothing.
    assert.equal((await visit(host)).status, own.includes(host) ? 200 : 404, host)
  }
  assert.match((await visit('nobody.example.com', '/', { accept: 'text/html' })).text, /Page not found/)
  assert.match((await visit('nobody.example.com', '/v9/x')).text, /"NOT_FOUND"/)
  assert.equal((await visit('nobody.example.com', '/healthz')).status, 200)
})

test('naming a domain takes it from nobody: it belongs to the store that proves it first', async () => {
  const [owner, other] = await Promise.all([world.newStore(), world.newStore()])
  const domain = await withDomain(owner)
  assert.equal((await other.api.patch('/v1/store', { custom_domain: domain })).status, 200)
  assert.equal((await verify(owner, domain)).status, 200)
  const { record } = (await other.api.get('/v1/store/domain')).data
  dns.set(record.name, [record.value])
  const refused = await verify(other, domain)
  assert.deepEqual([refused.status, refused.error.message], [409, `The domain ${domain} belongs to another store`])
  assert.equal((await owner.api.get('/v1/store/domain')).data.domain_verified, true)
})
