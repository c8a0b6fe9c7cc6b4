// A checkout or a cart for agents.
import { translateLines } from '../../../commerce/catalog/linenames.ts'
import { formatReason } from '../../../kit/values/faults.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { orderPath } from '../../../commerce/orders/link.ts'
import { chooseTranslation } from '../../../tenancy/stores/language.ts'
import type { Face } from '../../../storefront/branding/face.ts'
import { wasPlacedElsewhere } from '../../../storefront/checkout/cart/copies.ts'
import type { Checkout } from '../../../storefront/checkout/cart/view.ts'
import { findOffer, type Offer } from '../../../storefront/checkout/offers/offer.ts'
import { addSeconds, strayAfterSeconds } from '../../../storefront/checkout/states.ts'
import { minorUnits } from '../amounts.ts'
import { codePath, warningMessage, type UcpMessage } from '../messages.ts'
import { relevant, type Capability } from '../releases.ts'
import type { VisitContext } from '../visit.ts'
import { toUcpBuyer } from './buyer.ts'
import { toUcpAddress, toUcpFulfillment } from './fulfillment.ts'
import { toUcpLines } from './lines.ts'
import { buildPaymentHandlers } from './payment.ts'
import { deriveCheckoutState, type UcpStatus } from './state.ts'

/** The metadata of every answer. */
export function envelope({ agent }: Pick<VisitContext, 'agent'>, root: Capability, more: object = {}): object {
  const { release, active } = agent
  return { version: release, status: 'success', capabilities: relevant(active, root, release), ...more }
}

export type ViewExtras = {
  messages?: readonly UcpMessage[]
  status?: UcpStatus
  /** The agent's own ID of the address. */
  destinationId?: string | null
}

export async function checkoutView(visit: VisitContext, checkout: Checkout, extras: ViewExtras = {}): Promise<object> {
  const { agent, deps, store } = visit
  const [offer, names] = await Promise.all([findOffer(visit.db, store), translateCheckout(visit, checkout)])
  const face = await visit.findFace(store.id, offer.face_version)
  const hasFulfillment = agent.active.has('dev.ucp.shopping.fulfillment')
  const state = deriveCheckoutState(names, offer, {
    hasFulfillment,
    mayOrder: store.agent_orders,
    more: [...(extras.messages ?? []), ...leftOutCodes(names)],
  })
  const status = extras.status ?? state.status
  const isOpen = !['completed', 'canceled'].includes(status)
  const messages = status === 'canceled' ? (extras.messages ?? []) : state.messages
  const order = await buildOrderConfirmation(visit, names, offer)
  const payment_handlers = buildPaymentHandlers(isOpen ? state.methods : [], agent.release)
  return {
    ucp: envelope(visit, 'dev.ucp.shopping.checkout', { payment_handlers }),
    id: names.token,
    status,
    ...buildSharedFields(visit, names),
    ...(hasFulfillment ? { fulfillment: toUcpFulfillment(names, offer, extras.destinationId ?? null) } : {}),
    ...toUcpPayment(
      names,
      state.methods.map(({ code }) => code),
    ),
    ...toUcpAnswers(names, offer),
    links: linksTo(face, offer),
    ...(messages.length > 0 ? { messages } : {}),
    ...(isOpen
      ? { continue_url: continueUrl(offer, names.token), expires_at: computeCheckoutExpiry(names, deps.checkout) }
      : {}),
    ...(order ? { order } : {}),
  }
}

export async function cartView(
  visit: VisitContext,
  checkout: Checkout,
  messages: readonly UcpMessage[] = [],
): Promise<object> {
  const [offer, names] = await Promise.all([findOffer(visit.db, visit.store), translateCheckout(visit, checkout)])
  const { messages: all } = deriveCheckoutState(names, offer, {
    hasFulfillment: false,
    mayOrder: visit.store.agent_orders,
    more: messages,
  })
  // A cart lacks fields that only a checkout needs, so it does not report them.
  const own = [
    ...all.filter((message) => messages.includes(message) || message.path?.startsWith('$.line_items')),
    ...leftOutCodes(names),
  ]
  return {
    ucp: envelope(visit, 'dev.ucp.shopping.cart'),
    id: names.token,
    ...buildSharedFields(visit, names),
    ...(own.length > 0 ? { messages: own } : {}),
    continue_url: continueUrl(offer, names.token),
    expires_at: computeCheckoutExpiry(names, visit.deps.checkout),
  }
}

function buildSharedFields({ agent }: VisitContext, checkout: Checkout): object {
  const buyer = toUcpBuyer(checkout)
  return {
    line_items: toUcpLines(checkout),
    ...(buyer ? { buyer } : {}),
    currency: checkout.currency,
    totals: toUcpTotals(checkout),
    ...(agent.active.has('dev.ucp.shopping.discount') ? { discounts: toUcpDiscounts(checkout) } : {}),
  }
}

