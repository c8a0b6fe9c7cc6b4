// What events say of a checkout.
import { publicId } from '../kit/values/ids.ts'
import { sum, toNumber } from '../kit/values/money.ts'
import { pick } from '../kit/declare/row.ts'
import { completeAddress } from '../orders/address.ts'
import type { Order } from '../orders/order.ts'
import { contactOf, type CheckoutRow, type ChosenBump } from './checkout.ts'
import { countryName } from './names.ts'

/** The body of checkout.abandoned between occurred_at and store. */
export function abandonedPayload(row: CheckoutRow, url: string): object {
  return { checkout: checkoutOf(row, url), customer: contactOf(row) }
}

/** Of checkout.completed: the same, with its order. */
export function completedPayload(
  row: CheckoutRow,
  url: string,
  { order, completedAt, isRecovered }: { order: Order; completedAt: Date; isRecovered: boolean },
): object {
  return {
    checkout: { ...checkoutOf(row, url), completed_at: completedAt, recovered: isRecovered },
    order: { id: order.id, order_number: order.order_number },
    customer: { id: order.customer_id, ...contactOf(row) },
  }
}

function checkoutOf(row: CheckoutRow, recovery_url: string): object {
  const { status, currency, created_at, abandoned_at, items, order_bumps } = row
  const { country_code, ...address } = row.shipping_address ?? {}
  const country = address.country ?? countryName(country_code, row.locale)
  return {
    id: publicId('chk', row.id),
    status,
    total: Number(row.total),
    subtotal: Number(row.subtotal),
    shipping: Number(row.shipping),
    discount: Number(row.discount),
    currency,
    recovery_url,
    created_at,
    abandoned_at,
    shipping_address: completeAddress({ ...address, country }, { name: row.customer_name, phone: row.customer_phone }),
    items: items.map((item) => pick(item, itemNames)),
    ...(order_bumps.length > 0 ? { order_bumps: bumpsOf(order_bumps) } : {}),
  }
}

// As order.created has them.
const itemNames = ['product_id', 'product_name', 'variant_name', 'quantity', 'unit_price', 'total_price'] as const

function bumpsOf(items: ChosenBump[]): object {
  return { total: toNumber(sum(items.map(({ price }) => price))), items }
}
