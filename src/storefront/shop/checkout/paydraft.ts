// The page that pays a draft order, for anyone with its link: the merchant's items, and the payment methods.
import { html } from 'hono/html'
import { fault, type Fault } from '../../../kit/values/faults.ts'
import { publicId, toUuid } from '../../../kit/values/ids.ts'
import { toNumber } from '../../../kit/values/money.ts'
import { translateLines } from '../../../commerce/catalog/linenames.ts'
import { findThumbnails, type Thumbnail } from '../../../commerce/catalog/public.ts'
import { quoteRow } from '../../../commerce/draftorders/changes.ts'
import type { DraftItem, DraftOrderRow } from '../../../commerce/draftorders/draftorder.ts'
import type { DraftQuote } from '../../../commerce/draftorders/quote.ts'
import { orderFaults } from '../../../commerce/orders/errors.ts'
import type { ShippingAddress } from '../../../commerce/orders/address.ts'
import type { BillingAddress } from '../../../commerce/orders/billing.ts'
import { toAppliedDiscountViews } from '../../../commerce/orders/pricing.ts'
import { summaryOfTaxes } from '../../../commerce/tax/summary.ts'
import type { CheckoutMethod } from '../../../commerce/payments/method.ts'
import { renderFieldFault, notice } from '../../../platform/pages/parts.ts'
import { draftOfLink } from '../../checkout/draftorders/link.ts'
import { checkDraftPayment, payDraftOrder, reportBlocked } from '../../checkout/draftorders/pay.ts'
import { methodsWith } from '../../checkout/offers/shipping.ts'
import { startPayment } from '../../checkout/settlement/pay.ts'
import { fieldErrors } from '../frame/fielderrors.ts'
import type { Html, ShopContext, ShopResult } from '../frame/page.ts'
import { renderAddress } from '../frame/addresslines.ts'
import { frame, note } from '../frame/view.ts'
import { orderPath } from './orderlink.ts'
import {
  methodForm,
  methodNamed,
  providerFault,
  providerOrigins,
  renderWaitingPage,
  submitPayment,
  type PageFaults,
} from './pay.ts'
import { renderTotals, summaryLine } from './summary.ts'

export async function showDraft(context: ShopContext): Promise<ShopResult> {
  const { db, store, deps } = context
  const draft = await draftIn(context)
  if (!draft) return renderEndedPage(context)
  if (draft.order_id) return { to: orderPath(context, publicId('ord', draft.order_id)) }
  const payment = await checkDraftPayment(db, store, draft, deps)
  if (payment?.outcome === 'placed') return { to: orderPath(context, payment.order.id) }
  if (payment?.outcome === 'waiting' && payment.next === null) return renderWaitingPage(context)
  if (isExpired(context, draft)) return renderEndedPage(context)
  const isReturned = payment?.outcome === 'returned'
  return renderPayDraftPage(context, draft, {
    isReturned,
    chosen: methodNamed(context, draft.payment_method ?? undefined),
  })
}

export async function submitDraft(context: ShopContext): Promise<ShopResult> {
  const { db, store, deps } = context
  const draft = await draftIn(context)
  if (!draft || (isExpired(context, draft) && !draft.order_id)) return renderEndedPage(context)
  const path = buildPayPath(context)
  return submitPayment(context, {
    path,
    methods: methodsFor(context, draft),
    async pay(input) {
      const completion = await db.transaction((tx) => payDraftOrder(tx, store, draft, input, deps))
      const result = await startPayment(db, store, completion, deps).catch(providerFault)
      if (result.order) return { to: orderPath(context, result.order.id) }
      const { redirect_url } = result.payment
      return redirect_url ? { location: redirect_url } : { to: path }
    },
    async showFaults(props) {
      const now = await draftIn(context)
      const isEnded = !now || props.faults.some(({ field: name }) => name === 'link')
      return isEnded ? { to: path } : renderPayDraftPage(context, now, props)
    },
  })
}

function draftIn({ db, store, deps, params }: ShopContext): Promise<DraftOrderRow | null> {
  return draftOfLink(db, store, params.link!, deps.vault)
}

function isExpired({ db }: ShopContext, { link_expires_at }: DraftOrderRow): boolean {
  return link_expires_at! <= db.clock.now()
}

function buildPayPath({ params }: ShopContext): string {
  return `/pay/${params.link}`
}

/** Also shown for invalid links, so it reveals nothing about the draft. */
function renderEndedPage(context: ShopContext): ShopResult {
  const { t, store } = context
  const text = t('draft_ended_text', { store: store.name })
  return { status: 410, page: note(context, { title: t('draft_ended'), text }) }
}

type DraftPageProps = PageFaults & { isReturned?: boolean }

async function renderPayDraftPage(
  context: ShopContext,
  draft: DraftOrderRow,
  props: DraftPageProps,
): Promise<ShopResult> {
  const { db, store, translation } = context
  const quote = await quoteRow(db, store, draft)
  if (quote.faults.length > 0) await db.transaction((tx) => reportBlocked(tx, store, draft.id))
  const [items, thumbnails] = await Promise.all([
    translateLines(db, store.id, translation, quote.items.map(withProductName)),
    findThumbnails(db, store.id, translation, quote.items.map(toSellableKey)),
  ])
  return {
    status: props.faults ? 422 : 200,
    formTo: providerOrigins(context),
    page: draftPage(context, draft, { ...props, quote, items, thumbnails }),
  }
}

