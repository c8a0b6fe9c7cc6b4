// Letters about an order: which parts each has, and what they say.
import type { Db } from '../kit/database/database.ts'
import { filled, type Language } from '../kit/values/language.ts'
import { priceIn } from '../kit/values/prices.ts'
import { sql } from '../kit/database/sql.ts'
import { nameOf } from '../checkout/names.ts'
import type { MailKind } from '../mails/kinds.ts'
import type { Order } from '../orders/order.ts'
import type { Block, Letter, Sum } from './letter.ts'
import { nameIn, oneLine, unlinked } from './safe.ts'
import type { LetterStore } from './store.ts'
import { sayIn, usualIntroduction, usualSubject } from './words.ts'

/** How it is paid and sent, as the store has it now; null for what it no longer has. */
export type Methods = {
  method: { name: string | null; instructions: string | null } | null
  rate: { name: string | null; description: string | null; requires_address: boolean } | null
}

export async function findMethods(db: Db, storeId: string, order: LetterOrder): Promise<Methods> {
  const found = await db.one<Methods>(sql`
    select (
        select json_build_object('name', name, 'instructions', instructions)
        from payment_methods
        where store_id = ${storeId}
          and code = ${order.payment_method}) as method, (
        select json_build_object('name', name, 'description', description, 'requires_address', requires_address)
        from shipping_rates
        where store_id = ${storeId}
          and code = ${order.shipping_method}) as rate`)
  return found!
}

/** What letters say of an order. */
// prettier-ignore
export type LetterOrder = Pick<Order,
  | 'id' | 'order_number' | 'currency' | 'payment_status' | 'payment_method' | 'shipping_method' | 'shipping_address'
  | 'customer_name' | 'customer_phone' | 'customer_email' | 'customer_notes' | 'order_bumps'
  | 'subtotal' | 'discount_amount' | 'discount_code' | 'shipping_cost' | 'tax_amount' | 'total'
  | 'included_tax'
> & { items: Pick<Order['items'][number], 'product_name' | 'variant_name' | 'quantity' | 'total_price'>[] }

export type OrderFacts = Methods & { order: LetterOrder; store: LetterStore; language: Language; url: string }

type Part = (facts: OrderFacts, kind: MailKind) => Block[]

// prettier-ignore
const partsOf: Record<MailKind, Part[]> = {
  order_confirmation: [greeting, introduction, instructions, button, bill, payment, delivery, keep],
  order_notice:       [introduction, button, customer, bill, payment, delivery, note],
  order_paid:         [greeting, introduction, button, bill],
  order_cancelled:    [greeting, introduction, button, bill],
  order_link:         [greeting, introduction, button, notYou],
}

export function orderLetter(kind: MailKind, facts: OrderFacts): Letter {
  const { store, language } = facts
  return {
    language,
    subject: oneLine(inWords(kind, facts, 'subject')),
    sender: { name: oneLine(store.name), url: store.storefront_url },
    blocks: partsOf[kind].flatMap((part) => part(facts, kind)),
  }
}

/** The store's own words, else the usual ones. */
function inWords(kind: MailKind, facts: OrderFacts, place: 'subject' | 'introduction'): string {
  const { order, store, language } = facts
  const values = { store: oneLine(store.name), number: order.order_number, total: priceOf(facts)(order.total) }
  const usual = place === 'subject' ? usualSubject : usualIntroduction
  return filled(store[language]?.[place] ?? usual(language)(kind, values), values)
}

function priceOf({ order, store, language }: OrderFacts) {
  return priceIn(language, { currency: order.currency, country_code: store.country_code })
}

function greeting({ order, language }: OrderFacts): Block[] {
  const name = nameIn(order.customer_name)
  return [{ kind: 'text', text: name ? sayIn(language)('hello', { name }) : sayIn(language)('hi') }]
}

function introduction(facts: OrderFacts, kind: MailKind): Block[] {
  return [{ kind: 'text', text: inWords(kind, facts, 'introduction') }]
}

function instructions({ order, method, language }: OrderFacts): Block[] {
  if (order.payment_status !== 'pending' || !method?.instructions) return []
  return [{ kind: 'facts', facts: [{ name: sayIn(language)('instructions'), value: method.instructions }] }]
}

