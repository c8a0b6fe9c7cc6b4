// Extensions in a server's own process: the example of docs/contributing/extensions.md, packed and installed by npm,
// and those that fail, which take nothing else with them.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { addMember, createUser } from '../src/identity/accounts/operations.ts'
import { openSession, sessionCookie } from '../src/identity/accounts/session.ts'
import { sql } from '../src/kit/database/sql.ts'
import { loadStore } from '../src/tenancy/stores/store.ts'
import { openBrowser, type Browser } from './browser.ts'
import { client } from './client.ts'
import { databaseOf, newDataDir, newStore, root, run, startServer, type Server } from './server.ts'

const execute = promisify(execFile)

test('the example of the guide, installed from its tarball', async (t) => {
  const dataDir = await newDataDir(t)
  const folder = await installExample(path.join(dataDir, 'beside'))
  const loyalty = path.join(folder, 'node_modules', 'stoa-loyalty')
  const server = await startServer(dataDir, { EXTENSIONS: loyalty })
  const { id, key } = await newStore(dataDir)
  const api = client(server.url, { 'x-api-key': key })
  const customer = (await api.post('/v1/customers', { email: 'ana@example.com', name: 'Ana' })).data

  await t.test('its migrations are applied under its name', async () => {
    const db = await databaseOf(dataDir)
    const applied = await db.rows(sql`select name from migrations where name like '%/%'`)
    await db.close()
    assert.deepEqual(applied, [{ name: 'loyalty/0001_awards' }])
  })

  await t.test('its endpoint creates and lists records, and its faults are those of the contract', async () => {
    const created = await api.post('/v1/loyalty/awards', { customer_id: customer.id, points: 50 })
    assert.deepEqual([created.status, created.data.points], [201, 50])
    assert.deepEqual((await api.get('/v1/loyalty/awards')).data, [created.data])
    const refused = await api.post('/v1/loyalty/awards', { points: 0 })
    assert.deepEqual([refused.status, refused.error.code], [422, 'VALIDATION_ERROR'])
  })

  await t.test('its letter is queued with the award, and its part and page of the shop are there', async () => {
    const mails = (await api.get('/v1/mails?kind=extension')).data
    assert.deepEqual(
      mails.map(({ recipient, status }: any) => [recipient, status !== 'suppressed']),
      [['ana@example.com', true]],
    )
    const { slug } = (await api.get('/v1/store')).data
    const { data: product } = await api.post('/v1/products', { name: 'Mug', price: 5 })
    const page = async (place: string) => (await fetch(`${server.url}/s/${slug}${place}`)).text()
    assert.match(await page(`/products/${product.slug}`), /<a href="\/s\/[^"]+\/loyalty">You get points when you buy/)
    assert.match(await page('/loyalty'), /<h1>Loyalty<\/h1><p>You get points when you buy/)
  })

  await t.test('its event is in the event log, and webhooks can name it', async () => {
    const events = (await api.get('/v1/events?types=loyalty.awarded')).data
    assert.deepEqual(
      events.map(({ event, body }: any) => [event, body.award.points]),
      [['loyalty.awarded', 50]],
    )
    const webhook = { url: 'https://receiver.example/', events: ['loyalty.awarded'] }
    assert.equal((await api.post('/v1/webhooks', webhook)).status, 201)
  })

  await t.test('its screen changes its setting, which its endpoint follows', async () => {
    const browser = await signInAs(dataDir, server, id)
    const page = await browser.visit(`${server.url}/dashboard/${id}/settings/loyalty`)
    assert.equal(page.status, 200)
    assert.match(page.text, /Points of an award/)
    const overview = await browser.visit(`${server.url}/dashboard/${id}/settings`)
    assert.match(overview.text, /Points for customers/)
    const saved = await submitSettings(browser, page.text, page.url, { default_points: '25' })
    assert.match(saved.text, /value="25"/)
    const award = await api.post('/v1/loyalty/awards', { customer_id: customer.id })
    assert.equal(award.data.points, 25)
  })

  await t.test('the erasure of a person reaches its table', async () => {
    assert.equal((await api.delete(`/v1/customers/${customer.id}`)).status, 200)
    assert.deepEqual((await api.get('/v1/loyalty/awards')).data, [])
  })

  await t.test('the OpenAPI document has its endpoint and its event', async () => {
    const document: any = await (await fetch(`${server.url}/openapi.json`)).json()
    assert.ok(document.paths['/v1/loyalty/awards'].post)
    assert.ok(document.webhooks['loyalty.awarded'])
  })

  await t.test('doctor finds it by the name of its package, with its version', async () => {
    assert.equal(await doctorFinding(dataDir, 'loyalty', { EXTENSIONS: 'stoa-loyalty' }, folder), '1.0.0, on')
  })

  await t.test('without it the core serves, and its rows are kept and told of', async () => {
    await api.patch('/v1/loyalty/settings', { default_points: 30 })
    await server.end()
    const without = await startServer(dataDir)
    const again = client(without.url, { 'x-api-key': key })
    assert.equal((await again.get('/v1/customers')).status, 200)
    assert.equal((await again.get('/v1/loyalty/awards')).status, 404)
    const told = without.lines().find(({ extension }) => extension === 'loyalty')
    assert.match(told.state, /^not in EXTENSIONS, but loyalty_settings still has rows\. Name it in EXTENSIONS again/)
    assert.match(await doctorFinding(dataDir, 'loyalty'), /loyalty_settings still has rows/)
    await without.end()
  })
})

