// The parts of emails about an order.
import { shippedIn } from '../../commerce/orders/load.ts'
import { nameOfCountry } from '../../kit/values/countries.ts'
import { formatDay } from '../../kit/values/day.ts'
import type { Language } from '../../kit/values/language.ts'
import { Decimal, toNumber } from '../../kit/values/money.ts'
import { priceIn } from '../../kit/values/prices.ts'
import { discountRows } from '../../commerce/orders/discountrows.ts'
import { formatParts, namePiece } from '../../commerce/orders/parts.ts'
import { townLine, type ShippingAddress } from '../../commerce/orders/address.ts'
import { showAnswers } from '../../commerce/orders/answers.ts'
import { formatArrival, formatMethodName } from '../checkout/offers/names.ts'
import type { OrderMail } from '../../tenancy/emails/kinds.ts'
import { buildTermTranslator } from '../../tenancy/stores/terms.ts'
import { buildBalanceRows } from '../checkout/orderpayments/due.ts'
import type { OrderFacts } from './facts.ts'
import type { Block, BillSum } from './letter.ts'
import { nameIn, oneLine, withoutLinks } from './safe.ts'
import { textOfStore, type LetterField } from './store.ts'
import { letterTranslator, type LetterMessageKey } from './messages.ts'
import { severalTaxes, taxName } from '../../commerce/tax/summary.ts'

export type LetterPart = (facts: OrderFacts, kind: OrderMail) => Block[]

/** The store's own text about the order, or the default one. */
export function storeText(kind: OrderMail, facts: OrderFacts, field: LetterField): string {
  const { order } = facts
  const total = kind === 'payment_request' ? order.amount_due : order.total
  const number = order.order_number ?? order.draft_number ?? ''
  return textOfStore(kind, facts, field, { number, total: buildPriceFormatter(facts)(total) })
}

function buildPriceFormatter({ order, store, language }: OrderFacts) {
  return priceIn(language, { currency: order.currency, country_code: store.country_code })
}

export function greeting({ order, language }: OrderFacts): Block[] {
  const name = nameIn(order.customer_name)
  return [
    { kind: 'text', text: name ? letterTranslator(language)('hello', { name }) : letterTranslator(language)('hi') },
  ]
}

export function introduction(facts: OrderFacts, kind: OrderMail): Block[] {
  return [{ kind: 'text', text: storeText(kind, facts, 'introduction') }]
}

export function instructions({ order, method, store, language }: OrderFacts): Block[] {
  if (order.payment_status !== 'pending' || !method?.instructions) return []
  return [
    {
      kind: 'facts',
      facts: [
        {
          name: letterTranslator(language)('instructions'),
          value: buildTermTranslator(store.terms)(method.instructions),
        },
      ],
    },
  ]
}

export function button({ url, language }: OrderFacts, kind: OrderMail): Block[] {
  return [{ kind: 'button', text: letterTranslator(language)(buttonLabels[kind] ?? 'see_order'), url }]
}

const buttonLabels: Partial<Record<OrderMail, LetterMessageKey>> = {
  order_notice: 'see_the_order',
  order_mention: 'see_the_order',
  return_notice: 'see_return',
  payment_request: 'pay_now',
  draft_order_link: 'pay_now',
  draft_order_blocked: 'see_draft',
  payment_failed: 'try_again',
  abandoned_checkout: 'go_to_cart',
}

/** The date until which a link works. */
export function expiry({ order, store, language }: OrderFacts): Block[] {
  if (!order.link_expires_at) return []
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: store.timezone })
  return [
    { kind: 'soft', text: letterTranslator(language)('link_until', { date: format.format(order.link_expires_at) }) },
  ]
}

/** The tracking of a fulfillment, and its items. */
export function tracking({ order, parcel, language }: OrderFacts): Block[] {
  if (parcel === null) return []
  const t = letterTranslator(language)
  const { carrier, tracking_number, tracking_url: url } = parcel
  const pieces = formatItemLines(order, parcel.items.filter(shippedIn(order.items)))
  const candidates = [
    { name: t('carrier'), value: carrier },
    { name: t('tracking'), value: tracking_number },
    { name: t('parcel'), value: pieces.join('\n') || null },
  ]
  const facts = candidates.flatMap(({ name, value }) => (value === null ? [] : { name, value }))
  return [
    ...(url ? [{ kind: 'button' as const, text: t('track_parcel'), url }] : []),
    ...(facts.length > 0 ? [{ kind: 'facts' as const, facts }] : []),
  ]
}

