// Makes a small store large and surrounds it with others, by SQL: as many rows as let PostgreSQL plan as it would for
// a real database.
import pg from 'pg'

const neighbours = 100

// What is repeated within the store, how often, and what differs then: copy number n of a row.
// prettier-ignore
const repeated: Record<string, { times: number; but: Record<string, string> }> = {
  store_versions:         { times: 10,  but: { slot: '(slot + n) % 1000000' } },
  api_keys:               { times: 10,  but: { id: 'uuidv7()', hash: randomHash('n') } },
  categories:             { times: 30,  but: {
    id: 'uuidv7()', name: 'name || n', name_key: 'name_key || n', slug: 'slug || n', created_at: hoursAgo('n'),
  } },
  collections:            { times: 30,  but: {
    id: 'uuidv7()', name: 'name || n', name_key: 'name_key || n', slug: 'slug || n', created_at: hoursAgo('n'),
  } },
  collection_products:    { times: 50,  but: { product_id: 'uuidv7()', position: 'position + n' } },
  media:                  { times: 30,  but: { id: 'uuidv7()', hash: 'md5(hash || n)', created_at: hoursAgo('n') } },
  media_leftovers:        { times: 50,  but: { name: 'name || n' } },
  products:               { times: 100, but: {
    id: 'uuidv7()', name: 'name || n', slug: 'slug || n', search_text: 'search_text || n', price: '1 + n % 50',
    stock_quantity: 'n % 20', created_at: hoursAgo('n'), updated_at: hoursAgo('n / 2'),
  } },
  variants:               { times: 50,  but: { id: 'uuidv7()', position: 'position + n' } },
  inventory_transactions: { times: 30,  but: { id: 'uuidv7()', created_at: hoursAgo('n') } },
  customers:              { times: 100, but: {
    id: 'uuidv7()', name: 'name || n', email: 'n || email', search_text: 'search_text || n', orders_count: 'n % 7',
    total_spent: 'n % 90', created_at: hoursAgo('n'),
  } },
  customer_notes:         { times: 600, but: { id: 'uuidv7()', created_at: hoursAgo('n') } },
  marketing_consents:     { times: 600, but: { id: 'uuidv7()', created_at: hoursAgo('n') } },
  backinstock_requests:   { times: 600, but: { id: 'uuidv7()', email: 'n || email', created_at: hoursAgo('n') } },
  downloads_files:        { times: 600, but: { id: 'uuidv7()', product_id: 'uuidv7()', created_at: hoursAgo('n') } },
  downloads_grants:       { times: 600, but: { id: 'uuidv7()', item_id: 'uuidv7()', created_at: hoursAgo('n') } },
  downloads_keys:         { times: 6,   but: { id: 'uuidv7()', key: 'n || key', created_at: hoursAgo('n') } },
  customer_groups:        { times: 30,  but: { id: 'uuidv7()', name: 'name || n', created_at: hoursAgo('n') } },
  discounts:              { times: 50,  but: { id: 'uuidv7()', code: 'code || n', created_at: hoursAgo('n') } },
  orders:                 { times: 50,  but: {
    id: 'uuidv7()', order_number: 'order_number + 1000 * n', created_at: hoursAgo('n'),
  } },
  draft_orders:           { times: 50,  but: {
    id: 'uuidv7()', draft_number: "'D' || (1000 * substr(draft_number, 2)::int + n)", created_at: hoursAgo('n'),
  } },
  discount_uses:          { times: 50,  but: { order_id: 'uuidv7()' } },
  order_items:            { times: 20,  but: { id: 'uuidv7()' } },
  order_edits:            { times: 40,  but: { id: 'uuidv7()', created_at: hoursAgo('n'), sold_at: hoursAgo('n') } },
  order_comments:         { times: 20,  but: { id: 'uuidv7()', created_at: hoursAgo('n') } },
  fulfillments:           { times: 20,  but: { id: 'uuidv7()', created_at: hoursAgo('n') } },
  fulfillment_items:      { times: 20,  but: { item_id: 'uuidv7()' } },
  payment_sessions:       { times: 20,  but: { id: 'uuidv7()', order_id: 'uuidv7()', reference: 'null' } },
  payment_events:         { times: 20,  but: { id: 'uuidv7()', key: 'key || n' } },
  refunds:                { times: 20,  but: { id: 'uuidv7()', created_at: hoursAgo('n') } },
  refund_items:           { times: 20,  but: { item_id: 'uuidv7()' } },
  returns:                { times: 20,  but: {
    id: 'uuidv7()', number: 'number + 1000 * n', status: '\'closed\'', created_at: hoursAgo('n'),
  } },
  return_items:           { times: 20,  but: { item_id: 'uuidv7()' } },
  events:                 { times: 20,  but: { id: uuidAt('n'), occurred_at: hoursAgo('n') } },
  webhooks:               { times: 20,  but: { id: 'uuidv7()', url: 'url || n', created_at: hoursAgo('n') } },
  deliveries:             { times: 20,  but: { id: uuidAt('n'), created_at: hoursAgo('n') } },
  checkouts:              { times: 50,  but: {
    id: 'uuidv7()', token: 'null', token_hash: randomHash('n'), recovery_hash: 'null', created_at: hoursAgo('n'),
  } },
  shipping_rates:         { times: 10,  but: { id: 'uuidv7()', code: 'code || n', name: '\'Rate\'' } },
  tax_zones:              { times: 10,  but: { id: 'uuidv7()', position: 'n' } },
  payment_methods:        { times: 10,  but: { id: 'uuidv7()', code: 'code || n', name: '\'Method\'' } },
  order_bumps:            { times: 10,  but: { id: 'uuidv7()', position: 'n' } },
  custom_fields:          { times: 10,  but: { id: 'uuidv7()', key: 'key || n', position: 'n' } },
  proposals:              { times: 20,  but: { id: 'uuidv7()', created_at: hoursAgo('n') } },
  redirects:              { times: 50,  but: { id: 'uuidv7()', path: 'path || n', created_at: hoursAgo('n') } },
  pages:                  { times: 20,  but: { id: 'uuidv7()', kind: '\'page\'', slug: 'slug || n' } },
  mails:                  { times: 20,  but: {
    id: 'uuidv7()', created_at: hoursAgo('n'), status: 'case when n % 2 = 0 then status else \'sent\' end',
    next_attempt_at: 'case when n % 2 = 0 then next_attempt_at end',
  } },
  mail_settings:          { times: 10,  but: { kind: 'kind || n' } },
  imports:                { times: 20,  but: { id: 'uuidv7()', created_at: hoursAgo('n') } },
  import_rows:            { times: 50,  but: { number: 'number + 1000 * n', record: 'record + 1000 * n' } },
  import_images:          { times: 20,  but: { url: 'url || n' } },
  import_pictures:        { times: 5,   but: { name: 'name || n' } },
  idempotency_keys:       { times: 50,  but: { key: 'key || n' } },
  audit_seals:            { times: 10,  but: { sequence: 'sequence + 1000 * n', last_entry: uuidAt('n') } },
  audit_unsealed:         { times: 10,  but: { entry_id: uuidAt('n') } },
  requests:               { times: 50,  but: {
    id: 'uuidv7(- n * interval \'1 second\')', request_id: 'request_id || n',
  } },
}

