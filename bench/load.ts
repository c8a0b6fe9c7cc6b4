// Bulk data: 1,000 stores × 1,000 products, one store of 200,000, and 1,000 orders a store, by SQL alone. Half of the
// products have two variants; all track their stock. BENCH_SCALE (1) divides stores and the large store's
// products; BENCH_LARGE is the number of the latter alone, BENCH_STORES of the stores, and BENCH_ROWS (1,000) of the
// products and the orders of each.
import pg from 'pg'
import { hashSecret } from '../src/kit/values/secrets.ts'
import { scopes } from '../src/identity/apikeys/scopes.ts'

export const scale = Number(process.env.BENCH_SCALE ?? 1)
export const smallStores = Number(process.env.BENCH_STORES ?? 1000 / scale)
const productsPerStore = Number(process.env.BENCH_ROWS ?? 1000)
export const productsOfLarge = Number(process.env.BENCH_LARGE ?? 200_000 / scale)
export const ordersPerStore = productsPerStore
const customersPerStore = ordersPerStore / 10

/** Store n of the benchmark; 0 is the large one. */
export function storeId(n: number): string {
  return `BE-${String(n).padStart(8, '0')}`
}

/** A store's key, the same on every run. */
export function keyOf(n: number, index = 0): string {
  return `wk_live_bench${String(index).padStart(5, '0')}${String(n).padStart(30, '0')}`
}

/** Many keys of one store: each has a quota of its own. */
export function keysOfStore(n: number): string[] {
  return Array.from({ length: keysPerMeasuredStore }, (_, index) => keyOf(n, index))
}
const keysPerMeasuredStore = 300

const storeOf = (n: string) => `'BE-' || lpad((${n})::text, 8, '0')`

/** Loads what is missing; answers how long it took, in seconds. `stores`: all of them, or one alone. */
export async function load(url: string, { only }: { only?: number } = {}): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const began = Date.now()
  try {
    const { rows } = await client.query('select count(*)::int as stores from stores')
    if (rows[0].stores > 0) return 0
    const [first, last] = only === undefined ? [0, smallStores] : [only, only]
    await client.query('begin')
    await client.query(`set local synchronous_commit = off`)
    await loadStores(client, first, last)
    await client.query('commit')
    // Small transactions keep the write-ahead log and the locks bounded.
    for (let from = first; from <= last; from += 50) {
      const to = Math.min(from + 49, last)
      await loadProducts(client, from, to)
      await loadOrders(client, Math.max(from, 1), to)
    }
    await client.query('vacuum analyze')
    return (Date.now() - began) / 1000
  } finally {
    await client.end()
  }
}

async function loadStores(client: pg.Client, first: number, last: number): Promise<void> {
  const range = `generate_series(${first}, ${last}) as n`
  await client.query(`
    insert into stores (id, name, slug, currency, country_code, timezone, plan_id, created_at, updated_at)
    select ${storeOf('n')}, 'Bench ' || n, 'bench-' || n, 'USD', 'US', 'UTC', 'unlimited', now(), now()
    from ${range}`)
  await client.query(`
    insert into store_counters (store_id, products_active, customers, orders, order_number)
    select ${storeOf('n')}, case when n = 0 then ${productsOfLarge} else ${productsPerStore} end,
      case when n = 0 then 0 else ${customersPerStore} end, case when n = 0 then 0 else ${ordersPerStore} end,
      1000 + case when n = 0 then 0 else ${ordersPerStore} end
    from ${range}`)
  await client.query(`insert into event_logs (store_id) select ${storeOf('n')} from ${range}`)
  for (let n = first; n <= last; n++) await loadKeys(client, n)
}

async function loadKeys(client: pg.Client, n: number): Promise<void> {
  const keys = [0, 5].includes(n) ? keysOfStore(n) : [keyOf(n)]
  await client.query(
    `
    insert into api_keys (store_id, id, name, mode, hash, last4, scopes, created_at, updated_at)
    select $1, uuidv7(), 'bench', 'live', hash, '0000', $3, now(), now()
    from unnest($2::bytea[]) as hash`,
    [storeId(n), keys.map(hashSecret), scopes],
  )
}