test('extensions that fail take nothing else with them', async (t) => {
  const dataDir = await newDataDir(t)
  const folder = path.join(dataDir, 'beside')
  const throwing = await newExtension(folder, 'throwing', `throw new Error('no luck')`)
  const halved = await newExtension(
    folder,
    'halved',
    `export const extension = ({ table, buildRouteVerbs, json }) => ({
      name: 'halved', migrations: new URL('migrations/', import.meta.url),
      tables: ['halved_first', 'halved_second'].map((name) => table(name, { audit: 'none' })),
      routes: [buildRouteVerbs('Halved').get('/halved', { scope: 'read:store', returns: {}, summary: 'Get',
        run: () => json(1) })],
    })`,
    {
      '0001_first': 'create table halved_first (store_id text not null, primary key (store_id))',
      '0002_second': 'create table halved_second (store_id text not null, primary key (store_id)); select 1 / 0',
    },
  )
  const failing = await newExtension(
    folder,
    'failing',
    `export const extension = ({ buildRouteVerbs }) => {
      const fail = () => { throw new Error('out of order') }
      const verbs = buildRouteVerbs('Failing')
      return { name: 'failing', jobs: () => [{ name: 'work', everySeconds: 1, run: fail }],
        screens: fail,
        routes: [verbs.get('/failing', { scope: 'read:store', returns: {}, summary: 'Get', run: fail })] }
    }`,
  )
  const jobbing = await newExtension(
    folder,
    'jobbing',
    `export const extension = ({ buildRouteVerbs }) => {
      const fail = () => { throw new Error('out of order') }
      const verbs = buildRouteVerbs('Jobbing')
      return { name: 'jobbing', jobs: () => [{ name: 'work', everySeconds: 1, run: fail }],
        routes: [verbs.get('/jobbing', { scope: 'read:store', returns: {}, summary: 'Get',
          run: () => { Promise.reject(new Error('forgotten')); fail() } })] }
    }`,
  )
  const undeclared = await newExtension(
    folder,
    'undeclared',
    `export const extension = { name: 'undeclared', migrations: new URL('migrations/', import.meta.url) }`,
    { '0001_secret': 'create table undeclared_secrets (store_id text not null)' },
  )
  const lost = await newExtension(
    folder,
    'lost',
    `export const extension = { name: 'lost', migrations: new URL('nowhere/', import.meta.url) }`,
  )
  const slotted = await newExtension(
    folder,
    'slotted',
    `export const extension = () => ({ name: 'slotted', shop: () => ({
      product: async () => { throw new Error('no slot') },
      pages: [{ method: 'GET', path: '/slotted', run: () => { throw new Error('no page') } }],
    }) })`,
  )
  const stray = await newExtension(
    folder,
    'stray',
    `export const extension = () => ({ name: 'stray', shop: () => ({
      pages: [{ method: 'GET', path: '/checkout', run: () => ({}) }],
    }) })`,
  )
  const texted = await newExtension(folder, 'texted', `export const extension = { name: 'texted', migrations: 'sql' }`)
  const EXTENSIONS = [throwing, halved, failing, jobbing, undeclared, lost, texted, slotted, stray].join(',')
  const server = await startServer(dataDir, { EXTENSIONS })
  const { key } = await newStore(dataDir)
  const api = client(server.url, { 'x-api-key': key })

  await t.test('the core serves', async () => {
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
    assert.equal((await api.post('/v1/products', { name: 'Mug', price: 5 })).status, 201)
  })

  await t.test('the log and doctor say what each lacks', async () => {
    const states = Object.fromEntries(
      server.lines().flatMap(({ extension, state }) => (extension ? [[path.basename(extension), state]] : [])),
    )
    const { lost, ...others } = states
    assert.match(lost, /^1\.0\.0, off: its migrations cannot be read: ENOENT/)
    assert.deepEqual(others, {
      texted: 'off: it failed to load: Invalid URL',
      throwing: 'off: it failed to load: no luck',
      halved: '1.0.0, off: its migration halved/0002_second failed: division by zero',
      failing: '1.0.0, off: it failed to make its screens: out of order',
      jobbing: '1.0.0, on',
      slotted: '1.0.0, on',
      stray:
        'off: it failed to make its parts of the shop: its page /checkout is not /stray/…, or that belongs to the shop',
      undeclared:
        '1.0.0, off: its migration undeclared/0001_secret failed: ' +
        'it makes undeclared_secrets, which the extension does not declare',
    })
    assert.match(
      await doctorFinding(dataDir, 'halved', { EXTENSIONS }),
      /^1\.0\.0, off: the database lacks halved\/0002_second\. Run: npm run -s stoa -- migrate$/,
    )
  })

  await t.test('a migration that fails leaves nothing of itself, and what came before it', async () => {
    const db = await databaseOf(dataDir)
    const [tables] = await db.rows(sql`
      select to_regclass('halved_first') is not null as first, to_regclass('halved_second') is not null as second,
        to_regclass('undeclared_secrets') is not null as secrets`)
    await db.close()
    assert.deepEqual(tables, { first: true, second: false, secrets: false })
  })

  await t.test('an endpoint that throws is a 500, and one of an extension that is off a 503', async () => {
    const answers = await Promise.all(['jobbing', 'halved', 'failing'].map((name) => api.get(`/v1/${name}`)))
    assert.deepEqual(
      answers.map(({ status, error }) => [status, error.code, error.message]),
      [
        [500, 'INTERNAL_ERROR', 'An unexpected error occurred'],
        [503, 'UNAVAILABLE', 'The extension halved is off; see: stoa doctor'],
        [503, 'UNAVAILABLE', 'The extension failing is off; see: stoa doctor'],
      ],
    )
  })

  await t.test('a part that fails and that nobody waits for is logged, and ends no process', async () => {
    const failed = await waitForLine(server, ({ err }) => err?.message === 'forgotten')
    assert.equal(failed.msg, 'a part of an operation failed, and nobody waited for it')
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
  })

  await t.test('a part of a page that throws is left out, and a page that throws is an error', async () => {
    const { slug } = (await api.get('/v1/store')).data
    const page = async (place: string) => (await fetch(`${server.url}/s/${slug}${place}`)).status
    assert.deepEqual([await page('/products/mug'), await page('/slotted'), await page('/checkout')], [200, 500, 200])
    await waitForLine(server, ({ extension, place }) => extension === 'slotted' && place === 'product')
  })

  await t.test('a job that throws is logged, and others run', async () => {
    const failed = await waitForLine(server, ({ job }) => job === 'jobbing: work')
    assert.deepEqual([failed.msg, failed.err.message], ['a job failed', 'out of order'])
  })

  await t.test('a repaired migration is applied by the next migrate', async () => {
    const { code } = await server.end()
    assert.equal(code, 0)
    const second = 'create table halved_second (store_id text not null, primary key (store_id))'
    await writeFile(path.join(halved, 'migrations', '0002_second.sql'), second)
    const env = { DATA_DIR: dataDir, EXTENSIONS: halved }
    const { stdout } = await run('src/program/cli.ts', ['migrate'], { env }).ended
    assert.equal(stdout, 'Applied halved/0002_second\n')
  })
})

