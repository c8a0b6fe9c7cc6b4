// node bench/pages.ts: the hosted pages, from the request to the last byte. Results in bench/RESULTS.md, "Hosted
// pages". BENCH_SECONDS (3) and BENCH_ROUNDS (3) change how long it takes.
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/kit/values/clock.ts'
import { openDatabase } from '../src/kit/database/open.ts'
import { createKey } from '../src/identity/apikeys/operations.ts'
import { scopes } from '../src/identity/apikeys/scopes.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { startPostgres } from '../src/platform/postgres/postgres.ts'
import { createStore } from '../src/tenancy/stores/operations.ts'
import { loadStore } from '../src/tenancy/stores/store.ts'
import { postmasterOf } from '../test/postmaster.ts'
import { measure, median, type Measured, type Request } from './measure.ts'
import { serve } from './processes.ts'
import { writeSection } from './results.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 3)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const port = 4131
const products = 200

const dataDir = await mkdtemp(join(tmpdir(), 'stoa-bench-'))
const postgres = await startPostgres({ dataDir })
await migrate(postgres.url)
const postmaster = (await postmasterOf(dataDir))!
const server = await serve('src/program/main.ts', port, '/readyz', {
  DATABASE_URL: postgres.url,
  DATA_DIR: dataDir,
  LOG_LEVEL: 'error',
  DEMO: 'off',
  TRUSTED_PROXIES: '127.0.0.1',
  BASE_URL: `http://127.0.0.1:${port}`,
  SECRET_KEY: 'a key of the benchmark, 32 characters',
})

try {
  const root = await seed()
  const rows: { name: string; bytes: number; measured: Measured }[] = []
  for (const [name, { path, cookies }] of Object.entries(await shop(root))) {
    const bytes = Buffer.byteLength(await (await fetch(server.url + path, { headers: { cookie: cookies } })).text())
    rows.push({ name, bytes, measured: await measurePage(path, cookies) })
    console.log(name, rows.at(-1)!.measured.perSecond)
  }
  report(rows)
} finally {
  await server.stop()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}

/** A store with products, variants, categories, and a checkout that ships to the whole world. Answers its address. */
async function seed(): Promise<string> {
  const db = openDatabase({ url: postgres.url, clock: systemClock, connections: 1 })
  const { store, key } = await db.transaction(async (tx) => {
    const id = await createStore(tx, { name: 'Casa Nogal', currency: 'USD', country_code: 'US', timezone: 'UTC' })
    const found = (await loadStore(tx, id))!
    const wanted = { name: 'bench', scopes: [...scopes], expires_at: null, is_active: true }
    const made = await createKey(tx, found, { ...wanted, mode: 'live' })
    return { store: found, key: made.key }
  })
  await db.close()
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${server.url}/v1${path}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
  }
  for (const name of ['Bags', 'Kitchen', 'Clothing', 'Home', 'Garden']) await post('/categories', { name })
  const colours = ['Ink', 'Sand', 'Moss', 'Rust'],
    sizes = ['S', 'M', 'L', 'XL']
  const variants = colours.flatMap((colour) =>
    sizes.map((size) => ({
      option_values: [
        { option_title: 'Colour', value: colour },
        { option_title: 'Size', value: size },
      ],
      manage_inventory: true,
      stock_quantity: 9,
    })),
  )
  for (let n = 0; n < products; n++) {
    await post('/products', {
      name: `Product ${n}`,
      price: 10 + n,
      compare_price: 15 + n,
      main_image: `https://images.example/${n}.jpg`,
      description: 'Waxed canvas. '.repeat(20),
    })
  }
  await post('/products', { name: 'Shirt', price: 32, main_image: 'https://images.example/shirt.jpg', variants })
  for (const code of ['standard', 'express', 'pickup']) await post('/store/shipping-rates', { code, price: 5 })
  for (const code of ['cod', 'bank_transfer', 'card']) await post('/store/payment-methods', { code })
  for (const title of ['Gift wrapping', 'Insurance']) await post('/store/order-bumps', { title, price: 4 })
  return `/s/${store.slug}`
}

