// An unpaid checkout as an order for emails.
import type { Db } from '../../kit/database/database.ts'
import { toNumber } from '../../kit/values/money.ts'
import { publicId } from '../../kit/values/ids.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import { sql } from '../../kit/database/sql.ts'
import { checkout, type CheckoutRow } from '../checkout/checkout.ts'
import { openToken } from '../checkout/link.ts'
import { refusesMail, sendsRecovery } from '../checkout/settlement/mail.ts'
import type { CheckoutMail } from '../../tenancy/emails/kinds.ts'
import type { LetterOrder } from './facts.ts'

type AbandonedCheckout = { order: LetterOrder; path: string; unsubscribePath: string }

/** Finds it with its path below the store's URL, or returns why no email is needed anymore. */
export async function findAbandoned(
  db: Db,
  vault: Vault,
  { storeId, id, kind }: { storeId: string; id: string; kind: CheckoutMail },
): Promise<AbandonedCheckout | { unwanted: string }> {
  const row = await db.one<CheckoutRow & { is_paying: boolean; refuses: boolean; sends_recovery: boolean }>(sql`
    select ${checkout.row.columns}, ${refusesMail} as refuses, ${sendsRecovery} as sends_recovery, exists (
        select from payment_sessions
        where payment_sessions.store_id = checkouts.store_id
          and payment_sessions.checkout_id = checkouts.id
          and purpose = 'order'
          and status not in ('failed', 'cancelled', 'expired')) as is_paying
    from checkouts
    join stores on stores.id = checkouts.store_id
    join plans on plans.id = stores.plan_id
    where checkouts.store_id = ${storeId}
      and checkouts.id = ${id}`)
  if (row?.order_id) return { unwanted: 'An order has been placed in the meantime' }
  if (row?.is_paying) return { unwanted: 'Another payment is in progress' }
  if (row?.refuses) return { unwanted: 'The shopper has unsubscribed from abandoned checkout emails' }
  const token = row && openToken(vault, storeId, publicId('chk', id), row.token)
  if (!row || !token || row.status === 'expired') return { unwanted: 'The checkout has expired' }
  if (kind === 'abandoned_checkout' && !row.sends_recovery)
    return { unwanted: 'Abandoned checkout emails are turned off' }
  return { order: unpaidOrder(row), ...recoveryPaths(token) }
}

export function recoveryPaths(token: string): Pick<AbandonedCheckout, 'path' | 'unsubscribePath'> {
  return { path: `/recover/${token}`, unsubscribePath: `/unsubscribe/${token}` }
}

function unpaidOrder(row: CheckoutRow): LetterOrder {
  const { currency, payment_method, shipping_method, discount_code, customer_notes } = row
  const { customer_name, customer_phone, customer_email } = row
  return {
    id: publicId('chk', row.id),
    order_number: null,
    country_code: null,
    payment_status: 'failed',
    customer_name,
    customer_phone,
    customer_email,
    customer_notes,
    custom_fields: [],
    currency,
    payment_method,
    shipping_method,
    // Addresses are not shown before the purchase.
    shipping_address: null,
    billing_address: null,
    discount_code,
    discounts: [],
    captured_amount: 0,
    refunded_amount: 0,
    subtotal: toNumber(row.subtotal),
    discount_amount: toNumber(row.discount),
    shipping_cost: toNumber(row.shipping),
    tax_amount: toNumber(row.tax),
    included_tax: 0,
    tax_lines: [],
    total: toNumber(row.total),
    amount_due: toNumber(row.total),
    order_bumps: { total: 0, items: row.order_bumps },
    items: row.items.map((item) => ({ ...item, id: publicId('chk', row.id) })),
  }
}
