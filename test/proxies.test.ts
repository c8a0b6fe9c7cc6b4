// The proxies and poolers of docs/guides. A stand-in sends what the configuration of a proxy says; where the program is
// installed, it also reads the configuration.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { openDatabase } from '../src/kit/database/open.ts'
import { sql } from '../src/kit/database/sql.ts'
import { systemClock } from '../src/kit/values/clock.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { diagnose } from '../src/program/cli/doctor.ts'
import { readConfig } from '../src/program/config.ts'
import { databaseUrl } from './database.ts'
import { getAtHost } from './host.ts'
import { pathOf, search } from './programs.ts'
import { newDataDir, root } from './server.ts'
import { openWorld, secretKey } from './world.ts'

const world = await openWorld({ SHOPS_HOST: 'shops.example.com', TRUSTED_PROXIES: '127.0.0.1' })
const guide = readFileSync(path.join(root, 'docs/guides/deploying.md'), 'utf8')
const [nginx, caddy] = [readBlock('nginx'), readBlock('caddyfile')]
const client = '203.0.113.9'

type Headers = Record<string, string>

/** The headers that each sends for a request to `host` by HTTPS. */
const proxies: Record<string, (host: string) => Headers> = {
  nginx: (host) => readNginxHeaders({ $host: host, $proxy_add_x_forwarded_for: client, $scheme: 'https' }),
  // Caddy passes Host on, and adds these.
  Caddy: (host) => ({ host, ...addedByCaddy(host, 'https') }),
}

for (const [name, headersFor] of Object.entries(proxies)) {
  test(`${name} passes on the API, the pages of each store's host, and the client's address`, async () => {
    const { api, store } = await world.newStore()
    const get = (host: string, address: string, more: Headers = {}) =>
      getAtHost(world, host, address, { ...headersFor(host), ...more })
    const list = await get('shop.example.com', '/v1/products', { 'x-api-key': api.key })
    assert.equal(list.status, 200)
    const page = await get(`${store.slug}.shops.example.com`, '/')
    assert.equal(page.status, 200)
    assert.match(page.text, new RegExp(`<link rel="canonical" href="https://${store.slug}\\.shops\\.example\\.com"`))
    assert.equal((await get('unknown.shops.example.com', '/')).status, 404)
    // Metrics are for private addresses, as which the proxy itself would count.
    assert.equal((await get('shop.example.com', '/metrics')).status, 404)
  })
}

test('Caddy is told by the home page which domains get a certificate', async () => {
  const { store } = await world.newStore()
  const [question] = caddy.split('\n\n').slice(-1)
  const ask = async (domain: string) => {
    const own = [...question!.matchAll(/header_up (\S+) (\S+)/g)].map(([, header, value]) => {
      assert.equal(value, '{query.domain}')
      return [header!.toLowerCase(), domain]
    })
    const headers = { host: '127.0.0.1:4001', ...addedByCaddy('127.0.0.1:4001', 'http'), ...Object.fromEntries(own) }
    return (await getAtHost(world, headers.host, `/?domain=${domain}`, headers)).status
  }
  assert.equal(await ask(`${store.slug}.shops.example.com`), 200)
  assert.equal(await ask('unknown.shops.example.com'), 404)
  assert.equal(await ask('www.stranger.example'), 404)
})

