import { sql } from '../../kit/database/sql.ts'
import { withoutPersonal } from '../../kit/declare/row.ts'
import { publicId } from '../../kit/values/ids.ts'
import { unequal, unlike } from '../../tenancy/tables/rule.ts'
import { table, type Erase } from '../../tenancy/tables/table.ts'
import { checkout } from './checkout.ts'
import { sealContext } from './link.ts'

export const mailRefusals = table('mail_refusals', { audit: 'hashes of addresses', unforked: 'hashes of addresses' })

/** Stops later emails. */
const eraseCheckouts: Erase = (tx, storeId, { checkoutIds }) =>
  tx.later(sql`
    update checkouts
    set ${withoutPersonal(checkout.fields)},
        recovery_mail = case when recovery_mail = 'queued' then 'withheld' else recovery_mail end
    where store_id = ${storeId}
      and id = any(${checkoutIds}::uuid[])`)

// Links of shoppers open only the original's checkouts.
export const checkouts = table(checkout, {
  rules: [
    {
      name: 'every completed checkout has its own order',
      broken: sql`
      select store_id, id::text as wrong
      from checkouts
      where (status in ('completed', 'recovered')) <> (order_id is not null)
      union all
      ${unequal(
        sql`select store_id, order_id, 1, 0 from checkouts where order_id is not null`,
        sql`select store_id, id, 1, 0 from orders`,
      )}`,
    },
  ],
  audit: 'what shoppers type; an order is made of it, which is told',
  erasure: eraseCheckouts,
  replaced: ({ buyer, unknownHash }) => ({
    ...buyer,
    token: 'null',
    token_hash: unknownHash,
    recovery_hash: 'null',
    custom_fields: 'null',
    recovery_mail: `case when recovery_mail = 'queued' then 'withheld' else recovery_mail end`,
  }),
  sealed: {
    columns: ['token'],
    context: (row) => sealContext(row.store_id!, publicId('chk', row.id!)),
    blank: 'null',
    without: { token: 'null' },
  },
})

export const listedCheckouts = table('listed_checkouts', {
  audit: 'what follows from checkouts',
  rules: [
    {
      name: 'the narrow rows of checkouts match the checkouts',
      broken: unlike(
        sql`store_id, id, status, channel, currency, total, order_id, draft_since, abandoned_at, recovered_at, due_at,
          created_at`,
        sql`checkouts`,
        sql`listed_checkouts`,
      ),
    },
  ],
})
