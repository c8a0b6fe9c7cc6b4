// The link of an order on its store's pages.
import * as links from '../../../commerce/orders/link.ts'
import type { ShopContext } from '../frame/page.ts'

type OrderLinkContext = Pick<ShopContext, 'store' | 'deps'>

/** A path below the store's URL. `id` is the public ID. */
export function orderPath({ store, deps }: OrderLinkContext, id: string): string {
  return links.orderPath(deps.vault, store.id, id)
}

/** The UUID of the link's order; null if the signature is wrong. */
export function orderOfLink({ store, deps }: OrderLinkContext, link: string): string | null {
  return links.orderOfLink(deps.vault, store.id, link)
}
