// The checkout: one form on one page. Every button keeps the input; the last one places the order.
import { ApiError } from '../../../kit/values/errors.ts'
import type { Fault } from '../../../kit/values/faults.ts'
import { hashSecret } from '../../../kit/values/secrets.ts'
import { listAddresses } from '../../../commerce/customers/addresses.ts'
import { translateLines } from '../../../commerce/catalog/linenames.ts'
import { findThumbnails } from '../../../commerce/catalog/public.ts'
import { completion } from '../../checkout/checkout.ts'
import { notShipped, takesOrders } from '../../checkout/offers/readiness.ts'
import { missingFields, ratesOffered } from '../../checkout/offers/shipping.ts'
import { completeCheckout, type UnpaidCheckout } from '../../checkout/settlement/complete.ts'
import { startPayment } from '../../checkout/settlement/pay.ts'
import { returnPath } from '../../checkout/settlement/returnlink.ts'
import { shopperActor } from '../../checkout/routes.ts'
import type { Checkout } from '../../checkout/cart/view.ts'
import { openCheckout, readCart, rememberCodes } from '../frame/cart.ts'
import { saveForm, submittedValues, toCheckoutValues } from './checkoutform.ts'
import { type CheckoutValues } from './props.ts'
import { checkoutPage } from './checkoutview.ts'
import { toCartLines } from '../cart/lines.ts'
import { orderPath } from './orderlink.ts'
import { buildSiteUrl, providerFault, providerOrigins } from './pay.ts'
import { field, type ShopResult, type ShopContext } from '../frame/page.ts'
import { changeShopCheckout } from '../frame/changecheckout.ts'
import { checkoutAddress } from '../frame/prefill.ts'
import { findCurrentShopper } from '../frame/shopper.ts'
import type { CheckoutProps } from './props.ts'

export async function showCheckout(context: ShopContext): Promise<ShopResult> {
  const checkout = await openCheckout(context)
  if (!checkout) return noCheckout
  if (checkout.order)
    return readCart(context).length > 0 ? { to: '/cart' } : { to: orderPath(context, checkout.order.id) }
  // The cart explains what prevents the checkout.
  if (checkout.items.length === 0 || !takesOrders(context.offer, checkout.items)) return { to: '/cart' }
  return renderCheckoutPage(context, checkout, { values: toCheckoutValues(checkout, context) })
}

/** Leads to the cart, which is unchanged and can begin a new checkout. */
const noCheckout: ShopResult = { to: '/cart', cookies: { checkout: null } }

export async function submitCheckout(context: ShopContext): Promise<ShopResult> {
  const {
    form,
    offer,
    cookies: { checkout: token },
  } = context
  // An outdated page, such as that of a checkout that another tab has completed.
  const isCurrent = token && field(form, 'checkout') === buildCheckoutMark(token)
  if (!isCurrent || !takesOrders(offer, notShipped)) return { to: '/checkout' }
  try {
    const { checkout, faults: newFaults } = await saveForm(context, token)
    if (!takesOrders(offer, checkout.items)) return { to: '/checkout' }
    const values = submittedValues(form, newFaults, offer)
    const act = field(form, 'act')
    const faults = wasSubmitted(context)
      ? [...newFaults, ...missingFields(checkout, offer, ratesOffered(offer, checkout))]
      : newFaults
    if (act === 'address') return await useAddress(context, token, { checkout, values, faults: newFaults })
    if (act !== 'place') {
      const hasNews = faults.length > 0 || checkout.changes.length > 0
      if (hasNews) return renderCheckoutPage(context, checkout, { values, faults })
      const isAboutCodes = act === 'apply' || field(form, 'remove_code') !== ''
      return { to: isAboutCodes ? '/checkout#summary' : '/checkout' }
    }
    if (newFaults.length > 0) return renderCheckoutPage(context, checkout, { values, faults })
    return await placeOrder(context, token, checkout, values)
  } catch (error) {
    if (!(error instanceof ApiError) || ![404, 409, 410].includes(error.status)) throw error
    // Meanwhile it has become an order, such as after a double click, or it is gone.
    return error.status === 409 ? { to: '/checkout' } : noCheckout
  }
}

