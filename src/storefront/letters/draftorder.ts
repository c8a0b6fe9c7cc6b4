// A draft order as an order for emails.
import type { Db } from '../../kit/database/database.ts'
import { baseUrl, raw, sql } from '../../kit/database/sql.ts'
import { toNumber } from '../../kit/values/money.ts'
import { publicId } from '../../kit/values/ids.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import { draftOrder, type DraftItem, type DraftOrderRow } from '../../commerce/draftorders/draftorder.ts'
import type { DraftOrderMail } from '../../tenancy/emails/kinds.ts'
import { draftPath } from '../checkout/draftorders/link.ts'
import type { LetterOrder } from './facts.ts'

type LetterDraft = {
  order: LetterOrder
  path: string
  /** The draft in the dashboard, for emails to the merchant. */
  url: string | null
  customerId: string | null
}

/** Finds it with the target of the button, or returns why no email is needed anymore. */
export async function findLetterDraft(
  db: Db,
  vault: Vault,
  { storeId, id, kind }: { storeId: string; id: string; kind: DraftOrderMail },
): Promise<LetterDraft | { unwanted: string }> {
  const row = await db.one<DraftOrderRow & { site_url: string }>(sql`
    select ${draftOrder.row.columns}, ${raw('draft_orders.checkout_id')}, ${baseUrl}::text as site_url
    from draft_orders
    where store_id = ${storeId}
      and id = ${id}`)
  if (!row) return { unwanted: 'The draft order was deleted' }
  if (row.completed_at) return { unwanted: 'The draft order is an order already' }
  const { checkout_id, site_url } = row
  const isExpired = row.link_expires_at !== null && row.link_expires_at <= db.clock.now()
  if (!checkout_id || isExpired) return { unwanted: 'The payment link has ended' }
  const url = kind === 'draft_order_blocked' ? `${site_url}/dashboard/${storeId}${draftScreen(row.id)}` : null
  const path = draftPath(vault, storeId, { id, checkout_id })
  return { order: buildLetterOrder(row), path, url, customerId: row.customer_id }
}

function draftScreen(id: string): string {
  return `/orders/drafts/${publicId('dord', id)}`
}

function buildLetterOrder(row: DraftOrderRow): LetterOrder {
  return {
    ...row,
    id: publicId('dord', row.id),
    order_number: null,
    payment_status: 'pending',
    // Addresses are not shown before the purchase.
    shipping_address: null,
    billing_address: null,
    custom_fields: [],
    // A merchant's own rate has no method.
    shipping_method: row.shipping_method ?? 'other',
    discounts: [],
    captured_amount: 0,
    refunded_amount: 0,
    subtotal: toNumber(row.subtotal),
    discount_amount: toNumber(row.discount_amount),
    shipping_cost: toNumber(row.shipping_cost),
    tax_amount: toNumber(row.tax_amount),
    included_tax: toNumber(row.included_tax),
    tax_lines: [],
    total: toNumber(row.total),
    amount_due: toNumber(row.total),
    order_bumps: null,
    items: (row.items as DraftItem[]).map((item) => ({
      ...item,
      id: publicId('dord', row.id),
      product_name: item.product_name ?? '',
    })),
  }
}