export function formatItemLines(
  order: OrderFacts['order'],
  pieces: readonly { item_id: string; part?: number | null; quantity: number }[],
): string[] {
  return pieces.flatMap(({ item_id, part = null, quantity }) => {
    const item = order.items.find(({ id }) => id === item_id)
    return item ? `${quantity} × ${part === null ? nameOfItem(item) : namePiece(item, part)}` : []
  })
}

/** The refunded amount, its reason, and how it is paid. */
export function refund(facts: OrderFacts): Block[] {
  const { refund, order, language } = facts
  if (refund === null) return []
  const t = letterTranslator(language)
  const price = buildPriceFormatter(facts)
  const pieces = formatItemLines(order, refund.items)
  const details = [
    { name: t('given_back'), value: price(refund.amount) },
    { name: t('tax_within'), value: refund.tax_amount ? price(refund.tax_amount) : null },
    { name: t('refunded_for'), value: pieces.join('\n') || null },
    { name: t('reason'), value: refund.reason && oneLine(refund.reason) },
  ]
  return [
    { kind: 'facts', facts: details.flatMap(({ name, value }) => (value ? [{ name, value }] : [])) },
    { kind: 'soft', text: t(refund.by_hand ? 'pays_back' : 'takes_days') },
  ]
}

/** Explains what happens to the payment of a cancelled order. Promises only refunds that exist. */
export function cancellation(facts: OrderFacts): Block[] {
  const { order, refunds, language } = facts
  if (refunds === null) return []
  const t = letterTranslator(language)
  const price = buildPriceFormatter(facts)
  const { refunded, refunding, by_hand } = refunds
  const keptAmount = toNumber(new Decimal(order.captured_amount).minus(refunded).minus(refunding).minus(by_hand))
  const sentences = [
    refunded > 0 ? t('we_refunded', { amount: price(refunded) }) : null,
    refunding > 0 ? t('we_refund', { amount: price(refunding) }) : null,
    by_hand > 0 ? t('we_pay_back', { amount: price(by_hand) }) : null,
    keptAmount > 0 ? t('not_refunded', { amount: price(keptAmount) }) : null,
    order.captured_amount > 0 ? null : t('nothing_charged'),
  ]
  return sentences.flatMap((text) => (text === null ? [] : [{ kind: 'text' as const, text }]))
}

export function picture({ order, image }: OrderFacts): Block[] {
  const [line] = order.items
  return image && line ? [{ kind: 'picture', picture: image, alt: nameOfItem(line) }] : []
}

export function unsubscribe({ unsubscribeUrl: url, language }: OrderFacts): Block[] {
  return url === null ? [] : [{ kind: 'link', text: letterTranslator(language)('unsubscribe'), url }]
}

type DatedItem = Pick<OrderFacts['order']['items'][number], 'available_on' | 'requires_shipping'>

export function bill(facts: OrderFacts): Block[] {
  const { order, store, language } = facts
  const t = letterTranslator(language)
  const translateTerm = buildTermTranslator(store.terms)
  const price = buildPriceFormatter(facts)
  const formatDate = ({ available_on: day, requires_shipping: isShipped = true }: DatedItem) =>
    day && t(isShipped ? 'ships_from' : 'available_from', { date: formatDay(day, language) })
  const items = order.items.map(({ parts, quantity, total_price, ...item }) => ({
    name: oneLine(`${nameOfItem(item)}${formatNotes([parts && formatParts(parts), formatDate(item)])}`),
    detail: String(quantity),
    amount: price(total_price),
  }))
  const bumps = (order.order_bumps?.items ?? []).map(({ title = '', price: cost = 0 }) => ({
    name: oneLine(translateTerm(title)),
    detail: '1',
    amount: price(cost),
  }))
  return [
    {
      kind: 'bill',
      title: order.order_number === null ? t('chosen') : t('order', { number: order.order_number }),
      lines: [...items, ...bumps],
      sums: buildBillSums(facts),
    },
  ]
}

function formatNotes(notes: readonly (string | null | undefined)[]): string {
  const text = notes.filter(Boolean).join('; ')
  return text && ` (${text})`
}

function nameOfItem({ product_name, variant_name }: { product_name: string; variant_name: string | null }): string {
  return oneLine([product_name, variant_name].filter(Boolean).join(', '))
}

