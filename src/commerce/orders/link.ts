// Links that show an order to anyone who has them: the order's ID, signed for its store.
import { equalSecrets, type Vault } from '../../kit/values/secrets.ts'
import { toUuid } from '../../kit/values/ids.ts'

/** The path below the store's URL. `id` is public. */
export function orderPath(vault: Vault, storeId: string, id: string): string {
  return `/orders/${id}.${vault.sign(id, signContext(storeId))}`
}

/** The uuid of a link's order; null if the signature is not valid. */
export function orderOfLink(vault: Vault, storeId: string, link: string): string | null {
  const [id = '', signature = ''] = link.split('.')
  return equalSecrets(signature, vault.sign(id, signContext(storeId))) ? toUuid('ord', id) : null
}

function signContext(storeId: string): string {
  return `order link ${storeId}`
}