async function loadProducts(client: pg.Client, from: number, to: number): Promise<void> {
  await client.query(`
    insert into categories (store_id, id, name, name_key, slug, created_at, updated_at)
    select ${storeOf('n')}, uuidv7(), 'Category ' || c, 'category ' || c, 'category-' || c, now(), now()
    from generate_series(${from}, ${to}) as n, generate_series(1, 10) as c`)
  await client.query(`
    insert into products (store_id, id, name, slug, description, price, compare_price, main_image, gallery, sku,
      stock_quantity, track_inventory, is_tracked, supplier_cost, category_id, search_text, is_featured, created_at,
      updated_at, variant_count, options)
    select ${storeOf('n')}, uuidv7(), made.name, made.slug, repeat('Made to last. ', 20), price, price * 1.25,
      made.image || '1.jpg',
      json_build_array(
        json_build_object('id', 'img_' || lpad(p::text, 26, '0'), 'url', made.image || '1.jpg',
          'alt_text', made.name, 'position', 0),
        json_build_object('id', 'img_' || lpad(p::text, 26, '1'), 'url', made.image || '2.jpg',
          'alt_text', null, 'position', 1)),
      sku, case when variant_count = 0 then stock else stock * 2 end, true, true, price / 2, categories.id,
      lower(made.name) || ' ' || lower(sku) || ' ' || made.slug, p % 10 = 0,
      now() - p * interval '7 minutes', now() - p * interval '3 minutes', variant_count,
      case when variant_count = 0 then '[]'::json else json_build_array(json_build_object(
        'id', 'opt_' || lpad(p::text, 26, '0'), 'title', 'Colour', 'position', 0, 'values', array['Red', 'Blue'])) end
    from generate_series(${from}, ${to}) as n
    cross join lateral generate_series(1, case when n = 0 then ${productsOfLarge} else ${productsPerStore} end) as p
    cross join lateral (
      select
        (array['Canvas backpack', 'Steel bottle', 'Wool scarf', 'Desk lamp', 'Leather wallet'])[p % 5 + 1]
          || ' ' || p as name,
        (array['canvas-backpack', 'steel-bottle', 'wool-scarf', 'desk-lamp', 'leather-wallet'])[p % 5 + 1]
          || '-' || p as slug,
        'SKU-' || lpad(p::text, 6, '0') as sku, (5 + p % 500)::numeric + 0.99 as price,
        'https://images.example.com/products/' || p || '/' as image,
        case when p % 2 = 0 then 2 else 0 end as variant_count,
        case when p = 1 then 100000000 else p % 200 end as stock
    ) as made
    join categories on categories.store_id = ${storeOf('n')} and categories.slug = 'category-' || (p % 10 + 1)`)
  const loaded = `store_id between ${storeOf(String(from))} and ${storeOf(String(to))}`
  await client.query(`
    insert into variants (store_id, id, product_id, title, sku, stock_quantity, manage_inventory, position,
      option_values, search_text, created_at, updated_at)
    select store_id, uuidv7(), id, colour, sku || '-' || upper(left(colour, 1)), stock_quantity / 2, true, position,
      json_build_array(json_build_object('option_title', 'Colour', 'value', colour)),
      lower(sku) || '-' || lower(left(colour, 1)), created_at, updated_at
    from products, (values ('Red', 0), ('Blue', 1)) as colours (colour, position)
    where ${loaded}
      and variant_count > 0`)
  await client.query(`
    insert into inventory_transactions
      (store_id, id, product_id, variant_id, quantity, stock_after, reason, order_id, actor, created_at)
    select products.store_id, uuidv7(), products.id, variants.id, stock, stock, 'received', null, 'system:bench',
      products.created_at
    from products
    left join variants on variants.store_id = products.store_id and variants.product_id = products.id
    cross join lateral (select coalesce(variants.stock_quantity, products.stock_quantity) as stock) as moved
    where products.${loaded}
      and stock <> 0`)
}

async function loadOrders(client: pg.Client, from: number, to: number): Promise<void> {
  await client.query(`
    insert into customers (store_id, id, name, email, phone, orders_count, total_spent, last_order_at, search_text,
      created_at, updated_at)
    select ${storeOf('n')}, uuidv7(), 'Customer ' || c, 'customer' || c || '@example.com', null,
      ${ordersPerStore / customersPerStore}, 1000, now(), 'customer ' || c || ' customer' || c || '@example.com',
      now() - c * interval '1 day', now()
    from generate_series(${from}, ${to}) as n, generate_series(1, ${customersPerStore}) as c`)
  await client.query(`
    insert into orders (store_id, id, order_number, status, payment_status, currency, customer_id, customer_name,
      customer_email, subtotal, discount_amount, shipping_cost, tax_amount, total, free_shipping, shipping_address,
      country_code, item_count, created_at, updated_at, search_text)
    select customers.store_id, uuidv7(), 1000 + o,
      (array['pending', 'confirmed', 'in_progress', 'completed'])[o % 4 + 1],
      (array['pending', 'paid', 'paid'])[o % 3 + 1], 'USD', customers.id, customers.name, customers.email,
      o % 500 + 1, 0, 5, 0, o % 500 + 6, false,
      json_build_object('name', customers.name, 'phone', '', 'address', 'Main street ' || o,
        'city', (array['Lima', 'Quito', 'Puebla', 'Bilbao'])[o % 4 + 1], 'province', 'P' || o % 20, 'country', 'Peru',
        'country_code', 'PE', 'postal_code', '15001', 'notes', ''),
      'PE', 2, now() - o * interval '1 hour', now() - o * interval '50 minutes', customers.search_text
    from generate_series(1, ${ordersPerStore}) as o
    join customers on customers.email = 'customer' || (o % ${customersPerStore} + 1) || '@example.com'
      and customers.store_id between ${storeOf(String(from))} and ${storeOf(String(to))}`)
  await client.query(`
    insert into order_items (store_id, order_id, id, product_name, quantity, unit_price, total_price, created_at)
    select store_id, id, uuidv7(), 'Canvas backpack ' || i, 1, 10, 10, created_at
    from orders, generate_series(1, 2) as i
    where store_id between ${storeOf(String(from))} and ${storeOf(String(to))}`)
}