function buildBillSums(facts: OrderFacts): BillSum[] {
  const { order, language } = facts
  const t = letterTranslator(language)
  const price = buildPriceFormatter(facts)
  const { shipping_cost, tax_amount, included_tax, tax_lines } = order
  const several = severalTaxes(tax_lines).map((tax) => ({ name: taxName(tax, language), amount: price(tax.amount) }))
  // A checkout in an early step has no shipping cost yet.
  const isShippingKnown = order.order_number !== null || order.shipping_method !== null
  const discounts = discountRows(order).map(({ name: code, amount }) => ({
    name: code ? t('discount_with', { code }) : t('discount'),
    amount: `−${price(amount)}`,
  }))
  return [
    { name: t('subtotal'), amount: price(order.subtotal) },
    ...discounts,
    ...(isShippingKnown ? [{ name: t('shipping'), amount: shipping_cost > 0 ? price(shipping_cost) : t('free') }] : []),
    ...(several.length === 0 && tax_amount > 0 ? [{ name: t('tax'), amount: price(tax_amount) }] : []),
    ...(tax_amount > 0 ? several : []),
    { name: t('total'), amount: price(order.total), isTotal: true },
    ...(included_tax > 0 ? [{ name: t('tax_within'), amount: price(included_tax) }, ...several] : []),
    ...buildBalanceRows(order).map(({ name, amount }) => ({
      name: t(name),
      amount: price(amount),
      isTotal: name === 'to_pay',
    })),
  ]
}

export function payment({ order, method, store, language }: OrderFacts): Block[] {
  const { payment_method: code, payment_status } = order
  if (code === null) return []
  const t = letterTranslator(language)
  const name = buildTermTranslator(store.terms)(formatMethodName({ code, name: method?.name ?? null }, language))
  return [{ kind: 'facts', facts: [{ name: t('payment'), value: `${name} · ${t(`payment_${payment_status}`)}` }] }]
}

/** A pickup has no address of the customer; the merchant's text about the rate says where to collect it. */
export function delivery({ order, rate, store, language }: OrderFacts): Block[] {
  const t = letterTranslator(language)
  const { shipping_method: code, shipping_address: address, country_code, billing_address: billing } = order
  const name = code && formatMethodName({ code, name: rate?.name ?? null }, language)
  const translateTerm = buildTermTranslator(store.terms)
  const { timezone } = store
  const placedAt = order.order_number === null ? undefined : order.created_at
  const arrival = rate && placedAt ? formatArrival(rate, placedAt, { language, timezone, items: order.items }) : null
  const about = [name, rate?.description, rate?.pickup_address, rate?.pickup_hours]
    .flatMap((text) => (text ? translateTerm(text) : []))
    .concat(arrival ?? [])
  const isSent = address?.address && rate?.requires_address !== false
  const facts = [
    ...(name ? [{ name: t('shipping'), value: about.join('\n') }] : []),
    ...(isSent
      ? [
          {
            name: t('address_title'),
            value: addressText({ ...address, name: address.name ?? order.customer_name }, country_code, language),
          },
        ]
      : []),
    ...(billing
      ? [{ name: t('billing_title'), value: addressText(billing, billing.country_code ?? null, language) }]
      : []),
  ]
  return facts.length > 0 ? [{ kind: 'facts', facts }] : []
}

function addressText(whole: Partial<ShippingAddress>, countryCode: string | null, language: Language): string {
  const { name, company, address, address_2 } = whole
  const country = whole.country ?? (countryCode && nameOfCountry(language, countryCode))
  const parts = [name, company, address, address_2, townLine(whole, countryCode), country]
  return parts.flatMap((line) => (line ? [withoutLinks(line)] : [])).join('\n')
}

export function keep({ language }: OrderFacts): Block[] {
  return [{ kind: 'soft', text: letterTranslator(language)('keep') }]
}

export function notYou({ language }: OrderFacts): Block[] {
  return [{ kind: 'soft', text: letterTranslator(language)('not_you') }]
}

export function customer({ order, language }: OrderFacts): Block[] {
  const { customer_name, customer_email, customer_phone } = order
  const value = [customer_name, customer_email, customer_phone].filter((line) => line).map((line) => oneLine(line!))
  return value.length > 0
    ? [{ kind: 'facts', facts: [{ name: letterTranslator(language)('customer'), value: value.join('\n') }] }]
    : []
}

export function note({ order, language }: OrderFacts): Block[] {
  const { customer_notes: value } = order
  return value ? [{ kind: 'facts', facts: [{ name: letterTranslator(language)('from_customer'), value }] }] : []
}

/** A stranger can choose the customer's address, so what they typed comes without links and not at any length. */
const maxAnswer = 300

export function answers({ order, store, language }: OrderFacts, kind: OrderMail): Block[] {
  const t = letterTranslator(language)
  const words = { yes: t('yes'), no: t('no'), translate: buildTermTranslator(store.terms) }
  const isForStaff = kind === 'order_notice'
  const facts = showAnswers(order, { language, ...words }).map(({ label, text }) => ({
    name: oneLine(label),
    value: isForStaff ? text : withoutLinks(text).slice(0, maxAnswer),
  }))
  return facts.length > 0 ? [{ kind: 'facts', facts }] : []
}
