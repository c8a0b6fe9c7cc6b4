// The links of a recovery email: back to the abandoned checkout, and unsubscribing.
import { html } from 'hono/html'
import { ApiError, notFound } from '../../../kit/values/errors.ts'
import { isToken } from '../../checkout/link.ts'
import { findCheckout } from '../../checkout/cart/operations.ts'
import { openContinuation, openRecovery, declineRecoveryMail } from '../../checkout/drafts/recovery.ts'
import { cartCookie, readCart } from '../frame/cart.ts'
import { cartOfCheckout } from '../cart/lines.ts'
import { orderPath } from './orderlink.ts'
import { field, type ShopResult, type ShopContext } from '../frame/page.ts'
import { note } from '../frame/view.ts'

type OpenCheckout = typeof openRecovery

/** The link of a recovery email. In another browser, personal data must be entered again. */
export const recover = (context: ShopContext): Promise<ShopResult> => follow(context, openRecovery)

/** The link that hands a checkout over with all of its input: from an agent, or from a shop with its own pages. */
export const continueHere = (context: ShopContext): Promise<ShopResult> => follow(context, openContinuation)

async function follow(context: ShopContext, open: OpenCheckout): Promise<ShopResult> {
  const { db, store, params, cookies, deps, form, guard } = context
  const token = params.token!
  try {
    await guard.begin()
    if (field(form, 'act') !== 'replace' && (await replacesCart(context, token))) return askToReplace(context)
    const browser = { token: cookies.checkout, deps }
    const checkout = await db.transaction((tx) => open(tx, store, token, browser))
    // An order shows its buyer's address, so only the browser that placed it is sent there.
    if (checkout.order) return { to: checkout.token === token ? '/' : orderPath(context, checkout.order.id) }
    return { to: '/checkout', cookies: { checkout: checkout.token, cart: cartCookie(cartOfCheckout(checkout)) } }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 410) throw error
    return expiredPage(context)
  }
}

/** True if the link would replace a cart: then the shopper is asked first. */
async function replacesCart(context: ShopContext, token: string): Promise<boolean> {
  const { db, store } = context
  const cart = cartCookie(readCart(context))
  if (cart === null) return false
  const checkout = await findCheckout(db, store, token)
  return !checkout.order && cart !== cartCookie(cartOfCheckout(checkout))
}

function askToReplace(context: ShopContext): ShopResult {
  const { t, here, root } = context
  return {
    page: note(context, {
      title: t('replace_title'),
      text: t('replace_text'),
      more: html`<form method="post" action="${here}"><p class="buttons">
<button name="act" value="replace">${t('replace')}</button>
<a class="button quiet" href="${root}/cart">${t('replace_not')}</a></p></form>`,
    }),
  }
}

function expiredPage(context: ShopContext): ShopResult {
  const { t } = context
  return { status: 410, page: note(context, { title: t('expired'), text: t('expired_text') }) }
}

/** Programs open links in emails, so only the button unsubscribes. */
export async function askToUnsubscribe(context: ShopContext): Promise<ShopResult> {
  const { t, store, root, params, db } = context
  const token = params.token!
  if (!isToken(token)) throw notFound('Checkout')
  await findCheckout(db, store, token).catch(unlessGone)
  return {
    page: note(context, {
      title: t('refuse_title'),
      text: t('refuse_text', { store: store.name }),
      more: html`<form method="post" action="${root}/unsubscribe/${token}">
<button name="act" value="refuse">${t('refuse')}</button>
</form>`,
    }),
  }
}

/** An expired checkout can still be unsubscribed. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 410) throw error
}

/** By the page's button, or by a mail program: RFC 8058 §3.2. */
export async function unsubscribe(context: ShopContext): Promise<ShopResult> {
  const { db, store, t, params, form } = context
  const email = await db.transaction((tx) => declineRecoveryMail(tx, store, params.token!))
  if (field(form, 'act') === '') return { empty: true }
  const text = t('refused_text', { email: maskedEmail(email), store: store.name })
  return { page: note(context, { title: t('refused_title'), text }) }
}

/** `a…@example.com`: the owner recognizes it, and nobody else can read it. */
function maskedEmail(email: string): string {
  return email.replace(/^(.)[^@]*/u, '$1…')
}
