// Links of an extension to its own pages of the shop: an ID and a signature, so that the database keeps no secret and
// a guessed link opens nothing.
import { equalSecrets, type Vault } from '../../kit/values/secrets.ts'

export type ShopLinks = {
  /** A part of a path, such as backinstock/{link}. */
  sign(id: string): string
  /** The ID of a link of this store and extension; null for any other text. */
  open(link: string): string | null
}

export function openShopLinks(vault: Vault, storeId: string, extension: string): ShopLinks {
  const signatureOf = (id: string) => vault.sign(id, `link of ${extension} ${storeId}`)
  return {
    sign: (id) => `${id}.${signatureOf(id)}`,
    open(link) {
      const [id = '', signature = ''] = link.split('.')
      return equalSecrets(signature, signatureOf(id)) ? id : null
    },
  }
}
