// The rest of a large store: customers, orders and what belongs to them, with names and numbers as people have them.
import pg from 'pg'
import { storeId } from './load.ts'

export const sizes = { customers: 100_000, orders: 200_000, drafts: 50_000, media: 50_000, discounts: 5000 }

const firstNames = `array['Ana', 'Luis', 'María', 'Jorge', 'Inés', 'Carlos', 'Sofía', 'Pedro', 'Elena', 'Raúl', 'Lucía',
  'Diego', 'Paula', 'Andrés', 'Clara', 'Hugo', 'Julia', 'Iván', 'Marta', 'Óscar']`
const syllables = `array['ba', 'ro', 'mi', 'len', 'tor', 'qui', 'sa', 'ver', 'ola', 'dan', 'fe', 'gar', 'hu', 'jim',
  'kov', 'zal', 'pe', 'nu', 'rri', 'ech', 'wan', 'stu', 'cor', 'tez', 'ibar']`
const syllable = (n: string) => `(${syllables})[1 + (${n}) % 25]`
const lastName = `initcap(${syllable('n')} || ${syllable('n / 25')} || ${syllable('n / 625 * 7 + n')})`

/** Loads it into the store, unless it is there. */
export async function loadRest(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const store = `'${storeId(0)}'`
  const { customers, orders, drafts, media, discounts } = sizes
  const { rows } = await client.query(`select from orders where store_id = ${store} limit 1`)
  if (rows.length === 0) {
    await client.query('begin')
    await client.query('set local synchronous_commit = off')
    await client.query(`
      insert into customers (store_id, id, name, email, phone, phone_key, orders_count, total_spent, last_order_at,
        search_text, created_at, updated_at)
      select ${store}, uuidv7(- n * interval '5 minutes'), name, email, '+52 ' || phone, '+52' || phone, 2, n % 997,
        now() - n % 1009 * interval '1 hour',
        lower(translate(name, 'áéíóúÓ', 'aeiouO')) || ' ' || email || ' +52 ' || phone || ' 52' || phone
          || ' +52' || phone,
        now() - n * interval '5 minutes', now() - n % 10007 * interval '5 minutes'
      from generate_series(1, ${customers}) as n
      cross join lateral (
        select (${firstNames})[1 + n % 20] || ' ' || ${lastName} as name,
          lower(${lastName}) || n || '@' || (array['gmail.com', 'example.com', 'mail.mx'])[1 + n % 3] as email,
          lpad((n::bigint * 7919 * 104729 % 10000000000)::text, 10, '0') as phone) as person`)
    await client.query(`
      create temporary table buyers as
      select row_number() over (order by id) as n, id, name, email, phone, search_text
      from customers
      where store_id = ${store}`)
    await client.query(`
      insert into orders (store_id, id, order_number, status, payment_status, payment_method, currency, customer_id,
        customer_name, customer_email, customer_phone, subtotal, discount_amount, shipping_cost, tax_amount, total,
        captured_amount, free_shipping, shipping_address, country_code, item_count, created_at, updated_at, search_text)
      select ${store}, uuidv7(- o * interval '2 minutes'), 1000 + ${orders} - o,
        (array['pending', 'confirmed', 'in_progress', 'completed'])[o % 4 + 1],
        (array['pending', 'paid', 'paid'])[o % 3 + 1], 'card', 'USD', id, name, email, phone,
        o % 500 + 1, 0, 5, 0, o % 500 + 6, 0, false,
        json_build_object('name', name, 'phone', phone, 'address', 'Main street ' || o,
          'city', (array['Lima', 'Quito', 'Puebla', 'Bilbao'])[o % 4 + 1], 'province', 'P' || o % 20,
          'country', 'Peru', 'country_code', 'PE', 'postal_code', '15001', 'notes', ''),
        (array['PE', 'MX', 'ES', 'US'])[o % 4 + 1], 2, now() - o * interval '2 minutes',
        now() - o % 10007 * interval '2 minutes',
        lower(translate(name, 'áéíóúÓ', 'aeiouO')) || ' ' || email
      from generate_series(1, ${orders}) as o
      join buyers on n = o % ${customers} + 1`)
    await client.query(`
      insert into order_items
        (store_id, order_id, id, product_id, product_name, quantity, unit_price, total_price, created_at)
      select ${store}, orders.id, uuidv7(), products.id, products.name, 1, 10, 10, orders.created_at
      from (
        select id, created_at, order_number + i as n
        from orders, (values (0), (77777)) as lines (i)
        where store_id = ${store}) as orders
      join (
        select row_number() over (order by id) - 1 as n, id, name
        from products
        where store_id = ${store}) as products on products.n = orders.n % 1000 * 200 + orders.n % 190`)
    await client.query(`
      insert into payment_sessions (store_id, id, order_id, provider, reference, status, purpose, amount, currency,
        created_at, updated_at)
      select store_id, uuidv7(), id, 'stripe', id::text, 'captured', 'order', total, currency, created_at, updated_at
      from orders
      where store_id = ${store}`)
    await client.query(`
      insert into mails (store_id, id, kind, recipient, language, order_id, status, created_at, sent_at)
      select store_id, uuidv7(), 'order_confirmation', customer_email, 'en', id, 'sent', created_at, created_at
      from orders
      where store_id = ${store}`)
    await client.query(`
      insert into checkouts (store_id, id, token_hash, status, locale, customer_email, items, order_bumps, bump_ids,
        currency, subtotal, discount, shipping, tax, total, draft_since, abandoned_at, created_at, updated_at)
      select ${store}, uuidv7(), sha256(n::text::bytea), (array['abandoned', 'recovered'])[1 + n % 2], 'en',
        'draft' || n || '@example.com', '[]', '{}', '{}', 'USD', n, 0, 0, 0, n, now() - n * interval '1 minute',
        now() - n * interval '1 minute', now() - n * interval '1 minute', now() - n * interval '1 minute'
      from generate_series(1, ${drafts}) as n`)
    await client.query(`
      insert into media (store_id, id, hash, width, height, colour, bytes, format, status, created_at, updated_at)
      select ${store}, uuidv7(), md5(n::text), 100, 100, 'ffffff', 10000 + n, 'jpeg', 'ready',
        now() - n * interval '1 minute', now() - n * interval '1 minute'
      from generate_series(1, ${media}) as n`)
    await client.query(`
      insert into discounts (store_id, id, code, type, value, created_at, updated_at)
      select ${store}, uuidv7(), 'CODE-' || n, 'percentage', 10, now() - n * interval '1 hour',
        now() - n * interval '1 hour'
      from generate_series(1, ${discounts}) as n`)
    const webhook = `'00000000-0000-7000-8000-000000000001'::uuid`
    await client.query(`
      insert into webhooks (store_id, id, url, events, secret, secret_last4, is_active, disabled_at, disabled_reason,
        created_at, updated_at)
      values (${store}, ${webhook}, 'https://hooks.example', '{order.created}', '', '', false, now(), 'manual', now(),
        now())`)
    await client.query(`
      insert into deliveries (store_id, id, webhook_id, event_uuid, event, status, run_at, completed_at, created_at)
      select ${store}, uuidv7(- o * interval '10 seconds'), ${webhook}, uuidv7(), 'order.created', 'delivered',
        created_at, created_at, created_at
      from (
        select o, now() - o * interval '10 seconds' as created_at
        from generate_series(1, ${orders}) as o) as made`)
    await client.query(`
      insert into store_counters (store_id) values (${store})
      on conflict (store_id) do update
      set customers = ${customers}, orders = ${orders}, order_number = ${1000 + orders}, discounts = ${discounts}`)
    await client.query('commit')
    await client.query('vacuum analyze')
  }
  await client.end()
}
