import type { Command } from 'commander'
import { ApiError, invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { sql } from '../../kit/database/sql.ts'
import { createStore, findStore, setPlan, setStatus } from '../../tenancy/stores/operations.ts'
import { store as resource, type Store } from '../../tenancy/stores/store.ts'
import type { Database, Db, Tx } from '../../kit/database/database.ts'
import type { Entity } from '../../kit/declare/field.ts'
import type { CommandActions } from './output.ts'
import { buildReadContext } from './session.ts'

const statuses: Store['status'][] = ['active', 'paused', 'suspended', 'closed']

export function storeCommands(program: Command, { read, write }: CommandActions): void {
  const store = program.command('store').description('Create, list and update stores')

  store
    .command('create')
    .description('Create a store')
    .requiredOption('--name <name>', 'name of the store')
    .option('--slug <slug>', 'part of its URL (default: made from the name)')
    .option('--currency <code>', 'ISO 4217 currency code', 'USD')
    .option('--country <code>', 'ISO 3166-1 alpha-2 country code', 'US')
    .option('--timezone <name>', 'IANA time zone', 'UTC')
    .option('--plan <plan>', 'plan: free, starter, growth or unlimited', 'unlimited')
    .action(
      write(async ({ db }, { plan, country, ...input }) => {
        await requirePlan(db, plan!)
        const body = resource.create.read({ ...input, country_code: country }, buildReadContext())
        const store = await db.transaction(async (tx) =>
          readStore(tx, await createStore(tx, { ...body, plan_id: plan })),
        )
        const text = `Created ${store.name}: ${store.id}\nOnline store: ${store.storefront_url}`
        return { json: { store: store }, text }
      }),
    )

  store
    .command('list')
    .description('List stores')
    .action(
      read(async ({ db }) => {
        const rows = await db.texts(sql`select ${resource.columns} from stores order by created_at, id`)
        const stores = rows.map((row) => resource.read(row))
        const lines = stores.map(({ id, name, plan_name, status }) => `${id}  ${name}  (${plan_name}, ${status})`)
        const none = 'No stores yet. Create one: npm run -s stoa -- store create --name "My store"'
        return { json: { stores }, text: lines.join('\n') || none }
      }),
    )

  store
    .command('set-plan <id> <plan>')
    .description("Change a store's plan")
    .action(
      write(async ({ db }, _options, id, plan) => {
        await requirePlan(db, plan!)
        const store = await changeStore(db, id!, (tx) => setPlan(tx, id!, plan!))
        return { json: { store }, text: `${id} is now on the plan ${plan}` }
      }),
    )

  store
    .command('set-status <id> <status>')
    .description("Change a store's status: active, paused (site off), suspended (read-only) or closed (no access)")
    .action(
      write(async ({ db }, _options, id, status) => {
        const newStatus = statuses.find((one) => one === status)
        if (!newStatus) throw invalid(fault('status', generalFaults.not_one_of, { choices: statuses.join(', ') }))
        const store = await changeStore(db, id!, (tx) => setStatus(tx, id!, newStatus))
        return { json: { store }, text: `${id} is now ${status}` }
      }),
    )
}

type StoreEntity = Entity<typeof resource.fields>

async function changeStore(db: Database, id: string, change: (tx: Tx) => Promise<void>): Promise<StoreEntity> {
  return db.transaction(async (tx) => {
    await change(tx)
    return readStore(tx, id)
  })
}

/** Reads the store inside the transaction, because a dry run undoes it. */
async function readStore(tx: Tx, id: string): Promise<StoreEntity> {
  return (await findStore(tx, id)).entity
}

async function requirePlan(db: Db, plan: string): Promise<void> {
  const plans = (await db.rows<{ id: string }>(sql`select id from plans order by id`)).map(({ id }) => id)
  if (!plans.includes(plan)) {
    throw new ApiError(404, 'NOT_FOUND', `Unknown plan ${plan}. Available plans: ${plans.join(', ')}`)
  }
}
