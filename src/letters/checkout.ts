// A checkout that was not paid, in the words of letters about orders.
import type { Db } from '../kit/database/database.ts'
import { publicId } from '../kit/values/ids.ts'
import type { Vault } from '../kit/values/secrets.ts'
import { sql } from '../kit/database/sql.ts'
import { checkout, type CheckoutRow } from '../checkout/checkout.ts'
import { openToken } from '../checkout/link.ts'
import type { LetterOrder } from './facts.ts'

/** With the way back to it below the store's address; or why nobody needs that any more. */
export async function findUnpaid(
  db: Db,
  vault: Vault,
  { storeId, id }: { storeId: string; id: string },
): Promise<{ order: LetterOrder; path: string } | { unwanted: string }> {
  const row = await db.one<CheckoutRow & { is_paying: boolean }>(sql`
    select ${checkout.row.columns}, exists (
        select from payment_sessions
        where payment_sessions.store_id = checkouts.store_id
          and payment_sessions.checkout_id = checkouts.id
          and purpose = 'order'
          and status not in ('failed', 'canceled', 'expired')) as is_paying
    from checkouts
    where store_id = ${storeId}
      and id = ${id}`)
  if (row?.order_id) return { unwanted: 'An order was placed meanwhile' }
  if (row?.is_paying) return { unwanted: 'It is being paid again' }
  const token = row && openToken(vault, storeId, publicId('chk', id), row.token)
  if (!row || !token || row.status === 'expired') return { unwanted: 'The checkout has ended' }
  return { order: unpaidOrder(row), path: recoveryPath(token) }
}

export function recoveryPath(token: string): string {
  return `/recover/${token}`
}

function unpaidOrder(row: CheckoutRow): LetterOrder {
  const { currency, payment_method, shipping_method, discount_code, customer_notes } = row
  const { customer_name, customer_phone, customer_email } = row
  return {
    id: publicId('chk', row.id),
    order_number: null,
    payment_status: 'failed',
    customer_name,
    customer_phone,
    customer_email,
    customer_notes,
    currency,
    payment_method,
    shipping_method,
    // Where it goes is not said before somebody buys.
    shipping_address: null,
    discount_code,
    subtotal: Number(row.subtotal),
    discount_amount: Number(row.discount),
    shipping_cost: Number(row.shipping),
    tax_amount: Number(row.tax),
    included_tax: 0,
    tax_lines: [],
    total: Number(row.total),
    order_bumps: { total: 0, items: row.order_bumps },
    items: row.items.map((item) => ({ ...item, id: publicId('chk', row.id) })),
  }
}