/** True once the button was pressed: from then on the page reports missing fields. */
function wasSubmitted({ form }: ShopContext): boolean {
  return field(form, 'act') === 'place' || field(form, 'tried') !== ''
}

/** Replaces the typed address by one of the shopper's own, and keeps everything else. */
async function useAddress(
  context: ShopContext,
  token: string,
  { checkout, values, faults }: { checkout: Checkout; values: CheckoutValues; faults: readonly Fault[] },
): Promise<ShopResult> {
  const { form } = context
  const { addresses } = (await shopperWithAddresses(context)) ?? { addresses: [] }
  const savedAddress = addresses.find(({ id }) => id === field(form, 'saved_address'))
  if (!savedAddress) return renderCheckoutPage(context, checkout, { values, faults })
  try {
    const patch = { shipping_address: checkoutAddress(savedAddress) }
    const newCheckout = await changeShopCheckout(context, token, patch)
    const places = Object.entries(toCheckoutValues(newCheckout, context)).filter(([name]) =>
      name.startsWith('shipping_address.'),
    )
    const others = faults.filter((one) => !one.field.startsWith('shipping_address.'))
    return renderCheckoutPage(context, newCheckout, {
      values: { ...values, ...Object.fromEntries(places) },
      faults: others,
    })
  } catch (error) {
    if (!(error instanceof ApiError) || error.faults.length === 0) throw error
    return renderCheckoutPage(context, checkout, { values, faults: error.faults })
  }
}

async function shopperWithAddresses(context: ShopContext): Promise<CheckoutProps['shopper']> {
  const shopper = await findCurrentShopper(context)
  return shopper && { ...shopper, addresses: await listAddresses(context.db, context.store, shopper.id) }
}

async function placeOrder(
  context: ShopContext,
  token: string,
  checkout: Checkout,
  values: CheckoutValues,
): Promise<ShopResult> {
  const { db, store, deps, form } = context
  const pay = field(form, 'pay')
  try {
    const agreement = completion.read({ total: Number(field(form, 'total')), ...(pay ? { pay } : {}) }, store)
    const input = {
      ...agreement,
      return_url: (payment: string) => buildSiteUrl(context) + returnPath(deps.vault, store.id, payment),
    }
    const completedCheckout = await db.transaction((tx) =>
      completeCheckout(tx, store, token, input, deps, shopperActor),
    )
    const result = await startPayment(db, store, completedCheckout, deps).catch(providerFault)
    if (result.order) return { to: orderPath(context, result.order.id), cookies: { cart: null } }
    const { redirect_url } = result.payment
    if (redirect_url) return { location: redirect_url }
    return { to: returnPath(deps.vault, store.id, (completedCheckout as UnpaidCheckout).session.id) }
  } catch (error) {
    if (!(error instanceof ApiError) || error.faults.length === 0) throw error
    const now = await openCheckout(context)
    // Saving the form has already reported the changes since the page was rendered.
    const changes = [...checkout.changes, ...(now?.changes ?? [])]
    return renderCheckoutPage(context, { ...(now ?? checkout), changes }, { values, faults: error.faults })
  }
}

/** Back from the payment leads to this answer of a POST, which a browser shows only if it may keep it. */
const keptRefusal = { status: 422, headers: { 'cache-control': 'private, no-cache' } }

async function renderCheckoutPage(
  context: ShopContext,
  checkout: Checkout,
  { values, faults = [] }: { values: CheckoutValues; faults?: readonly Fault[] },
): Promise<ShopResult> {
  const { db, store, translation } = context
  const [thumbnails, items, shopper] = await Promise.all([
    findThumbnails(db, store.id, translation, toCartLines(checkout)),
    translateLines(db, store.id, translation, checkout.items),
    shopperWithAddresses(context),
  ])
  return {
    ...(faults.length > 0 ? keptRefusal : {}),
    ...rememberCodes(context, checkout),
    formTo: providerOrigins(context),
    page: checkoutPage(context, {
      checkout: { ...checkout, items },
      thumbnails,
      values,
      faults,
      isTried: wasSubmitted(context),
      shopper,
      mark: buildCheckoutMark(checkout.token),
    }),
  }
}

/** Identifies the checkout in its form without revealing the token. */
function buildCheckoutMark(token: string): string {
  return hashSecret(`mark ${token}`).toString('base64url').slice(0, 12)
}
