// Many drafts of which few are due, and one sweep over them.
import type { Database } from '../../src/kit/database/database.ts'
import { publicId } from '../../src/kit/values/ids.ts'
import { sql } from '../../src/kit/database/sql.ts'
import { sealContext } from '../../src/storefront/checkout/link.ts'
import type { CheckoutDeps } from '../../src/storefront/checkout/checkout.ts'
import { sweepCheckouts } from '../../src/storefront/checkout/drafts/sweep.ts'
import { cpuOfPostgres } from '../processes.ts'
import type { Shop } from './shoppers.ts'

const due = 100
const batchSize = 20_000

/** Replaces all checkouts. Those that are not due will be within the next 30 days. */
export async function loadDrafts(db: Database, { store }: Shop, count: number, { vault }: CheckoutDeps): Promise<void> {
  await db.rows(sql`truncate checkouts`)
  for (let from = 0; from < count; from += batchSize) {
    const to = Math.min(from + batchSize, count)
    await db.rows(sql`
      insert into checkouts (store_id, id, token, token_hash, status, locale, customer_email, items, order_bumps,
        bump_ids, currency, subtotal, discount, shipping, tax, total, draft_since, due_at, created_at, updated_at)
      select ${store.id}, uuidv7(), 'sealed', sha256(convert_to(n::text, 'UTF8')), 'active', 'es',
        'shopper' || n || '@example.com',
        '[{"product_id": "prod_01m7yxq7bze20skrvqq2nfem3e", "variant_id": null, "product_name": "Canvas backpack",
           "variant_name": null, "quantity": 2, "unit_price": 20, "total_price": 40, "bump_id": null}]',
        '[]', '{}', 'MXN', 40, 0, 0, 0, 40, now() - interval '40 minutes',
        case when n < ${due}::int then now() - interval '5 minutes'
             else now() + interval '1 hour' + random() * interval '30 days' end,
        now() - interval '40 minutes', now() - interval '40 minutes'
      from generate_series(${from}::int, ${to - 1}::int) as n`)
  }
  const rows = await db.rows<{ id: string }>(sql`select id from checkouts where due_at < now()`)
  const tokens = rows.map(({ id }) => vault.seal('A'.repeat(43), sealContext(store.id, publicId('chk', id))))
  await db.rows(sql`
    update checkouts
    set token = sealed.token
    from unnest(${rows.map(({ id }) => id)}::uuid[], ${tokens}::text[]) as sealed (id, token)
    where checkouts.store_id = ${store.id}
      and checkouts.id = sealed.id`)
  await db.rows(sql`analyze checkouts`)
}

export async function sweepOnce(
  db: Database,
  postmaster: number,
  deps: CheckoutDeps,
): Promise<{ wallMs: number; cpuMs: number; due: number }> {
  // The first use of a connection prepares its statements, as every sweep but a node's first finds them.
  await db.transaction(async (tx) => {
    await sweepCheckouts({ ...tx, now: new Date(0) } as typeof tx, deps)
  })
  const cpu = cpuOfPostgres(postmaster),
    startedAt = performance.now()
  const found = await db.transaction((tx) => sweepCheckouts(tx, deps))
  return { wallMs: performance.now() - startedAt, cpuMs: (cpuOfPostgres(postmaster) - cpu) / 1000, due: found }
}
