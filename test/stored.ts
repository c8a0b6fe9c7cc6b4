// Rows that are kept but not due for any job, or due for one: as many as a test wants, in a hundred stores.
import type pg from 'pg'
import { fillListed } from './filled.ts'

const before = "now() - n * interval '50 milliseconds'"
const later = "now() + interval '1 year'"
const old = "now() - interval '2 years'"
const wayBack = "- interval '2 years' - n * interval '1 second'"
const oldId = `uuidv7(${wayBack})`

/** Columns that are not filled by their type: kept rows, and what differs in due ones (none without it). */
type Rows = { kept: Record<string, string>; due?: Record<string, string> }

// prettier-ignore
export const storedRows: Record<string, Rows> = {
  sessions:            { kept: { hash: hash('n'), expires_at: later }, due: { expires_at: old } },
  account_links:       { kept: { hash: hash('n'), purpose: "'reset'", expires_at: later }, due: { expires_at: old } },
  invitations:         { kept: { email: "'a' || n || seed", role: "'staff'", hash: hash('n'), expires_at: later },
                         due: { expires_at: old } },
  answered_challenges: { kept: { hash: hash('n'), expires_at: later }, due: { expires_at: old } },
  shopper_sign_ins:    { kept: { link_hash: hash('n'), browser_hash: hash('n'), email: "'a' || n || seed",
                           created_at: later },
                         due: { created_at: old } },
  shopper_sessions:    { kept: { hash: hash('n'), email: "'a' || n || seed", expires_at: later },
                         due: { expires_at: old } },
  outbox:              { kept: {}, due: { created_at: old } },
  sign_in_addresses:   { kept: { address: "'a' || n || seed", seen_at: before }, due: { seen_at: old } },
  security_events:     { kept: {}, due: { created_at: old } },
  store_slugs:         { kept: { slug: "'a' || n || seed", until: later }, due: { until: old } },
  idempotency_keys:    { kept: { key: "'a' || n || seed", status: '200' }, due: { created_at: old } },
  mails:               { kept: { status: "'sent'" }, due: { created_at: old } },
  imports:             { kept: { kind: "'products'", on_duplicate: "'skip'", status: "'completed'", columns: "'[]'" },
                         due: { created_at: old } },
  proposals:           { kept: { status: "'approved'", decided_at: before, expires_at: later },
                         due: { created_at: old } },
  media:               { kept: { hash: 'md5(n || seed)', status: "'ready'" },
                         due: { status: "'processing'", updated_at: old, unused_since: old } },
  media_uses:          { kept: { hash: 'md5(n || seed)', source: "'products'" } },
  media_changes:       { kept: {}, due: { hash: 'md5(n || seed)' } },
  media_leftovers:     { kept: { name: "'a' || n || seed", due_at: later }, due: { due_at: old } },
  oauth_clients:       { kept: { id: "'c' || n || seed", origin: "'document'",
                           created_at: `${old} - n * interval '50 milliseconds'` },
                         due: { origin: "'dynamic'", expires_at: old } },
  oauth_grants:        { kept: { id: `${storeOf('n')} || '.' || n || seed`, client_id: "'c' || n || seed",
                           created_at: before } },
  oauth_tokens:        { kept: { id: hash('n'), kind: "'RefreshToken'", grant_id: `${storeOf('n')} || '.' || n || seed`,
                           expires_at: later },
                         due: { grant_id: "'-'", expires_at: old } },
  oauth_interactions:  { kept: { id: hash('n'), expires_at: later }, due: { expires_at: old } },
  payment_sessions:    { kept: { status: "'captured'", purpose: "'order'", recheck_at: later, method_id: 'null' },
                         due: { recheck_at: old, look_at: old, asked_id: 'gen_random_uuid()', asked_at: old,
                           ask_at: old } },
  refunds:             { kept: { status: "'succeeded'", amount: '1', shipping: '0' },
                         due: { status: "'pending'", ask_at: old, created_at: old } },
  checkouts:           { kept: { token_hash: hash('n'), status: "'completed'", due_at: later, subtotal: '1',
                           discount: '0', shipping: '0', tax: '0', total: '1' },
                         due: { due_at: old } },
  events:              { kept: { id: id('n') }, due: { id: oldId } },
  event_numbers:       { kept: { sequence: '1000000 + 2 * n + ascii(seed)' },
                         due: { event_uuid: oldId, sequence: 'n' } },
  unnumbered_events:   { kept: {}, due: {} },
  webhooks:            { kept: { events: "'{order.created}'" } },
  deliveries:          { kept: { id: id('n'), webhook_id: webhookOf('n'), status: "'delivered'", completed_at: before },
                         due: { id: oldId } },
  attempts:            { kept: { delivery_id: id('n') }, due: { delivery_id: oldId } },
  audit_log:           { kept: { id: id('n'), records: "'{}'" } },
  audit_unsealed:      { kept: {}, due: {} },
  audit_records:       { kept: { entry_id: id('n') } },
  audit_seals:         { kept: { sequence: '2 + n', last_entry: id('n'), entries: "'{}'", hashes: "'{}'" },
                         due: { sequence: '2', last_entry: oldId, entries: 'array[gen_random_uuid()]',
                           hashes: "array['\\x00'::bytea]" } },
  unsummed_days:       { kept: { day: "(now() + n * interval '1 hour')::date" },
                         due: { day: "'2024-02-29'" } },
  unsummed_categories: { kept: {}, due: { category: "''" } },
  unsummed:            { kept: {}, due: { kind: "'orders'",
                           quarter: "'epoch'::timestamptz + n * interval '15 minutes'" } },
}

