// The lines of a checkout as lines of a cart.
import { toUuid } from '../../../kit/values/ids.ts'
import type { Checkout } from '../../checkout/cart/view.ts'
import type { ShopCart, CartLine } from '../frame/cart.ts'

export function toCartLines({ items }: Pick<Checkout, 'items'>): CartLine[] {
  return items.map(({ product_id, variant_id, quantity }) => ({
    product_id: toUuid('prod', product_id)!,
    variant_id,
    quantity,
  }))
}

/** Omits lines that a bump has added. */
export function cartOfCheckout({ items }: Pick<Checkout, 'items'>): ShopCart {
  return toCartLines({ items: items.filter(({ bump_id }) => !bump_id) })
}
