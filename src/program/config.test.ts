import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigurationError } from '../kit/values/configuration.ts'
import { buildBaseUrl, describeConfig, readConfig, buildShopUrl } from './config.ts'

test('unset and empty variables have their defaults', () => {
  const { PORT, HOST, DATABASE_URL, WORKERS, DEMO, WEBHOOK_ALLOWED_NETWORKS } = readConfig({ PORT: '', WORKERS: ' ' })
  assert.deepEqual(
    [PORT, HOST, DATABASE_URL, WORKERS, DEMO, WEBHOOK_ALLOWED_NETWORKS],
    [4000, '127.0.0.1', null, 1, 'on', []],
  )
})

test('every wrong variable is reported with its form, without secrets', () => {
  const wrong = {
    PORT: '65536',
    BASE_URL: 'ftp://x',
    DATABASE_URL: 'mysql://a:hunter2@b',
    DATABASE_REPLICA_URL: 'postgresql://a@b, mysql://a:hunter2@b',
    WORKERS: '0',
    CACHE_MAX_MB: '999999999',
    DEMO: 'yes',
    LOG_LEVEL: 'loud',
    WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/99',
    SECRET_KEY: 'hunter2',
    CHECKOUT_SWEEP_EVERY_S: '1.5',
  }
  assert.throws(
    () => readConfig(wrong),
    (error: Error) => {
      assert.ok(error instanceof ConfigurationError)
      const named = [...error.message.matchAll(/^  ([A-Z_]+) is .+, but must be .+$/gm)].map(([, name]) => name!)
      assert.deepEqual(named.sort(), Object.keys(wrong).sort())
      assert.doesNotMatch(error.message, /hunter2/)
      return true
    },
  )
})

test('read replicas are of an external database that is not distributed', () => {
  const DATABASE_REPLICA_URL = 'postgresql://one/stoa, postgresql://two/stoa'
  const DATABASE_URL = 'postgresql://primary/stoa'
  const urls = ['postgresql://one/stoa', 'postgresql://two/stoa']
  assert.deepEqual(readConfig({ DATABASE_URL, DATABASE_REPLICA_URL }).DATABASE_REPLICA_URL, urls)
  assert.throws(() => readConfig({ DATABASE_REPLICA_URL }), /DATABASE_URL is unset/)
  assert.throws(() => readConfig({ DATABASE_URL, DATABASE_REPLICA_URL, DISTRIBUTED: 'on' }), /DISTRIBUTED is on/)
})

test('the addresses of the site are kept in one form', () => {
  for (const [given, kept] of [
    ['HTTPS://Auth.Example:443/', 'https://auth.example'],
    ['http://localhost:4000/auth/x/', 'http://localhost:4000/auth/x'],
  ] as const)
    assert.equal(readConfig({ AUTH_URL: given }).AUTH_URL, kept)
})

for (const wrong of [
  { AUTH_URL: 'https://a.example/?x=1' },
  { AUTH_URL: 'https://user:word@a.example' },
  { BASE_URL: 'https://a.example/#x' },
  { BASE_URL: 'https://a.example/a//b' },
  { BASE_URL: 'https://a.example/shop' },
  { AUTH_URL: 'https://a.example/:x' },
  { TRUSTED_PROXIES: 'proxy' },
  { HOST: '300.1.1.1' },
  { HOST: 'a host' },
  { HOST: 'localhost/x' },
  { HOST: 'localhost:4000' },
  { HOST: '[::1]' },
  { TRUSTED_PROXIES: '10.0.0.0/99' },
  { TRUSTED_PROXIES: '127.0.0.1, *' },
]) {
  test(`${JSON.stringify(wrong)} is rejected at the start`, () => {
    assert.throws(() => readConfig(wrong), new RegExp(`${Object.keys(wrong)[0]} is`))
  })
}

test('a bucket without its key or its secret is rejected at the start, before pictures go elsewhere', () => {
  const bucket = { MEDIA_S3_URL: 'https://s3.example/bucket', MEDIA_S3_KEY: 'key', MEDIA_S3_SECRET: 'secret' }
  assert.equal(readConfig(bucket).MEDIA_S3_URL, bucket.MEDIA_S3_URL)
  for (const name of ['MEDIA_S3_KEY', 'MEDIA_S3_SECRET']) {
    const refused = new RegExp(`^  ${name} is unset, but must be an? .+ of MEDIA_S3_URL$`, 'm')
    for (const text of [undefined, ' ']) assert.throws(() => readConfig({ ...bucket, [name]: text }), refused)
  }
})

test('proxies are addresses, networks or their names', () => {
  const { TRUSTED_PROXIES } = readConfig({ TRUSTED_PROXIES: '10.0.0.1, fd00::/8,loopback' })
  assert.deepEqual(TRUSTED_PROXIES, ['10.0.0.1', 'fd00::/8', 'loopback'])
})

test('every variable has a sentence and a form', () => {
  for (const { name, form, about } of describeConfig()) {
    assert.ok(form.length > 0, name)
    assert.match(about, /^[A-Z].+\.$/, name)
  }
})

const baseUrls: [environment: Record<string, string>, url: string][] = [
  [{}, 'http://localhost:4000'],
  [{ BASE_URL: 'https://shop.example/', HOST: '0.0.0.0' }, 'https://shop.example'],
  [{ HOST: '0.0.0.0', PORT: '80' }, 'http://localhost:80'],
  [{ HOST: '::' }, 'http://localhost:4000'],
  [{ HOST: '::1' }, 'http://[::1]:4000'],
  [{ HOST: 'shop.local' }, 'http://shop.local:4000'],
]
for (const [environment, url] of baseUrls) {
  test(`with ${JSON.stringify(environment)} clients reach it at ${url}`, () => {
    assert.equal(buildBaseUrl(readConfig(environment)), url)
  })
}

test('the address of a store is below BASE_URL, or has a host below SHOPS_HOST', () => {
  const url = (environment: Record<string, string>) => buildShopUrl(readConfig(environment))
  assert.equal(url({}), 'http://localhost:4000/s/*')
  assert.equal(url({ SHOPS_HOST: 'localhost' }), 'http://*.localhost:4000')
  const BASE_URL = 'https://stoa.example:8443'
  assert.equal(url({ BASE_URL, SHOPS_HOST: 'Shops.example' }), 'https://*.shops.example:8443')
  assert.equal(url({ BASE_URL, SHOPS_HOST: 'stoa.example' }), 'https://*.stoa.example:8443')
  for (const wrong of ['https://shops.example', 'shops.example:80', 'a b', '.', '10.0.0.1', '[::1]', 'shops.example/'])
    assert.throws(() => readConfig({ SHOPS_HOST: wrong }), /SHOPS_HOST is .+, but must be a host name/, wrong)
  const below = { BASE_URL: 'https://api.shops.example', SHOPS_HOST: 'shops.example' }
  assert.throws(() => readConfig(below), /SHOPS_HOST is "shops.example", but https:\/\/api.shops.example would then be/)
})
