// The parts of a bundle on a line: what it takes from stock, and their shares of its price.
import { pick } from '../../kit/declare/row.ts'
import { allocate, Decimal, toNumber } from '../../kit/values/money.ts'
import type { LocalPrices } from '../tax/prices.ts'
import type { Movement } from '../inventory/stock.ts'
import type { ItemPart } from './item.ts'

/** A part of one bundle. `price` is its share of the unit price, by which discounts and taxes are shared. */
export type LinePart = {
  product_id: string
  variant_id: string | null
  category_id: string | null
  product_name: string
  variant_name: string | null
  sku: string | null
  quantity: number
  price: Decimal
  /** Of one unit, in grams; null if it is unknown. */
  weight: number | null
  requires_shipping: boolean
  is_tracked: boolean
  left: number | null
}

/** The parts with their shares of a unit price, by their own prices. */
export function sharePrice(parts: readonly LinePart[], unitPrice: Decimal, currency: string): LinePart[] {
  const prices = parts.map(({ price }) => price)
  const shares = allocate(unitPrice, prices, currency)
  return parts.map((part, index) => ({ ...part, price: shares[index]! }))
}

/** The parts at the prices of their destination, each by its own category. */
export function repriceParts(parts: readonly LinePart[], prices: LocalPrices): LinePart[] {
  return parts.map((part) => ({ ...part, price: prices.ofGoods(part.price, part) }))
}

// prettier-ignore
const storedNames = [
  'product_id', 'variant_id', 'category_id', 'product_name', 'variant_name', 'sku', 'quantity', 'requires_shipping',
] as const

/** As an order keeps them. */
export function toItemParts(parts: readonly LinePart[]): ItemPart[] {
  return parts.map((part) => ({ ...pick(part, storedNames), price: toNumber(part.price) }))
}

export type NamedPart = Pick<LinePart, 'quantity' | 'product_name' | 'variant_name'>

/** The parts of one bundle as text: 2 × Mug, 1 × Tray · Oak */
export function formatParts(parts: readonly NamedPart[]): string {
  return parts
    .map(
      ({ quantity, product_name, variant_name }) =>
        `${quantity} × ${[product_name, variant_name].filter(Boolean).join(' · ')}`,
    )
    .join(', ')
}

type ItemNames = Pick<NamedPart, 'product_name' | 'variant_name'>

/** The name of units of an item, or of one of its parts: Tray (Breakfast set) */
export function namePiece(item: ItemNames & { parts?: readonly ItemNames[] | null }, part: number | null): string {
  const nameOf = ({ product_name, variant_name }: ItemNames) => [product_name, variant_name].filter(Boolean).join(' · ')
  const own = part === null ? undefined : item.parts?.[part]
  return own ? `${nameOf(own)} (${nameOf(item)})` : nameOf(item)
}

/** Names an item in a form, or one of its parts: item_…/0 */
export function toPieceKey(itemId: string, part: number | null): string {
  return part === null ? itemId : `${itemId}/${part}`
}

export function readPieceKey(key: string): { item_id: string; part?: number } {
  const [item_id = '', part] = key.split('/')
  return part === undefined ? { item_id } : { item_id, part: Number(part) }
}

type StockedUnits = Movement & {
  parts: readonly Pick<ItemPart, 'product_id' | 'variant_id' | 'quantity'>[] | null
  /** Set for units of one part. */
  part?: number | null
}

/** The movements of stock for units of an item: those of its parts, if it is a bundle. */
export function listStock({ product_id, variant_id, quantity, parts, part: only = null }: StockedUnits): Movement[] {
  if (!parts) return [{ product_id, variant_id, quantity }]
  if (only !== null) {
    const part = parts[only]!
    return [{ product_id: part.product_id, variant_id: part.variant_id, quantity }]
  }
  return parts.map((part) => ({
    product_id: part.product_id,
    variant_id: part.variant_id,
    quantity: part.quantity * quantity,
  }))
}

/** How often the stock of the parts is enough; null without a limit. */
export function computeBundleLeft(parts: readonly Pick<LinePart, 'left' | 'quantity'>[]): number | null {
  const limits = parts.flatMap(({ left, quantity }) => (left === null ? [] : [Math.floor(left / quantity)]))
  return limits.length === 0 ? null : Math.min(...limits)
}
