// Whoever has the link of an order sees it: the id, signed for its store.
import { equalSecrets } from '../kit/values/secrets.ts'
import { uuidOf } from '../kit/values/ids.ts'
import type { Visit } from './page.ts'

type Signing = Pick<Visit, 'store' | 'tools'>

/** Below the store's address. `id` is public. */
export function orderPath({ store, tools }: Signing, id: string): string {
  return `/orders/${id}.${tools.vault.sign(id, placeOf(store.id))}`
}

/** The uuid of the order that a link names, or null when nobody here made it. */
export function orderOfLink({ store, tools }: Signing, link: string): string | null {
  const [id = '', signature = ''] = link.split('.')
  return equalSecrets(signature, tools.vault.sign(id, placeOf(store.id))) ? uuidOf('ord', id) : null
}

function placeOf(storeId: string): string {
  return `order link ${storeId}`
}