test('without the extensions of this repository the core serves', async (t) => {
  const dataDir = await newDataDir(t)
  const server = await startServer(dataDir, { EXTENSIONS: '-all' })
  const { id, key } = await newStore(dataDir)
  const api = client(server.url, { 'x-api-key': key })
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
  const created = await api.post('/v1/products', { name: 'Mug', price: 5 })
  assert.equal(created.status, 201)
  const request = created.headers.get('x-request-id')
  while ((await api.get(`/v1/requests/${request}`)).status === 404);
  const browser = await signInAs(dataDir, server, id)
  const page = await browser.visit(`${server.url}/dashboard/${id}/settings/developer/requests/${request}`)
  assert.match(page.text, /&quot;name&quot;: &quot;Mug&quot;/)
  assert.equal((await api.get(`/v1/requests/${request}/explain`)).status, 404)
  for (const path of ['/mcp', '/v1/forks', '/v1/imports']) assert.equal((await api.post(path, {})).status, 404)
  // A list is downloaded as its screen shows it, and nothing leads to an import.
  const file = await browser.visit(`${server.url}/dashboard/${id}/products.csv`)
  assert.equal(file.status, 200)
  assert.match(file.text, /Mug/)
  assert.doesNotMatch(file.text, /row_type/)
  const redirects = await browser.visit(`${server.url}/dashboard/${id}/shop/redirects`)
  assert.equal(redirects.status, 200)
  assert.doesNotMatch(redirects.text, /settings\/imports/)
})

