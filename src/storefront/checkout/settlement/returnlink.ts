// The page to which providers return shoppers. It answers only the browser that has the checkout.
import type { Db } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { equalSecrets, hashSecret } from '../../../kit/values/secrets.ts'
import { publicId, toUuid } from '../../../kit/values/ids.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { CheckoutDeps } from '../checkout.ts'
import { isToken } from '../link.ts'

/** The hosted page; `id` is the session's uuid. */
export function hostedReturn({ vault }: Pick<CheckoutDeps, 'vault'>, store: Store, id: string): string {
  return `${store.storefront_url}${returnPath(vault, store.id, id)}`
}

/** The path below the store's address. */
export function returnPath(vault: CheckoutDeps['vault'], storeId: string, id: string): string {
  const payment = publicId('pmt', id)
  return `/checkout/payments/${payment}.${vault.sign(payment, signContext(storeId))}`
}

/** The uuid of the session in a link; null if the signature is wrong. */
export function sessionOfLink(vault: CheckoutDeps['vault'], storeId: string, link: string): string | null {
  const [payment = '', signature = ''] = link.split('.')
  return equalSecrets(signature, vault.sign(payment, signContext(storeId))) ? toUuid('pmt', payment) : null
}

/** True if the session belongs to the checkout of this token, which a browser keeps. */
export async function ownsSession(db: Db, store: Store, id: string, token: string | undefined): Promise<boolean> {
  if (token === undefined || !isToken(token)) return false
  const own = await db.one(sql`
    select true
    from payment_sessions
    join checkouts on checkouts.store_id = payment_sessions.store_id
      and checkouts.id = payment_sessions.checkout_id
    where payment_sessions.store_id = ${store.id}
      and payment_sessions.id = ${id}
      and checkouts.token_hash = ${hashSecret(token)}`)
  return own !== undefined
}

function signContext(storeId: string): string {
  return `payment return ${storeId}`
}
