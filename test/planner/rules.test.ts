// The rules against what a cluster said of 496 statements of an earlier schema (Citus 14.0.1 over PostgreSQL 18.4):
// 350 it sent to one server, 57 to all of them, and 89 it refused.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import pg from 'pg'
import { placement } from '../../src/developer/tables.ts'
import { databaseUrl } from '../database.ts'
import { newJudge, type RuleName } from './judge.ts'

type Statements = { ok: string[]; 'fans out': string[]; fails: Record<string, string[]> }
const statements = JSON.parse(readFileSync(new URL('statements.json', import.meta.url), 'utf8')) as Statements

const client = new pg.Client({ connectionString: databaseUrl() })
await client.connect()
after(() => client.end())
// They were distributed at that time, and it was volatile.
const placed = { ...placement, pages: 'distributed', tax_zones: 'distributed' } as const
const current = await newJudge(client)
const judge = await newJudge(client, { placement: placed, volatile: ['refuse'] })

/** Those that break rules other than these. */
async function breaking(texts: readonly string[], except: readonly string[] = []): Promise<string[]> {
  const judged = await Array.fromAsync(texts, async (text) => ({ text, broken: await judge(text) }))
  return judged.filter(({ broken }) => broken.some((rule) => !except.includes(rule))).map(({ text }) => text)
}

test('what the cluster sent to one server breaks no rule', async () => {
  assert.equal(statements.ok.length, 350)
  assert.deepEqual(await breaking(statements.ok, ['write in with']), [
    // The cluster was asked with one store; with several it could not lock.
    'select from event_logs where store_id = any($1::text[]) order by store_id for update',
    // It was planned, and not run.
    "update mails set recipient = null, status = case status when 'queued' then 'refused' else status end, " +
      "error = case when status = 'queued' then 'The person was erased' end, next_attempt_at = null " +
      'where store_id = $1 and lower(recipient) = lower($2)',
  ])
})

test('what it sent to all servers names no store, and breaks no other rule', async () => {
  assert.equal(statements['fans out'].length, 57)
  assert.deepEqual(await breaking(statements['fans out'], ['store', 'write in with']), [])
  assert.equal((await breaking(statements['fans out'])).length, 57)
})

for (const [error, texts] of Object.entries(statements.fails))
  test(`what it refused breaks a rule: ${error}`, async () => {
    const broken = new Set(await breaking(texts, ['store']))
    assert.deepEqual(
      texts.filter((text) => !broken.has(text)),
      [],
    )
  })

test('it refused 89', () => assert.equal(Object.values(statements.fails).flat().length, 89))

// Statements of a later version, which a cluster refused when they ran, or while one of its servers was away.
const later: [RuleName, string][] = [
  [
    'target without alias',
    `insert into orders (store_id, id, shipping_rate)
     select store_counters.store_id, $1, (
       select json_build_object('name', name) from shipping_rates where store_id = $2 and code = $3)
     from store_counters where store_id = $4 returning orders.id`,
  ],
  [
    'stable update',
    `update refunds set ask_at = $1::timestamptz + make_interval(secs => least($2 * 2 ^ tries, $3)), tries = tries + 1
     where store_id = $4 and id = $5`,
  ],
  [
    'stable branch',
    `update payment_sessions
     set recheck_at = case when created_at < $1::timestamptz - interval '120 days' then null else $2::timestamptz end
     where store_id = $3 and id = $4`,
  ],
  [
    'simple case',
    `update checkouts
     set recovery_mail = case recovery_mail when 'queued' then 'withheld' else recovery_mail end
     where store_id = $1 and id = any($2::uuid[])`,
  ],
  [
    'simple case',
    `update checkouts set status = case status when 'abandoned' then 'recovered' else 'completed' end
     where store_id = $1 and id = $2 and status in ('active', 'abandoned')`,
  ],
  ['truncate', 'truncate sessions'],
  [
    'write in with',
    `with event as (insert into events (store_id, id, event) values ($1, $2, $3))
     insert into deliveries (store_id, id, event_uuid) values ($4, $5, $6)`,
  ],
  ['stable returning', `update media set alt_text = $1 where store_id = $2 and id = $3 returning $4::text || width`],
  [
    'stable update',
    `update returns set status = past.status from json_populate_record(null::returns, $1::json) as past
     where returns.store_id = $2 and returns.id = $3
       and to_jsonb(returns.status) is distinct from to_jsonb(past.status)`,
  ],
  [
    'arm without from',
    `update webhook_health set claimed_by = null, last_delivery_at = (
       select at from (
         select completed_at as at from deliveries
         where deliveries.store_id = webhook_health.store_id and deliveries.webhook_id = webhook_health.webhook_id
         union all
         select webhook_health.last_delivery_at) as last
       order by at desc nulls last limit 1)
     where claimed_by = $1`,
  ],
  [
    'ctid',
    `with seen as materialized (select ctid as place from oauth_grants where created_at <= $1)
     delete from oauth_grants where ctid = any(array(select place from seen))`,
  ],
  ['beside local', `select count(*), exists (select from job_runs) as has_served from mails`],
  [
    'look-ups apart',
    `select (select count(*) from deliveries where status = 'pending') as pending, (
       select min(first.run_at) from webhooks
       cross join lateral (
         select run_at from deliveries where webhook_id = webhooks.id and status = 'pending'
         order by run_at limit 1) as first) as oldest`,
  ],
]

for (const [rule, text] of later)
  test(`what a later cluster refused breaks a rule: ${rule}, ${text.slice(0, 25)}`, async () => {
    const broken = await current(text)
    assert.ok(broken.includes(rule), broken.join())
  })