test('a declaration that is wrong ends the start with 78', async (t) => {
  const dataDir = await newDataDir(t)
  const newer = await newExtension(dataDir, 'newer', `export const extension = { name: 'newer', requires: '99.0.0' }`)
  const twice = await newExtension(dataDir, 'twice', `export const extension = { name: 'twice' }`)
  const scoped = await newExtension(
    dataDir,
    'scoped',
    `export const extension = ({ buildRouteVerbs }) => {
      const { get } = buildRouteVerbs('Scoped')
      const route = get('/scoped', { scope: 'read:points', returns: {}, summary: 'Get', run: () => '' })
      return { name: 'scoped', routes: [route] }
    }`,
  )
  const EXTENSIONS = [newer, 'stoa-missing', twice, twice, scoped, '-ucp', '-upc'].join(',')
  const env = { DATA_DIR: dataDir, EXTENSIONS }
  for (const [file, args] of [
    ['src/program/main.ts', []],
    ['src/program/cli.ts', ['doctor']],
  ] as const) {
    const { code, stderr } = await run(file, [...args], { env }).ended
    assert.equal(code, 78)
    assert.match(stderr, /newer: it requires Stoa 99\.0\.0, and this is \d+\.\d+\.\d+$/m)
    assert.match(stderr, /stoa-missing: neither a folder with a package\.json nor an installed package$/m)
    assert.match(stderr, /scoped: there is no scope read:points$/m)
    assert.match(stderr, /-upc: this repository has no extension of this name$/m)
    assert.match(stderr, /twice: another extension is also named twice$/m)
  }
})