// prettier-ignore
type Visited = Record<string, { path: string; cookies: string }>

/** What a shopper comes by: the pages, with the cookies of a cart of three lines and its checkout. */
async function shop(root: string): Promise<Visited> {
  let cookies = ''
  const send = async (path: string, form: Record<string, string>) => {
    const answer = await fetch(server.url + root + path, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(form),
      headers: { cookie: cookies, 'sec-fetch-site': 'same-origin' },
    })
    const set = answer.headers.getSetCookie().map((line) => line.split(';')[0]!)
    const kept = cookies.split('; ').filter((one) => !set.some((other) => other.split('=')[0] === one.split('=')[0]))
    cookies = [...kept, ...set].filter(Boolean).join('; ')
    if (answer.status !== 303) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.headers.get('location')!
  }
  const fill = async () => {
    for (const n of [3, 4]) await send(`/products/product-${n}`, { quantity: '1' })
    await send('/products/shirt', { quantity: '1', 'option.0': 'Ink', 'option.1': 'M' })
    await send('/cart', { act: 'checkout' })
  }
  await fill()
  const text = await (await fetch(`${server.url}${root}/checkout`, { headers: { cookie: cookies } })).text()
  const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)![1]!
  const order = await send('/checkout', {
    checkout: hidden('checkout'),
    total: hidden('total'),
    act: 'place',
    shipping_method: 'standard',
    payment_method: 'cod',
    'customer.name': 'Ana',
    'customer.email': 'ana@example.com',
    'shipping_address.address': 'Main Street 12',
    'shipping_address.city': 'Springfield',
    'shipping_address.country_code': 'US',
  })
  await fill()
  return {
    'home, 24 products': { path: root, cookies },
    search: { path: `${root}/search?q=product%201`, cookies },
    product: { path: `${root}/products/product-3`, cookies },
    'product with 16 variants': { path: `${root}/products/shirt`, cookies },
    'cart, 3 lines': { path: `${root}/cart`, cookies },
    'checkout, 3 lines': { path: `${root}/checkout`, cookies },
    order: { path: order, cookies },
  }
}

async function measurePage(path: string, cookie: string): Promise<Measured> {
  // Each address has a quota of its own.
  const requests = Array.from({ length: 250 }, (_, n): Request => ({
    method: 'GET',
    path,
    headers: { cookie, 'x-forwarded-for': `10.0.${Math.floor(Math.random() * 250)}.${n}` },
  }))
  const target = { ...server, postmaster }
  await measure(target, requests, 1) // prepared statements, compiled code
  const found: Measured[] = []
  for (let round = 0; round < rounds; round++) found.push(await measure(target, requests, seconds))
  return median(found)
}

function report(rows: { name: string; bytes: number; measured: Measured }[]): void {
  const header = ['page', 'pages/s', 'p50 ms', 'p99 ms', 'Node ms', 'PostgreSQL ms', 'KB of HTML', 'failed']
  const thousandths = (count: number, digits: number) => (count / 1000).toFixed(digits)
  const lines = rows.map(({ name, bytes, measured }) => [
    name,
    measured.perSecond.toFixed(0),
    measured.p50,
    measured.p99,
    thousandths(measured.nodeMicroseconds, 2),
    thousandths(measured.postgresMicroseconds, 2),
    thousandths(bytes, 1),
    measured.failed,
  ])
  const table = [header, header.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  const conditions = [
    `${cpus().length} cores shared by the server, PostgreSQL and the load; Node ${process.version}, 16 connections,`,
    `${rounds} rounds of ${seconds} s, medians. Nothing is cached: CPU time of a whole request, read from the database`,
    'and rendered.',
  ]
  writeSection('Hosted pages', `${conditions.join(' ')}\n\n${table}`)
}