const withProductName = (item: DraftItem) => ({ ...item, product_name: item.product_name ?? '' })

// A custom item has no product, so this ID finds nothing.
const noProduct = '00000000-0000-0000-0000-000000000000'

function toSellableKey({ product_id, variant_id }: DraftItem) {
  return { product_id: (product_id && toUuid('prod', product_id)) ?? noProduct, variant_id }
}

type DraftParts = DraftPageProps & {
  quote: DraftQuote
  items: ReturnType<typeof withProductName>[]
  thumbnails: readonly (Thumbnail | null)[]
}

function draftPage(context: ShopContext, draft: DraftOrderRow, parts: DraftParts): Html {
  const { t, store } = context
  const { quote, items, thumbnails, faults = [] } = parts
  const errors = fieldErrors(context, [...faults, ...quote.faults].map(withoutCount))
  const itemError = (index: number) => Object.entries(errors).find(([name]) => name.startsWith(`items.${index}.`))?.[1]
  return frame(context, {
    title: t('draft_title'),
    bare: true,
    content: html`<div class="order"><div class="steps">
<h1>${t('draft_title')}</h1><p class="lead">${t('draft_text', { store: store.name })}</p>
${notices(context, draft, parts, errors)}
${quote.faults.length > 0 ? '' : methods(context, draft, parts, errors)}
${addresses(context, draft)}</div>
<aside class="summary" aria-labelledby="summary-title"><h2 id="summary-title">${t('summary')}</h2>
<ul class="lines">${items.map((item, index) =>
      summaryLine(
        context,
        { ...item, parts: thumbnails[index]?.parts },
        thumbnails[index]?.image,
        renderFieldFault(`items.${index}`, itemError(index)),
      ),
    )}</ul>
${sums(context, draft, quote)}</aside></div>`,
  })
}

/** Hides the stock from strangers. */
function withoutCount(one: Fault): Fault {
  return one.code === 'only_left' ? fault(one.field, orderFaults.more_than_left) : one
}

function notices(
  { t, price, store }: ShopContext,
  draft: DraftOrderRow,
  { quote, isReturned = false }: DraftParts,
  errors: Record<string, string>,
): Html {
  const total = quote.price.total
  const isRepriced = quote.faults.length === 0 && !total.equals(draft.total)
  const [from, to] = [price(Number(draft.total)), price(toNumber(total))]
  const discount = Object.entries(errors).find(([name]) => name.startsWith('discount_'))?.[1]
  return html`${isReturned ? notice('warning', html`<p>${t('payment_returning_text')}</p>`) : ''}
${isRepriced ? notice('warning', html`<p>${t('draft_repriced', { from, to })}</p>`) : ''}
${errors.total ? notice('error', html`<p>${errors.total}</p>`) : ''}
${
  quote.faults.length > 0
    ? notice(
        'error',
        html`<h2>${t('draft_blocked')}</h2>
<p>${t('draft_blocked_text', { store: store.name })}</p>${discount ? html`<p>${discount}</p>` : ''}`,
      )
    : ''
}`
}

function methods(context: ShopContext, draft: DraftOrderRow, parts: DraftParts, errors: Record<string, string>): Html {
  const { quote, chosen } = parts
  const path = buildPayPath(context)
  return methodForm(context, quote.price.total, { errors, chosen, path, methods: methodsFor(context, draft) })
}

function methodsFor({ offer }: ShopContext, { shipping_method }: DraftOrderRow): CheckoutMethod[] {
  return methodsWith(
    offer,
    offer.shipping_rates.find(({ code }) => code === shipping_method),
  )
}

/** The addresses, so that shoppers notice mistakes before they pay. */
function addresses({ t, language }: ShopContext, draft: DraftOrderRow): Html {
  const { customer_name, customer_email, customer_phone, customer_notes, country_code } = draft
  const address = draft.shipping_address as ShippingAddress | null
  const billing = draft.billing_address as BillingAddress | null
  const contacts = [customer_email, customer_phone].filter(Boolean)
  const part = (title: string, content: Html | '' | null) =>
    content ? html`<section><h2>${title}</h2>${content}</section>` : ''
  const recipient = address && { ...address, name: address.name ?? customer_name }
  return html`${part(t('address_title'), recipient && renderAddress(recipient, country_code, language))}
${part(t('billing_title'), billing && renderAddress(billing, billing.country_code, language))}
${part(t('contact'), contacts.length > 0 ? html`<p>${contacts.join(' · ')}</p>` : '')}
${part(t('note'), customer_notes ? html`<p class="pre">${customer_notes}</p>` : '')}`
}

function sums(context: ShopContext, draft: DraftOrderRow, { lines, price }: DraftQuote): Html {
  const { discount_code, shipping_method, country_code } = draft
  return renderTotals(context, {
    items: lines,
    shipping_method,
    country_code,
    shipping_address: draft.shipping_address as ShippingAddress | null,
    subtotal: toNumber(price.subtotal),
    discount: toNumber(price.discount_amount),
    discount_code,
    discounts: toAppliedDiscountViews(price),
    shipping: toNumber(price.shipping_cost),
    tax: toNumber(price.tax_amount),
    included_tax: toNumber(price.taxes.included),
    taxes: summaryOfTaxes(price.taxes),
    total: toNumber(price.total),
  })
}