test('the configuration of nginx is one that Debian 12 reads (1.22)', (t) => {
  const directives = nginx.split('\n').flatMap((line) => /^\s*([a-z_\d]+)\b[^#]*[;{]/.exec(line)?.[1] ?? [])
  assert.deepEqual(
    directives.filter((name) => name === 'http2'),
    [],
    'since 1.25.1',
  )
  const program = search({ names: ['nginx', '/usr/sbin/nginx'] })
  if (!program) return
  const { folder, files } = newCertificate(t)
  const text = withFiles(nginx, files).replaceAll(/listen (\d+)/g, 'listen 127.0.0.1:2$1')
  const file = path.join(folder, 'nginx.conf')
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const own = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};\n`).join('')
  writeFileSync(file, `pid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;\n${own}${text}}\n`)
  const { status, stderr } = spawnSync(program, ['-t', '-p', folder, '-c', file, '-e', `${folder}/log`], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
})

test('neither passes /metrics on, which is for private addresses, as which the proxy itself would count', () => {
  const sites = caddy.split(/^}$/m).filter((site) => /import stoa|reverse_proxy/.test(site))
  const open = sites.filter((site) => !/import stoa|respond \/metrics 404|rewrite \* \//.test(site))
  assert.deepEqual([sites.length, open], [5, []])
  assert.match(nginx, /location = \/metrics { return 404; }/)
})

test('the configuration of Caddy needs no module beyond those of Debian 12 (2.6)', (t) => {
  const lines = caddy.split('\n').filter((line) => !line.trimStart().startsWith('#'))
  assert.ok(!lines.some((line) => /\bdns\b/.test(line)), 'modules of DNS providers')
  const count = (sign: string) => lines.join('').split(sign).length
  assert.equal(count('{'), count('}'))
  const program = search({ names: ['caddy'] })
  if (!program) return
  const { folder, files } = newCertificate(t)
  const file = path.join(folder, 'Caddyfile')
  writeFileSync(file, withFiles(caddy, files))
  const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const args = ['validate', '--config', file, '--adapter', 'caddyfile']
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8', env })
  assert.equal(status, 0, stderr)
})

// https://www.pgbouncer.org/config.html, and ignore_startup_parameters is empty.
const poolerParameters = [
  ...['user', 'database', 'client_encoding', 'datestyle', 'timezone', 'standard_conforming_strings'],
  'application_name',
]

test('a server, doctor and migrate send nothing with a connection that pgbouncer refuses', async (t) => {
  const { url, names } = await openRelay(t, databaseUrl())
  const config = readConfig({ DATABASE_URL: url, SECRET_KEY: secretKey, DATA_DIR: await newDataDir(t) })
  const { json } = await diagnose(config, { url, source: 'outside', servers: 0, async release() {} })
  const { findings } = json as { findings: { name: string; ok: boolean; detail: string }[] }
  assert.deepEqual(
    findings.filter(({ name, ok }) => name === 'database' && !ok),
    [],
  )
  assert.deepEqual(await migrate(url), [])
  const db = openDatabase({ url, clock: systemClock })
  await db.transaction((tx) => tx.rows(sql`select 1`))
  await db.close()
  assert.ok(names.has('user'))
  assert.deepEqual([...names.difference(new Set(poolerParameters))], [])
})

/** Notes the parameters that connections begin with. */
async function openRelay(t: TestContext, databaseUrl: string): Promise<{ url: string; names: Set<string> }> {
  const database = new URL(databaseUrl)
  const target = path.join(database.searchParams.get('host')!, `.s.PGSQL.${database.port || 5432}`)
  const folder = await newDataDir(t)
  const names = new Set<string>()
  const server = createServer((client) => {
    const upstream = connect(target)
    client.once('data', (message) => {
      // Two numbers, and then names and values, each with a zero behind it.
      const texts = message.subarray(8).toString().split('\0')
      for (let index = 0; texts[index]; index += 2) names.add(texts[index]!.toLowerCase())
    })
    for (const [one, other] of [[client, upstream] as const, [upstream, client] as const])
      one.on('error', () => {}).on('close', () => other.destroy())
    client.pipe(upstream).pipe(client)
  })
  await once(server.listen(path.join(folder, '.s.PGSQL.5432')), 'listening')
  t.after(() => void server.close())
  const through = new URL(databaseUrl)
  through.searchParams.set('host', folder)
  through.port = '5432'
  return { url: through.href, names }
}

const addedByCaddy = (host: string, scheme: string): Headers => ({
  'x-forwarded-for': client,
  'x-forwarded-proto': scheme,
  'x-forwarded-host': host,
})

/** `proxy_set_header Name value;`: one that is empty is not sent. */
function readNginxHeaders(variables: Headers): Headers {
  const lines = [...nginx.matchAll(/proxy_set_header (\S+) (\S+);/g)]
  const pairs = lines.map(([, name, value]) => [name!.toLowerCase(), value === '""' ? '' : variables[value!]!])
  return Object.fromEntries(pairs.filter(([, value]) => value !== ''))
}

function readBlock(language: string): string {
  const start = guide.indexOf(`\`\`\`${language}\n`) + language.length + 4
  return guide.slice(start, guide.indexOf('```', start))
}

type CertificateFiles = { pem: string; key: string }

const withFiles = (text: string, { pem, key }: CertificateFiles) =>
  text.replaceAll('/etc/ssl/shops.pem', pem).replaceAll('/etc/ssl/shops.key', key)

function newCertificate(t: TestContext): { folder: string; files: CertificateFiles } {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'stoa-proxy-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const files = { pem: path.join(folder, 'shops.pem'), key: path.join(folder, 'shops.key') }
  const names = 'subjectAltName=DNS:shop.example.com,DNS:*.shops.example.com'
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=shops', '-addext', names]
  const { status, stderr } = spawnSync(pathOf('openssl'), [...args, '-keyout', files.key, '-out', files.pem], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  return { folder, files }
}
