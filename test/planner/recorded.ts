// Everything that the app sends to PostgreSQL: all routes, the pages, the jobs, email and deliveries.
import type pg from 'pg'
import { screens } from '../../src/dashboard/screens/screens.ts'
import { jobsOf } from '../../src/jobs.ts'
import type { TestDatabase } from '../database.ts'
import { finished, newProduct, subscribed } from '../deliveries.ts'
import { askEveryRoute, oneOfEach } from '../everyroute.ts'
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
  const world = await openWorld({}, { database, network })
  const { statements, begin } = recordStatements()
  begin('one of each')
  const shop = await world.newStore()
  const known = await oneOfEach(world, shop)
  await showScreens(world, await world.newStore(), begin)
  await askEveryRoute(world, shop, known, begin)
  await deliver(database, begin)
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

async function deliver({ url }: TestDatabase, begin: (what: string) => void): Promise<void> {
  const world = await openWorld(
    { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
    { database: { url, drop: async () => {} }, network: { ca: testAuthority.ca }, delivers: true },
  )
  begin('deliveries')
  const shop = await subscribed(world)
  await newProduct(shop)
  await finished(shop)
}

async function runJobs({ app }: World, client: pg.Client, begin: (what: string) => void): Promise<void> {
  const media = { sizing: { job: { name: 'make sizes of pictures' } } }
  const jobs = jobsOf({ config: {}, db: app.db, log: {}, tools: { media } } as any)
  await addRows(client, 'kept', 20, 'a')
  await addRows(client, 'due', 10, 'b')
  for (const { name } of jobs) {
    begin(`job: ${name}`)
    await app.jobs.run(name)
  }
  begin('email')
  await app.sender.sendDue()
}
