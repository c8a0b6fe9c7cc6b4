// Everything that the app sends to PostgreSQL: for all routes, pages and jobs, email and deliveries.
import type pg from 'pg'
import { screens } from '../../src/dashboard/screens/screens.ts'
import { portalRoutes } from '../../src/identity/account/routes.ts'
import { claim, findWaiting } from '../../src/developer/webhooks/delivery/claim.ts'
import { probePaused } from '../../src/developer/webhooks/delivery/health.ts'
import { endClaims, giveBackClaims } from '../../src/developer/webhooks/delivery/workers.ts'
import { buildJobs } from '../../src/program/jobs.ts'
import { sql } from '../../src/kit/database/sql.ts'
import { pages } from '../../src/storefront/shop/routes.ts'
import { createStore } from '../../src/tenancy/stores/operations.ts'
import type { TestDatabase } from '../database.ts'
import { finished, newProduct, subscribed, until } from '../deliveries.ts'
import { askEveryRoute, oneOfEach, type Known } from '../everyroute.ts'
import { newRecord, personOf } from '../people.ts'
import { nounOfPrefix, recordsOf } from '../records.ts'
import { staffOf } from '../staff.ts'
import { testAuthority } from '../receiver.ts'
import { recordStatements } from '../statements.ts'
import { addRows } from '../stored.ts'
import { answering } from '../strangers.ts'
import { openWorld, type TestStore, type World } from '../world.ts'

/** Statement → what sent it first. `client` is of the same database. */
export async function allStatements(database: TestDatabase, client: pg.Client): Promise<Map<string, string>> {
  const network = {
    resolver: {
      ...answering(['93.184.216.34']),
      resolveTxt: async () => [[(await shop.api.get('/v1/store/domain')).data.record.value]],
    },
  }
  const world = await openWorld({ DISTRIBUTED: 'on' }, { database, network })
  const { statements, begin } = recordStatements()
  begin('one of each')
  const shop = await world.newStore()
  const known = await oneOfEach(world, shop)
  await world.app.db.transaction((tx) =>
    createStore(tx, { name: 'One of each', currency: 'USD', timezone: 'UTC', country_code: 'US' }),
  )
  await showScreens(world, await world.newStore(), begin)
  await showShop(world, known, begin)
  await askPortal(world, await world.newStore(), begin)
  await askEveryRoute(world, shop, known, begin)
  await deliver(begin)
  await runJobs(world, client, begin)
  return statements
}

async function showScreens(world: World, shop: TestStore, begin: (what: string) => void): Promise<void> {
  const owner = await staffOf(world, [shop])
  const make = recordsOf(world, shop)
  const nouns = new Set(nounOfPrefix.values())
  for (const { path, params = {} } of screens) {
    const names = Object.entries(params)
    if (!names.every(([, { noun }]) => nouns.has(noun))) continue
    begin(`screen ${path}`)
    let own = path
    for (const [name, { noun }] of names) own = own.replace(`{${name}}`, await make(noun))
    await owner.get(`/${shop.store.id}${own}`)
  }
}

/** Parts of a path that are no record, e.g. a token, name nothing. */
async function showShop({ url }: World, known: Known, begin: (what: string) => void): Promise<void> {
  const { slug, product, category, collection, page } = known
  const names: Record<string, string> = {
    product: product.slug,
    category: category.slug,
    collection: collection.slug,
    page: page.slug,
    part: 'products-1.xml',
  }
  for (const { method, path } of pages) {
    begin(`shop ${method} ${path}`)
    const own = path.replace(/:(\w+)/, (_, name) => names[name] ?? 'unknown')
    const origin = 'https://shop.example'
    await fetch(`${url}/s/${slug}${own}`, { method, headers: { origin, 'sec-fetch-site': 'same-origin' } })
  }
}

async function askPortal(world: World, shop: TestStore, begin: (what: string) => void): Promise<void> {
  for (const { method, path } of portalRoutes) {
    const person = await personOf(world, shop)
    begin(`portal ${method} ${path}`)
    let own = path
    for (const [, name] of path.matchAll(/\{(\w+)\}/g))
      own = own.replace(`{${name}}`, await newRecord[name as keyof typeof newRecord](world, person))
    const body = method === 'GET' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } }
    await person.api.send(method, `/oauth/portal/api${own}`, body)
  }
}

/** In a database of its own: what the jobs find is due for deliveries too. One fails first, one for good. */
async function deliver(begin: (what: string) => void): Promise<void> {
  const world = await openWorld(
    { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', DISTRIBUTED: 'on' },
    { network: { ca: testAuthority.ca }, delivers: true },
  )
  begin('deliveries')
  const { shop, ...hook } = await subscribed(world)
  shop.answer = () => ({ status: [500, 200, 410][shop.received.length - 1]! })
  await newProduct(hook)
  await until(async () => (await hook.api.get(`${hook.path}/deliveries`)).data[0]?.attempt_count === 1)
  // The first waits for its second attempt: a worker that looks for work finds it.
  await findWaiting(world.app.db, 1, null)
  world.clock.advance(24 * 3600)
  await finished(hook)
  await newProduct(hook)
  await finished(hook)
  await claimOfAll(world.app.db, [hook.store.id, (await subscribed(world)).store.id])
}

/** What the workers do for receivers of several stores. */
async function claimOfAll(db: World['app']['db'], stores: string[]): Promise<void> {
  const receivers = await db.rows<{ store_id: string; webhook_id: string }>(sql`
    select store_id, id as webhook_id from webhooks where store_id = any(${stores})`)
  const demands = receivers.map((place) => ({ ...place, room: 8, ids: [], is_kept: false }))
  await db.rows(sql`
    update webhook_health set probe_at = ${new Date(0)}, claimed_by = null where store_id = any(${stores})`)
  await probePaused(db)
  await claim(db, 1, demands)
  await claim(db, 1, demands.slice(0, 1))
  await giveBackClaims(db, sql`claimed_by = 2`)
  await endClaims(db, sql`claimed_by = 1`)
}

async function runJobs({ app }: World, client: pg.Client, begin: (what: string) => void): Promise<void> {
  const media = { sizing: { job: { name: 'make sizes of pictures' } } }
  const jobs = await buildJobs({ config: {}, db: app.db, log: {}, deps: { media }, isInner: false } as any)
  await addRows(client, 'kept', 20, 'a')
  await addRows(client, 'due', 10, 'b')
  for (const { name } of jobs) {
    begin(`job: ${name}`)
    await app.jobs.run(name)
  }
  begin('email')
  await app.sender.sendDue()
}