function button({ url, language }: OrderFacts, kind: MailKind): Block[] {
  const text = sayIn(language)(kind === 'order_notice' ? 'see_the_order' : 'see_order')
  return [{ kind: 'button', text, url }]
}

function bill(facts: OrderFacts): Block[] {
  const { order, language } = facts
  const say = sayIn(language)
  const price = priceOf(facts)
  const bought = order.items.map(({ product_name, variant_name, quantity, total_price }) => ({
    name: oneLine([product_name, variant_name].filter(Boolean).join(', ')),
    detail: String(quantity),
    amount: price(total_price),
  }))
  const bumps = (order.order_bumps?.items ?? []).map(({ title = '', price: cost = 0 }) => ({
    name: oneLine(title),
    detail: '1',
    amount: price(cost),
  }))
  return [
    {
      kind: 'bill',
      title: say('items', { number: order.order_number }),
      lines: [...bought, ...bumps],
      sums: sumsOf(facts),
    },
  ]
}

function sumsOf(facts: OrderFacts): Sum[] {
  const { order, language } = facts
  const say = sayIn(language)
  const price = priceOf(facts)
  const { discount_amount, discount_code: code, shipping_cost, tax_amount, included_tax } = order
  const discount = {
    name: code ? say('discount_with', { code }) : say('discount'),
    amount: `−${price(discount_amount)}`,
  }
  return [
    { name: say('subtotal'), amount: price(order.subtotal) },
    ...(discount_amount > 0 ? [discount] : []),
    { name: say('shipping'), amount: shipping_cost > 0 ? price(shipping_cost) : say('free') },
    ...(tax_amount > 0 ? [{ name: say('tax'), amount: price(tax_amount) }] : []),
    { name: say('total'), amount: price(order.total), isTotal: true },
    ...(included_tax > 0 ? [{ name: say('included_tax'), amount: price(included_tax) }] : []),
  ]
}

// prettier-ignore
const paymentWords = { pending: 'unpaid', paid: 'paid', refunded: 'refunded', failed: 'failed' } as const

function payment({ order, method, language }: OrderFacts): Block[] {
  const { payment_method: code, payment_status } = order
  if (code === null) return []
  const say = sayIn(language)
  const name = nameOf({ code, name: method?.name ?? null }, language)
  return [{ kind: 'facts', facts: [{ name: say('payment'), value: `${name} · ${say(paymentWords[payment_status])}` }] }]
}

/** What is fetched goes nowhere: where to fetch it is what the merchant says of the rate. */
function delivery({ order, rate, language }: OrderFacts): Block[] {
  const say = sayIn(language)
  const { shipping_method: code, shipping_address: address } = order
  const name = code && nameOf({ code, name: rate?.name ?? null }, language)
  const place = [address?.postal_code, address?.city, address?.province].filter(Boolean).join(' ')
  const isSent = address?.address && rate?.requires_address !== false
  const parts = isSent ? [address.name, address.address, place, address.country] : []
  const lines = parts.flatMap((line) => (line ? [unlinked(line)] : []))
  const facts = [
    ...(name ? [{ name: say('delivery'), value: [name, rate?.description].filter(Boolean).join('\n') }] : []),
    ...(isSent ? [{ name: say('address'), value: lines.join('\n') }] : []),
  ]
  return facts.length > 0 ? [{ kind: 'facts', facts }] : []
}

function keep({ language }: OrderFacts): Block[] {
  return [{ kind: 'soft', text: sayIn(language)('keep') }]
}

function notYou({ language }: OrderFacts): Block[] {
  return [{ kind: 'soft', text: sayIn(language)('not_you') }]
}

function customer({ order, language }: OrderFacts): Block[] {
  const { customer_name, customer_email, customer_phone } = order
  const value = [customer_name, customer_email, customer_phone].filter((line) => line).map((line) => oneLine(line!))
  return value.length > 0
    ? [{ kind: 'facts', facts: [{ name: sayIn(language)('customer'), value: value.join('\n') }] }]
    : []
}

function note({ order, language }: OrderFacts): Block[] {
  const { customer_notes: value } = order
  return value ? [{ kind: 'facts', facts: [{ name: sayIn(language)('note'), value }] }] : []
}