const stores = `
  insert into stores (id, name, slug, currency, country_code, timezone, plan_id, created_at, updated_at)
  select ${storeOf('n')}, 'Shop', 'shop-' || n, 'USD', 'US', 'UTC', 'unlimited', now(), now()
  from generate_series(0, 99) as n
  on conflict do nothing;
  insert into event_logs (store_id, last)
  select id, 100000000 from stores
  on conflict do nothing;
  insert into audit_chains (store_id, sequence, hash, first_sequence)
  select id, 1, '\\x', 1 from stores
  on conflict do nothing;
  insert into webhooks (store_id, id, url, events, secret, secret_last4, created_at, updated_at)
  select ${storeOf('n')}, ${webhookOf('n')}, 'https://hooks.example', '{order.created}', '', '', now(), now()
  from generate_series(0, 99) as n
  on conflict do nothing;
  insert into webhook_health (store_id, webhook_id)
  select store_id, id from webhooks
  on conflict do nothing`

/** Tables that have only due rows: they are queues. */
const queues = new Set(['unnumbered_events', 'audit_unsealed', 'unsummed', 'unsummed_categories', 'media_changes'])

/** Adds `count` rows to each table, once for each `seed`. */
export async function addRows(client: pg.Client, kind: 'kept' | 'due', count: number, seed: string): Promise<void> {
  await client.query('set session_replication_role = replica')
  if (kind === 'kept') await client.query(stores)
  for (const [table, { kept, due }] of Object.entries(storedRows)) {
    if (kind === 'kept' ? queues.has(table) : !due) continue
    const values: Record<string, string> = { ...kept, ...(kind === 'due' ? due : {}) }
    const { rows } = await client.query<{ name: string; type: string }>(
      `select attname as name, format_type(atttypid, null) as type
       from pg_attribute
       where attrelid = $1::regclass
         and attnum > 0
         and not attisdropped
         and attgenerated = ''
         and (attname = any($2) or (attnotnull and not atthasdef and attidentity = ''))`,
      [table, Object.keys(values)],
    )
    const columns = rows.map(({ name }) => name)
    const selected = rows.map(({ name, type }) => values[name] ?? valueOf(name, type))
    await client.query(`
      insert into ${table} (${columns.join(', ')})
      select ${selected.join(', ')}
      from (select n, '${seed}' as seed from generate_series(1, ${count}) as n) as numbers
      on conflict do nothing`)
  }
  await fillListed(client)
  // Jobs had seen that nothing was due.
  if (kind === 'due') {
    for (const table of ['event_logs', 'audit_chains']) await client.query(`update ${table} set oldest = default`)
  }
  await client.query('analyze')
}

function valueOf(name: string, type: string): string {
  if (name === 'store_id') return storeOf('n')
  if (name.endsWith('_at') || type.startsWith('timestamp')) return before
  if (type === 'uuid') return 'gen_random_uuid()'
  if (type === 'bytea') return hash('n')
  if (type === 'json') return "'{}'"
  if (type.endsWith('[]')) return "'{}'"
  if (type === 'boolean') return 'false'
  if (type === 'text') return "'text'"
  return '1'
}

/** A hundred stores share the rows. */
export function storeOf(n: string): string {
  return `('AA-' || lpad((${n} % 100)::text, 8, '0'))`
}

function webhookOf(n: string): string {
  return `md5('webhook' || ${n} % 100)::uuid`
}

function hash(n: string): string {
  return `sha256((${n} || seed)::bytea)`
}

function id(n: string): string {
  return `uuidv7(- ${n} * interval '50 milliseconds')`
}
