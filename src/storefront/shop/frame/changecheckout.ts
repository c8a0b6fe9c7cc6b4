// Creates and changes the checkout of the shop's pages. Apps are asked for prices before the transaction, and a
// shipping rate that is not offered any more is replaced: the page always has one that can be chosen.
import { askForChange, askForNew } from '../../checkout/cart/askquotes.ts'
import type { CodeEdit } from '../../checkout/cart/codes.ts'
import { changeCheckout, createCheckout } from '../../checkout/cart/operations.ts'
import type { Checkout } from '../../checkout/cart/view.ts'
import type { CheckoutInput, NewCheckout } from '../../checkout/checkout.ts'
import type { ShopContext } from './page.ts'

type Changing = Pick<ShopContext, 'db' | 'store' | 'deps'>

/** `asks` false: a rate has its own price until the next change, and keeps its place until its app is asked. */
export async function changeShopCheckout(
  { db, store, deps }: Changing,
  token: string,
  input: CheckoutInput,
  { asks = true, ...edit }: { codeEdit?: CodeEdit; asks?: boolean } = {},
): Promise<Checkout> {
  const quotes = asks ? await askForChange({ db, store, deps }, token, input) : undefined
  const settles = asks || !store.has_quoted_rates
  return db.transaction((tx) => changeCheckout(tx, store, token, input, { ...deps, ...edit, quotes, settles }))
}

export async function createShopCheckout({ db, store, deps }: Changing, input: NewCheckout): Promise<Checkout> {
  const quotes = await askForNew({ db, store, deps }, input)
  return db.transaction((tx) => createCheckout(tx, store, input, { ...deps, quotes, settles: true }))
}
