// The link of an order as the pages of its store know it.
import * as links from '../../../commerce/orders/link.ts'
import type { ShopContext } from '../frame/page.ts'

type OrderLinkContext = Pick<ShopContext, 'store' | 'tools'>

/** Below the store's address. `id` is public. */
export function orderPath({ store, tools }: OrderLinkContext, id: string): string {
  return links.orderPath(tools.vault, store.id, id)
}

/** The uuid of the order that a link names, or null when nobody here made it. */
export function orderOfLink({ store, tools }: OrderLinkContext, link: string): string | null {
  return links.orderOfLink(tools.vault, store.id, link)
}
