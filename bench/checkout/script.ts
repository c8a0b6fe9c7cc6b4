// The statements of one completion as a script for pgbench: recorded from a real one, with new ids for its new rows.
import type { Database, Tx } from '../../src/kit/database/database.ts'
import { uuidOf } from '../../src/kit/values/ids.ts'
import { hashSecret } from '../../src/kit/values/secrets.ts'
import { compile, join, raw, sql, type Sql, type Statement } from '../../src/kit/database/sql.ts'
import { newCheckout } from '../../src/checkout/checkout.ts'
import { completeCheckout } from '../../src/checkout/complete.ts'
import type { CheckoutTools } from '../../src/checkout/checkout.ts'
import { createCheckout } from '../../src/checkout/operations.ts'
import { checkoutOf, type Shop } from './shoppers.ts'

/** Each transaction takes a shop at random out of the table bench_shops, which is made here. */
export async function scriptOf(db: Database, shops: Shop[], tools: CheckoutTools): Promise<string> {
  const rows = await Promise.all(shops.map((shop) => beginOne(db, shop, tools)))
  await db.rows(
    sql`create table bench_shops (n int primary key, ${raw(columns.map((name) => `${name} text`).join(', '))})`,
  )
  for (const [n, { facts }] of rows.entries()) {
    await db.rows(
      sql`insert into bench_shops values (${n + 1}, ${join(
        columns.map((name) => sql`${facts[name]}`),
        ', ',
      )})`,
    )
  }
  const sent: Statement[] = []
  const [{ token, facts }] = rows as [Begun]
  await db.transaction((tx) =>
    completeCheckout(recording(tx, sent), shops[0]!.store, token, {}, tools, { kind: 'system', id: 'bench' }),
  )
  return [
    `\\set n random(1, ${shops.length})`,
    `select ${columns.join(', ')} from bench_shops where n = :n \\gset`,
    ...withVariables(sent.map(inFull), facts),
    '',
  ].join('\n')
}

const columns = ['store_id', 'first_product', 'second_product', 'customer_id', 'checkout_id', 'token_hash'] as const
type Facts = Record<(typeof columns)[number], string>
type Begun = { token: string; facts: Facts }

async function beginOne(db: Database, shop: Shop, tools: CheckoutTools): Promise<Begun> {
  const { store } = shop
  const body = newCheckout.read(checkoutOf(shop, 1), { ...store, now: new Date() })
  const { token, items } = await db.transaction((tx) => createCheckout(tx, store, body as never, tools))
  const [first_product, second_product] = items.map((item) => uuidOf('prod', item.product_id))
  const found = await db.one<Pick<Facts, 'customer_id' | 'checkout_id' | 'token_hash'>>(sql`
    select checkouts.id as checkout_id, customers.id as customer_id, '\\x' || encode(token_hash, 'hex') as token_hash
    from checkouts
    join customers on customers.store_id = checkouts.store_id and customers.email = checkouts.customer_email
    where checkouts.store_id = ${store.id}
      and token_hash = ${hashSecret(token)}`)
  return {
    token,
    facts: { ...found!, store_id: store.id, first_product: first_product!, second_product: second_product! },
  }
}

function recording(tx: Tx, sent: Statement[]): Tx {
  const recorded =
    <T>(run: (query: Sql) => T) =>
    (query: Sql): T => {
      sent.push(compile(query, tx.now))
      return run(query)
    }
  return {
    ...tx,
    rows: recorded(tx.rows),
    one: recorded(tx.one),
    texts: recorded(tx.texts),
    later: recorded(tx.later),
  } as Tx
}

function inFull({ text, values }: Statement): string {
  return text.replaceAll(/\$(\d+)/g, (_match, position) => literal(values[Number(position) - 1]))
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value instanceof Date) return `'${value.toISOString()}'::timestamptz`
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'::bytea`
  if (Array.isArray(value)) return `array[${value.map(literal).join(', ')}]`
  // In pgbench a colon before a letter begins a variable.
  return `'${String(value)
    .replaceAll("'", "''")
    .replaceAll(/:(?=[A-Za-z_])/g, ': ')}'`
}

/** What is a shop's becomes a variable; the ids of the rows that a completion makes are made anew. */
function withVariables(statements: string[], facts: Facts): string[] {
  const uuid = /'([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})'/g
  const names = new Map(columns.map((name) => [facts[name], name as string]))
  const made: string[] = []
  const transaction = statements.map((statement) =>
    statement
      .replaceAll(`'${facts.store_id}'`, ':store_id::text')
      .replaceAll(`'${facts.token_hash}'::bytea`, ':token_hash::bytea')
      .replaceAll(uuid, (_text, id: string) => {
        if (!names.has(id)) {
          names.set(id, `new_${made.length}`)
          made.push(names.get(id)!)
        }
        return `:${names.get(id)}::uuid`
      }),
  )
  return [
    `select ${made.map((name) => `uuidv7() as ${name}`).join(', ')} \\gset`,
    ...['begin', ...transaction, 'commit'].map((statement) => `${statement.trim().replaceAll(/\s*\n\s*/g, ' ')};`),
  ]
}
