// Whoever has the link of an order sees it: the id, signed for its store.
import { equalSecrets, type Vault } from '../../kit/values/secrets.ts'
import { uuidOf } from '../../kit/values/ids.ts'

/** Below the store's address. `id` is public. */
export function orderPath(vault: Vault, storeId: string, id: string): string {
  return `/orders/${id}.${vault.sign(id, signContext(storeId))}`
}

/** The uuid of the order that a link names, or null when nobody here made it. */
export function orderOfLink(vault: Vault, storeId: string, link: string): string | null {
  const [id = '', signature = ''] = link.split('.')
  return equalSecrets(signature, vault.sign(id, signContext(storeId))) ? uuidOf('ord', id) : null
}

function signContext(storeId: string): string {
  return `order link ${storeId}`
}
