// The checkout: one form on one page. Every press of a button keeps what was typed; the last one places the order.
import { ApiError } from '../kit/values/errors.ts'
import type { Fault } from '../kit/values/faults.ts'
import { hashSecret } from '../kit/values/secrets.ts'
import { findThumbnails } from '../catalog/public.ts'
import { completion } from '../checkout/checkout.ts'
import { isReady } from '../checkout/readiness.ts'
import { missing } from '../checkout/shipping.ts'
import { completeCheckout } from '../checkout/complete.ts'
import { storefrontScope } from '../checkout/routes.ts'
import type { Checkout } from '../checkout/view.ts'
import { openCheckout, readCart } from './cart.ts'
import { saveForm, typedOf, valuesOf, type Values } from './checkoutform.ts'
import { checkoutPage } from './checkoutview.ts'
import { linesOf } from './lines.ts'
import { orderPath } from './orderlink.ts'
import { field, type Reply, type Visit } from './page.ts'

export async function showCheckout(visit: Visit): Promise<Reply> {
  const checkout = await openCheckout(visit)
  if (!checkout) return lost
  if (checkout.order) return readCart(visit).length > 0 ? { to: '/cart' } : { to: orderPath(visit, checkout.order.id) }
  // The cart says what stands in the way.
  if (checkout.items.length === 0 || !isReady(visit.offer)) return { to: '/cart' }
  return pageOf(visit, checkout, { values: valuesOf(checkout, visit.store) })
}

/** The cart is still there, and the way from it to a new checkout. */
const lost: Reply = { to: '/cart', cookies: { checkout: null } }

export async function submitCheckout(visit: Visit): Promise<Reply> {
  const {
    form,
    offer,
    cookies: { checkout: token },
  } = visit
  // A page from before, e.g. of a checkout that another tab has finished.
  if (!token || field(form, 'checkout') !== markOf(token) || !isReady(offer)) return { to: '/checkout' }
  try {
    const { checkout, faults: refused } = await saveForm(visit, token)
    const values = typedOf(form)
    const act = field(form, 'act')
    const faults = isTried(visit) ? [...refused, ...missing(checkout, offer)] : refused
    if (act !== 'place') {
      const isSaid = faults.length > 0 || checkout.changes.length > 0
      if (isSaid) return pageOf(visit, checkout, { values, faults })
      return { to: act === 'apply' ? '/checkout#summary' : '/checkout' }
    }
    if (refused.length > 0) return pageOf(visit, checkout, { values, faults })
    return await place(visit, token, checkout, values)
  } catch (error) {
    if (!(error instanceof ApiError) || ![404, 409, 410].includes(error.status)) throw error
    // It has become an order meanwhile, e.g. by the first of two clicks; or it is gone.
    return error.status === 409 ? { to: '/checkout' } : lost
  }
}

/** Whether the button has been pressed, now or before: from then on the page says what is missing. */
function isTried({ form }: Visit): boolean {
  return field(form, 'act') === 'place' || field(form, 'tried') !== ''
}

async function place(visit: Visit, token: string, checkout: Checkout, values: Values): Promise<Reply> {
  const { db, store, tools, form } = visit
  const context = { ...store, now: db.clock.now() }
  const pay = field(form, 'pay')
  const actor = { kind: 'system', id: storefrontScope } as const
  try {
    const agreed = completion.read({ total: Number(field(form, 'total')), ...(pay ? { pay } : {}) }, context)
    const { order } = await db.transaction((tx) => completeCheckout(tx, store, token, agreed, tools, actor))
    return { to: orderPath(visit, order.id), cookies: { cart: null } }
  } catch (error) {
    if (!(error instanceof ApiError) || error.faults.length === 0) throw error
    const now = await openCheckout(visit)
    // What has changed since the page was made was said when the form was kept.
    const changes = [...checkout.changes, ...(now?.changes ?? [])]
    return pageOf(visit, { ...(now ?? checkout), changes }, { values, faults: error.faults })
  }
}

async function pageOf(
  visit: Visit,
  checkout: Checkout,
  { values, faults = [] }: { values: Values; faults?: readonly Fault[] },
): Promise<Reply> {
  const thumbnails = await findThumbnails(visit.db, visit.store.id, linesOf(checkout))
  return {
    status: faults.length > 0 ? 422 : 200,
    page: checkoutPage(visit, {
      checkout,
      thumbnails,
      values,
      faults,
      isTried: isTried(visit),
      mark: markOf(checkout.token),
    }),
  }
}

/** Tells checkouts apart in a form without giving the token away. */
function markOf(token: string): string {
  return hashSecret(`mark ${token}`).toString('base64url').slice(0, 12)
}