// What another store's copy of a row has besides its store_id.
const elsewhere: Record<string, Record<string, string>> = {
  forks: { id: 'gen_random_uuid()' },
  outbox: { id: 'gen_random_uuid()' },
  api_keys: { hash: randomHash('stores.id') },
  shopper_passkeys: { credential_id: randomHash('stores.id') },
  store_slugs: { slug: 'store_slugs.slug || stores.id' },
}

/** Every row that the database has of `storeId`, many times, and again for each of its new neighbours. */
export async function fill(url: string, storeId: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // No foreign keys are checked: copies keep those of their originals.
    await client.query('set session_replication_role = replica')
    for (const [table, { times, but }] of Object.entries(repeated)) {
      await copyRows(client, table, but, `${table} cross join generate_series(1, ${times}) as n`)
    }
    await client.query(`
      insert into event_numbers (store_id, event_uuid, sequence)
      select store_id, id, 1000000 + row_number() over (partition by store_id)
      from events
      on conflict do nothing`)
    await client.query(
      `insert into unnumbered_events (store_id, event_uuid)
      select $1, gen_random_uuid() from generate_series(1, 20)`,
      [storeId],
    )
    await client.query(`
      insert into attempts (store_id, delivery_id, attempt, at, duration_ms, url)
      select store_id, id, 1, created_at, 5, 'https://hooks.example' from deliveries`)
    await client.query(`
      insert into disputes (store_id, id, session_id, reference, status, amount, currency, created_at, updated_at)
      select store_id, uuidv7(), id, 'dispute', 'won', 1, 'EUR', now(), now() from payment_sessions limit 50`)
    await client.query(`
      insert into roles (store_id, id, name, scopes, created_at, updated_at)
      select id, gen_random_uuid(), 'Role ' || n, '{}', now(), now()
      from stores cross join generate_series(1, 10) as n`)
    await client.query(
      `insert into unsummed_days (store_id, day)
      select $1, '2019-01-01'::date + n from generate_series(1, 20) as n`,
      [storeId],
    )
    await client.query(`
      insert into unsummed_categories (store_id, product_id, category)
      select id, gen_random_uuid(), '' from stores cross join generate_series(1, 10)`)
    await client.query(`
      insert into shopper_sign_ins (store_id, id, email, link_hash, browser_hash, created_at, expires_at)
      select store_id, uuidv7(), email, sha256(id::text::bytea), sha256(id::text::bytea), now(), now()
      from customers where email is not null`)
    await client.query(`
      insert into shopper_sessions (store_id, hash, customer_id, email, created_at, seen_at, expires_at)
      select store_id, sha256(id::text::bytea), id, lower(email), now(), now(), now()
      from customers where email is not null`)
    await client.query(`
      insert into shopper_passkeys (store_id, id, customer_id, email, credential_id, public_key, counter, transports,
        is_synced, name, created_at)
      select store_id, uuidv7(), id, lower(email), sha256((store_id || id)::bytea), '', 0, '{}', false, 'Phone', now()
      from customers where email is not null`)
    const dayKinds = 'product,discount,country,payment_method,channel'
    const kinds = (names: string) => `unnest('{${names}}'::text[]) as kind`
    await client.query(
      `insert into sales_by_day (store_id, kind, day, key, orders, pieces, discounts, refunds, sales)
      select $1, kind, '2019-01-01'::date + n, gen_random_uuid()::text, 1, 1, 0, 0, 1
      from ${kinds(dayKinds)} cross join generate_series(1, 60) as n`,
      [storeId],
    )
    await client.query(
      `insert into sales_by_period (store_id, kind, unit, begins, key, orders, pieces, discounts, refunds, sales)
      select $1, kind, unit, '2019-01-01', gen_random_uuid()::text, 1, 1, 0, 0, 1
      from ${kinds(`${dayKinds},category`)}
      cross join unnest('{month,year}'::text[]) as unit
      cross join generate_series(1, 30) as n`,
      [storeId],
    )
    await client.query(
      `insert into tax_by_day (store_id, day, country_code, province_code, name, rate, reason, orders, taxable, tax,
        refunded_taxable, refunded_tax)
      select $1, '2019-01-01'::date + n, 'US', '', 'Tax', 8, 'standard', 1, 1, 1, 0, 0
      from generate_series(1, 60) as n`,
      [storeId],
    )
    await client.query(`
      insert into agent_orders (store_id, checkout_id, profile, origin, order_id, due_at, created_at)
      select store_id, uuidv7(), 'https://agent.example/profile', 'https://shop.example', id, now(), created_at
      from orders limit 50`)
    await client.query(`
      insert into scarce_products (store_id, product_id, is_sold_out)
      select store_id, id, false from products limit 50
      on conflict do nothing`)
    await client.query(`
      insert into customer_merges (store_id, id, customer_id, merged_id, merged, moved, created_at)
      select store_id, uuidv7(), id, uuidv7(), '{}', '{}', now() from customers limit 600`)
    await client.query(`
      insert into backinstock_settings (store_id, is_active)
      select 'store-' || n, true from generate_series(1, 2000) as n`)
    await client.query(`
      insert into downloads_settings (store_id, max_downloads)
      select 'store-' || n, 5 from generate_series(1, 2000) as n`)
    await client.query(
      `insert into downloads_leftovers (store_id, id, due_at)
      select $1, uuidv7(), now() + interval '1 year' from generate_series(1, 600)`,
      [storeId],
    )
    await client.query(
      `insert into store_slugs (store_id, slug, until)
      select $1, 'given-up-' || n, now() + interval '1 year' from generate_series(1, 20) as n`,
      [storeId],
    )
    await fillListed(client)
    await client.query(`
      insert into product_words (store_id, product_id, words)
      select store_id, id, product_words(store_id, name, sku, options, description, translations) from products
      on conflict do nothing`)
    await client.query(`
      insert into product_slugs (store_id, slug, product_id, since)
      select store_id, 'former-' || row_number() over (), id, now() from products limit 50`)
    for (const [kind, owner] of [
      ['categories', 'category'],
      ['collections', 'collection'],
    ]) {
      await client.query(`
        insert into ${owner}_slugs (store_id, slug, ${owner}_id, since)
        select store_id, 'former-' || row_number() over (), id, now() from ${kind} limit 50`)
    }
    await client.query(`
      insert into webhook_health (store_id, webhook_id)
      select store_id, id from webhooks
      on conflict do nothing`)
    await client.query(
      `insert into mail_refusals (store_id, email_hash, created_at)
      select $1, sha256(convert_to('person' || n, 'UTF8')), now() from generate_series(1, 50) as n`,
      [storeId],
    )
    await client.query(
      `insert into outbox (id, store_id, recipient, subject, body, created_at)
      select gen_random_uuid(), $1, 'person' || n || '@example.com', '', '', now() from generate_series(1, 20) as n`,
      [storeId],
    )
    await client.query(
      `with people as (
        insert into users (id, email, created_at, updated_at)
        select gen_random_uuid(), 'person' || n || '@example.com', now(), now() from generate_series(1, 10) as n
        returning id
      )
      insert into members (store_id, user_id, role, created_at) select $1, id, 'owner', now() from people`,
      [storeId],
    )
    await client.query(`
      insert into saved_views (store_id, id, user_id, list, name, query, is_default, created_at, updated_at)
      select store_id, uuidv7(), user_id, 'orders', 'View ' || n, 'status=open', false, now(), now()
      from members cross join generate_series(1, 5) as n`)
    await copyRows(
      client,
      'stores',
      { id: `'XX-' || lpad(n::text, 8, '0')`, slug: 'slug || n' },
      `stores cross join generate_series(1, ${neighbours}) as n where id = '${storeId}'`,
    )
    for (const table of await tablesWith(client, 'store_id')) {
      await copyRows(
        client,
        table,
        { store_id: 'stores.id', ...elsewhere[table] },
        `${table} join stores on ${table}.store_id = '${storeId}' and stores.id <> '${storeId}'`,
      )
    }
    await client.query('analyze')
  } finally {
    await client.end()
  }
}

