// Lines of a checkout for agents: each item once, and the offers that the shopper accepted on the hosted page.
import type { Checkout } from '../../../storefront/checkout/cart/view.ts'
import { minorUnits } from '../amounts.ts'

const bumpPrefix = 'offer:'

/** The order bump of a line; null for an item. */
export function bumpOfLine(id: string | null | undefined): string | null {
  return id?.startsWith(bumpPrefix) ? id.slice(bumpPrefix.length) : null
}

export type UcpLine = {
  id: string
  item: { id: string; title: string; price: number }
  quantity: number
  totals: { type: string; amount: number }[]
}

export function toUcpItemId({ product_id, variant_id }: { product_id: string; variant_id: string | null }): string {
  return variant_id ?? product_id
}

export function toUcpLines({ items, order_bumps, currency }: Checkout): UcpLine[] {
  const units = (amount: number) => minorUnits(amount, currency)
  const toLineTotals = (amount: number) => [
    { type: 'subtotal', amount: units(amount) },
    { type: 'total', amount: units(amount) },
  ]
  return [
    ...items.map((item) => ({
      id: item.bump_id ? bumpPrefix + item.bump_id : `line:${toUcpItemId(item)}`,
      item: {
        id: toUcpItemId(item),
        title: item.variant_name ? `${item.product_name}, ${item.variant_name}` : item.product_name,
        price: units(item.unit_price),
      },
      quantity: item.quantity,
      totals: toLineTotals(item.total_price),
    })),
    ...order_bumps.map(({ bump_id, title, price }) => ({
      id: bumpPrefix + bump_id,
      item: { id: bump_id, title, price: units(price) },
      quantity: 1,
      totals: toLineTotals(price),
    })),
  ]
}