/** The amounts add up: the discount is negative, and included tax is not listed. */
function toUcpTotals({ totals, currency, shipping_method }: Checkout): object[] {
  const units = (amount: number) => minorUnits(amount, currency)
  const { subtotal, discount, shipping, tax, total } = totals
  return [
    { type: 'subtotal', amount: units(subtotal) },
    ...(discount > 0 ? [{ type: 'discount', amount: -units(discount) }] : []),
    ...(shipping_method || shipping > 0 ? [{ type: 'fulfillment', amount: units(shipping) }] : []),
    ...(tax > 0 ? [{ type: 'tax', amount: units(tax) }] : []),
    { type: 'total', amount: units(total) },
  ]
}

function toUcpDiscounts({ discounts, discount_codes, currency }: Checkout): object {
  const applied = discounts.filter((one) => one.applied)
  return {
    ...(discount_codes.length > 0 ? { codes: discount_codes } : {}),
    applied: applied.map(({ code, label, amount, is_automatic }) => ({
      ...(is_automatic ? {} : { code }),
      title: label,
      amount: minorUnits(amount, currency),
      automatic: is_automatic,
    })),
  }
}

/** Codes that stay in the checkout although others take more off. */
function leftOutCodes({ discounts, discount_codes }: Checkout): UcpMessage[] {
  return discounts.flatMap(({ code, reason, explanation }) => {
    const isLeftOut = explanation && (reason === 'not_combined' || reason === 'saves_nothing')
    if (!isLeftOut) return []
    const path = codePath(discount_codes.indexOf(code))
    return [warningMessage('discount_code_combination_disallowed', `${code} ${formatReason(explanation)}`, path)]
  })
}

/** The selected payment method, without secrets. */
function toUcpPayment({ payment_method: code, billing_address: billing }: Checkout, codes: readonly string[]): object {
  if (!code || !codes.includes(code)) return {}
  const billing_address = billing ? { billing_address: toUcpAddress(billing) } : {}
  const instrument = { id: code, handler_id: code, type: code, selected: true, ...billing_address }
  return { payment: { instruments: [instrument] } }
}

/** What the store asks its buyers, and the answers. The protocol has no field for them. */
function toUcpAnswers({ custom_fields }: Checkout, { custom_fields: custom_field_definitions }: Offer): object {
  return custom_field_definitions.length > 0 ? { custom_field_definitions, custom_fields } : {}
}

// prettier-ignore
const linkTypes = {
  terms: 'terms_of_service', privacy: 'privacy_policy', returns: 'refund_policy', shipping: 'shipping_policy',
} as const

function linksTo({ policies }: Face, { storefront_url }: Offer): object[] {
  return policies.map(({ kind, title, slug }) => ({
    type: linkTypes[kind],
    url: `${storefront_url}/pages/${slug}`,
    title,
  }))
}

/** The URL of the hosted checkout, with all of the input. */
function continueUrl({ storefront_url }: Pick<Offer, 'storefront_url'>, token: string): string {
  return `${storefront_url}/continue/${token}`
}

function computeCheckoutExpiry(
  { customer, updated_at }: Checkout,
  { expireAfterSeconds }: { expireAfterSeconds: number },
): string {
  const isDraft = customer.email !== null || customer.phone !== null
  const seconds = isDraft ? expireAfterSeconds : Math.min(strayAfterSeconds, expireAfterSeconds)
  return addSeconds(new Date(updated_at), seconds).toISOString()
}

type LinkSigning = Pick<VisitContext, 'store'> & { deps: Pick<VisitContext['deps'], 'vault'> }

async function buildOrderConfirmation(
  visit: VisitContext,
  { order, id }: Checkout,
  offer: Offer,
): Promise<object | null> {
  if (!order) return null
  const isElsewhere = await wasPlacedElsewhere(visit.db, visit.store.id, toUuid('chk', id)!)
  return {
    label: `#${order.order_number}`,
    ...buildOrderReference(visit, offer, { order: order.id, checkout: id, isElsewhere }),
  }
}

type PlacedOrder = { order: string; checkout: string; isElsewhere: boolean }

/**
 * The ID and the page of an order. The ID contains the signature of the order's link and its checkout, so anyone with
 * it may read the order. An order placed elsewhere cannot be read by its ID, and its page asks for the email.
 */
export function buildOrderReference(
  signing: LinkSigning,
  { storefront_url }: Pick<Offer, 'storefront_url'>,
  { order, checkout, isElsewhere }: PlacedOrder,
): { id: string; permalink_url: string } {
  if (isElsewhere) return { id: order, permalink_url: `${storefront_url}/find-order` }
  const link = orderPath(signing.deps.vault, signing.store.id, order).replace('/orders/', '')
  return { id: `${link}.${checkout}`, permalink_url: `${storefront_url}/orders/${link}` }
}

async function translateCheckout({ db, store }: VisitContext, checkout: Checkout): Promise<Checkout> {
  const language = chooseTranslation(store, checkout.locale)
  return { ...checkout, items: await translateLines(db, store.id, language, checkout.items) }
}

/**
 * The ID of an agent's checkout is its token, derived from its public ID. Clients on a command line would take a dash
 * in front for a flag.
 */
export function checkoutToken({ deps, store }: LinkSigning, id: string): string {
  return deps.vault.sign(id, `agent checkout ${store.id}`).replace(/^-/, '_')
}