/** The narrow tables, as their triggers would fill them. */
export async function fillListed(client: pg.Client): Promise<void> {
  for (const table of ['products', 'customers', 'orders', 'checkouts']) {
    const { rows } = await client.query(
      `select string_agg(attname, ', ') as columns
      from pg_attribute
      where attrelid = 'listed_${table}'::regclass and attnum > 0`,
    )
    await client.query(`
      insert into listed_${table} (${rows[0].columns})
      select ${rows[0].columns} from ${table}
      on conflict do nothing`)
  }
}

export async function tablesWith(client: pg.Client, column: string): Promise<string[]> {
  const { rows } = await client.query(
    `
    select table_name as name
    from information_schema.columns
    join pg_class on pg_class.oid = to_regclass(table_name)
    where table_schema = 'public'
      and column_name = $1
      and not relispartition`,
    [column],
  )
  return rows.map(({ name }) => name)
}

/** Inserts the table's rows of `source` once more, with other values in some columns. */
export async function copyRows(
  client: pg.Client,
  table: string,
  but: Record<string, string>,
  source: string,
): Promise<void> {
  const { rows } = await client.query(
    `
    select column_name as name
    from information_schema.columns
    where table_schema = 'public'
      and table_name = $1
      and is_generated = 'NEVER'`,
    [table],
  )
  const names = rows.map(({ name }) => name)
  const values = names.map((name) => but[name] ?? `${table}.${name}`)
  await client.query(`insert into ${table} (${names.join(', ')}) select ${values.join(', ')} from ${source}`)
}

function hoursAgo(hours: string): string {
  return `now() - ${hours} * interval '1 hour'`
}

/** With the time of hoursAgo. */
function uuidAt(hours: string): string {
  return `uuidv7(- ${hours} * interval '1 hour')`
}

function randomHash(seed: string): string {
  return `sha256((random() || ${seed}::text)::bytea)`
}
