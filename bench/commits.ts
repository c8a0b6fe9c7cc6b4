// Commits a second by pgbench alone: the statements of POST /v1/products (product, event for nobody, plan counter)
// beside the bare insert of the same row. After `npm run bench`, whose data it uses.
import { startPostgres } from '../src/platform/postgres/postgres.ts'
import { postmasterOf } from '../test/postmaster.ts'
import { smallStores } from './load.ts'
import { pgbench, type PgbenchResult } from './pgbench.ts'
import { median } from './measure.ts'
import { writeSection } from './results.ts'

const rounds = 5
const seconds = 3
const dataDir = new URL('.data/full', import.meta.url).pathname

const store = `'BE-' || lpad((:n)::text, 8, '0')`
const anyStore = `\\set n random(1, ${smallStores})`

const insert = `
  insert into products (store_id, id, name, slug, description, price, sku, search_text, created_at, updated_at)
  values (${store}, uuidv7(), 'Enamel mug', 'enamel-mug-' || gen_random_uuid(), 'Made to last.', 12.5, 'MUG-1',
    'enamel mug mug-1 enamel-mug', now(), now())
  returning id;`

// Of a plan with a limit.
const room = `
  select products_active + products_draft + products_archived as count
  from store_counters
  where store_id = ${store};`

const count = `
  update store_counters
  set products_active = case
    when products_active + products_draft + products_archived < 1000000000 then products_active + 1
    else refuse('plan_limit') end
  where store_id = ${store};`

// Of a store without webhooks.
const event = `
  with wanted as (
    select id, is_active
    from webhooks
    where store_id = ${store}
      and events @> array['product.created']
  ), event as (
    insert into events (store_id, id, event, event_id, body, occurred_at)
    select ${store}, uuidv7(), 'product.created', 'prod_01m7yvdqeqe28tpmpm67es7t1d', repeat('x', 330), now()
    where exists (select from wanted)
      or exists (select from listeners where store_id = ${store} and until > now())
  )
  insert into deliveries (store_id, id, webhook_id, event_uuid, event, run_at, created_at)
  select ${store}, uuidv7(), id, uuidv7(), 'product.created', now(), now()
  from wanted
  where is_active
  returning webhook_id;`

/** Two exchanges, as the operation has: what is not awaited travels together. */
const creation = script(
  anyStore,
  '\\startpipeline',
  'begin;',
  room,
  insert,
  '\\endpipeline',
  '\\startpipeline',
  event,
  count,
  'commit;',
  '\\endpipeline',
)

function script(...lines: string[]): string {
  return `${lines.map((line) => line.trim()).join('\n')}\n`
}

const postgres = await startPostgres({ dataDir })
const postmaster = (await postmasterOf(dataDir))!
const target = { url: postgres.url, postmaster }
const results: Record<'bare' | 'whole', PgbenchResult[]> = { bare: [], whole: [] }
for (let round = 0; round < rounds; round++) {
  results.bare.push(await pgbench(target, [script(anyStore, insert)], seconds, { clients: 16 }))
  results.whole.push(await pgbench(target, [creation], seconds, { clients: 16 }))
}
await postgres.stop()

const [bare, whole] = [median(results.bare), median(results.whole)]
const row = (name: string, { perSecond, cpuMicroseconds }: PgbenchResult) =>
  `| ${name} | ${perSecond.toFixed(0)} | ${cpuMicroseconds.toFixed(0)} |`
const report = `pgbench, 16 connections, ${rounds} rounds of ${seconds} s in turns, medians.

| | commits/s | PostgreSQL µs |
| --- | --- | --- |
${row('the bare insert of a product', bare)}
${row('its creation: product, event for nobody, counter', whole)}

A creation reaches ${(whole.perSecond / bare.perSecond).toFixed(2)} of the bare insert.`
console.log(report)
writeSection('Commits of a creation', report)
