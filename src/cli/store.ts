import type { Command } from 'commander'
import { ApiError, invalid } from '../kit/values/errors.ts'
import { fault } from '../kit/values/faults.ts'
import { sql } from '../kit/database/sql.ts'
import { createStore, findStore, setPlan, setStatus } from '../stores/operations.ts'
import { store as resource, type Store } from '../stores/store.ts'
import type { Db } from '../kit/database/database.ts'
import type { Act } from './output.ts'
import { contextOf } from './session.ts'

const statuses: Store['status'][] = ['active', 'paused', 'suspended', 'closed']

export function storeCommands(program: Command, act: Act): void {
  const store = program.command('store').description('Stores: create, list, plan, status')

  store
    .command('create')
    .description('Make a store')
    .requiredOption('--name <name>', 'what it is called')
    .option('--slug <slug>', 'its part of URLs (default: made from the name)')
    .option('--currency <code>', 'ISO 4217', 'USD')
    .option('--country <code>', 'ISO 3166-1 alpha-2', 'US')
    .option('--timezone <name>', 'IANA time zone', 'UTC')
    .option('--plan <plan>', 'free, starter, growth or unlimited', 'unlimited')
    .action(
      act(async ({ db }, { plan, country, ...given }) => {
        await demandPlan(db, plan!)
        const body = resource.create.read({ ...given, country_code: country }, contextOf())
        const id = await db.transaction((tx) => createStore(tx, { ...body, plan_id: plan }))
        const { entity: made } = await findStore(db, id)
        return { json: { store: made }, text: `Made the store ${made.name}: ${id}\nIts shop: ${made.storefront_url}` }
      }),
    )

  store
    .command('list')
    .description('All stores')
    .action(
      act(async ({ db }) => {
        const rows = await db.texts(sql`select ${resource.columns} from stores order by created_at, id`)
        const stores = rows.map((row) => resource.read(row))
        const lines = stores.map(({ id, name, plan_name, status }) => `${id}  ${name}  (${plan_name}, ${status})`)
        const none = 'No stores yet. Type: npm run -s stoa -- store create --name "My shop"'
        return { json: { stores }, text: lines.join('\n') || none }
      }),
    )

  store
    .command('set-plan <id> <plan>')
    .description('Give a store another plan')
    .action(
      act(async ({ db }, _options, id, plan) => {
        await demandPlan(db, plan!)
        await db.transaction((tx) => setPlan(tx, id!, plan!))
        return { json: { store: (await findStore(db, id!)).entity }, text: `${id} now has the plan ${plan}` }
      }),
    )

  store
    .command('set-status <id> <status>')
    .description('active, paused (no storefront), suspended (reads only) or closed (keys end)')
    .action(
      act(async ({ db }, _options, id, status) => {
        const known = statuses.find((one) => one === status)
        if (!known) throw invalid(fault('status', 'not_one_of', { choices: statuses.join(', ') }))
        await db.transaction((tx) => setStatus(tx, id!, known))
        return { json: { store: (await findStore(db, id!)).entity }, text: `${id} is now ${status}` }
      }),
    )
}

async function demandPlan(db: Db, plan: string): Promise<void> {
  const plans = (await db.rows<{ id: string }>(sql`select id from plans order by id`)).map(({ id }) => id)
  if (!plans.includes(plan)) {
    throw new ApiError(404, 'NOT_FOUND', `There is no plan ${plan}. There are: ${plans.join(', ')}`)
  }
}
