// The signed-in shopper. Catalog pages are cached and the same for everybody, so they never ask.
import { notFound } from '../../../kit/values/errors.ts'
import { findShopper, renewSession, type Shopper } from '../../accounts/session.ts'
import type { ShopContext, ShopResult } from './page.ts'

export const accountPath = '/account'

/** Makes no query without a cookie. */
export async function findCurrentShopper({ db, store, cookies }: ShopContext): Promise<Shopper | null> {
  if (!cookies.account || !store.customer_accounts) return null
  return findShopper(db, store, cookies.account, db.clock.now())
}

/** A store without accounts has no such pages. */
export function requireAccounts({ store }: ShopContext): void {
  if (!store.customer_accounts) throw notFound('Page')
}

export type ShopperContext = ShopContext & { shopper: Shopper }

/** A page for signed-in shoppers; others are asked to sign in. */
export function forShopper(run: (context: ShopperContext) => Promise<ShopResult> | ShopResult) {
  return async (context: ShopContext): Promise<ShopResult> => {
    requireAccounts(context)
    const { db, store, cookies } = context
    const shopper = await findCurrentShopper(context)
    if (!shopper) return { to: accountPath, ...(cookies.account ? { cookies: { account: null } } : {}) }
    const answer = await run({ ...context, shopper })
    if (!shopper.isDue || answer.cookies?.account !== undefined) return answer
    const value = cookies.account!
    await db.transaction(async (tx) => renewSession(tx, store, value))
    return { ...answer, cookies: { ...answer.cookies, account: value } }
  }
}