/** Packs the files that the guide shows, and installs the tarball into an empty folder. */
async function installExample(folder: string): Promise<string> {
  const source = path.join(folder, 'source')
  const guide = await readFile(path.join(root, 'docs/contributing/extensions.md'), 'utf8')
  for (const [, name, text] of guide.matchAll(/^```\w+ (\S+)\n([^]*?)^```$/gm)) {
    if (!name!.includes('.')) continue
    await mkdir(path.dirname(path.join(source, name!)), { recursive: true })
    await writeFile(path.join(source, name!), text!)
  }
  const { stdout } = await execute('npm', ['pack', '--loglevel=silent', '--pack-destination', folder], { cwd: source })
  await writeFile(path.join(folder, 'package.json'), '{}')
  const tarball = path.join(folder, stdout.trim())
  await execute('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder })
  return folder
}

async function newExtension(
  folder: string,
  name: string,
  source: string,
  migrations: Record<string, string> = {},
): Promise<string> {
  const place = path.join(folder, name)
  await mkdir(path.join(place, 'migrations'), { recursive: true })
  await writeFile(path.join(place, 'package.json'), JSON.stringify({ type: 'module', version: '1.0.0' }))
  await writeFile(path.join(place, 'index.js'), source)
  for (const [file, text] of Object.entries(migrations))
    await writeFile(path.join(place, 'migrations', `${file}.sql`), text)
  return place
}

async function doctorFinding(
  dataDir: string,
  name: string,
  env: Record<string, string> = {},
  cwd = root,
): Promise<string> {
  const doctor = run('src/program/cli.ts', ['doctor', '--json'], { env: { DATA_DIR: dataDir, ...env }, cwd })
  const { findings } = JSON.parse((await doctor.ended).stdout)
  return findings.find((finding: { name: string }) => finding.name === `extension ${name}`)?.detail
}

async function signInAs(dataDir: string, server: Server, storeId: string): Promise<Browser> {
  const db = await databaseOf(dataDir)
  const session = await db.transaction(async (tx) => {
    const user = await createUser(tx, { email: 'owner@example.com', password: 'correct horse battery', name: 'Ana' })
    await addMember(tx, (await loadStore(tx, storeId))!, user, 'owner')
    return openSession(tx, user, { ip: '127.0.0.1', userAgent: 'test', how: 'password' })
  })
  await db.close()
  const browser = openBrowser()
  browser.cookies.set(sessionCookie(server.url), { value: session, path: '/', attributes: '' })
  return browser
}

/** The form of the settings is not the first of the page. */
async function submitSettings(browser: Browser, html: string, url: string, fields: Record<string, string>) {
  const [form = ''] = /<form(?:(?!<\/form>)[^])*name="default_points"[^]*?<\/form>/.exec(html) ?? []
  const inputs = [...form.matchAll(/<(?:input|button)[^>]* name="([^"]+)"[^>]*?(?: value="([^"]*)")?[^>]*>/g)]
  const own = Object.fromEntries(inputs.map(([, name, value = '']) => [name, value.replaceAll('&quot;', '"')]))
  const body = new URLSearchParams({ ...own, ...fields })
  const answer = await browser.visit(url, { method: 'POST', body })
  return browser.visit(answer.location ?? url)
}

function waitForLine(server: Server, isIt: (line: any) => boolean): Promise<any> {
  return new Promise((resolve) => {
    const look = () => {
      const line = server.lines().find(isIt)
      if (!line) return
      server.child.stdout!.off('data', look)
      resolve(line)
    }
    server.child.stdout!.on('data', look)
    look()
  })
}
