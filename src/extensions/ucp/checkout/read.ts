// Reads a body of the protocol as input of the store's own checkout. A body is complete: missing fields are
// removed from the checkout.
import type { Db } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { isUuid, publicId } from '../../../kit/values/ids.ts'
import { maxCodes } from '../../../commerce/discounts/codes.ts'
import { normalizeDiscountCode } from '../../../commerce/discounts/discount.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { Offer } from '../../../storefront/checkout/offers/offer.ts'
import type { AnswerChanges } from '../../../storefront/checkout/offers/answers.ts'
import { errorMessage, linePath, warningMessage, type UcpMessage } from '../messages.ts'
import { readContextLanguage, type Visit } from '../visit.ts'
import { formatPersonName } from './buyer.ts'
import { readBillingPlace, readDelivery, type PlaceInput } from './delivery.ts'
import type { CheckoutBody } from './inputs.ts'
import { bumpOfLine } from './lines.ts'

/** The body of a request to the storefront API, before its validation. Absent fields stay unchanged. */
export type RawInput = {
  items: { product_id: string; variant_id: string | null; quantity: number }[]
  order_bumps: string[]
  customer: { name: string | null; email: string | null; phone: string | null }
  shipping_address?: PlaceInput
  billing_address?: PlaceInput
  shipping_method?: string | null
  payment_method?: string | null
  discount_codes?: string[]
  custom_fields?: AnswerChanges | null
  locale?: string
}

export type LinePlace = { itemId: string; at: number }

export type ReadBody = {
  input: RawInput
  /** The item of each of `input.items`, and the index of its line in the request. */
  lines: LinePlace[]
  /** Unsupported parts: a new checkout omits them, and a change is rejected. */
  refusals: UcpMessage[]
  messages: UcpMessage[]
  /** The agent's ID of the address. */
  destinationId: string | null
}

export async function readBody({ db, store, agent }: Visit, body: CheckoutBody, offer: Offer): Promise<ReadBody> {
  const lines = body.line_items.filter(({ id }) => !bumpOfLine(id))
  const own = mergeSameItems(lines.filter(isByPiece))
  const products = await findProductIds(db, store, [...own.keys()].filter(isUuid))
  const knownItems = [...own].filter(([id]) => !isUuid(id) || products.has(id.toLowerCase()))
  const unknownItems = [...own.keys()].filter((id) => !knownItems.some(([one]) => one === id))
  const delivery = agent.active.has('dev.ucp.shopping.fulfillment') ? readDelivery(body, offer) : null
  const takesCodes = agent.active.has('dev.ucp.shopping.discount')
  const codes = takesCodes ? readCodes(body) : []
  const payment_method = readPaymentMethod(body, offer)
  const billing_address = readBillingPlace(body)
  const language = readContextLanguage(body.context ?? undefined)
  const findLineIndex = (itemId: string) => body.line_items.findIndex(({ item }) => item.id === itemId)
  return {
    lines: knownItems.map(([itemId]) => ({ itemId, at: findLineIndex(itemId) })),
    refusals: [
      ...unknownItems.map((id) => unknownItem(id, findLineIndex(id))),
      ...lines.filter((line) => !isByPiece(line)).map((line) => otherUnit(line.item.id, body.line_items.indexOf(line))),
      ...(delivery?.refusals ?? []),
    ],
    destinationId: delivery?.destinationId ?? null,
    input: {
      items: knownItems.map(([id, quantity]) => ({
        product_id: products.get(id.toLowerCase()) ?? id,
        variant_id: isUuid(id) ? id.toLowerCase() : null,
        quantity,
      })),
      order_bumps: body.line_items.map(({ id }) => bumpOfLine(id)).filter((id) => id !== null),
      customer: toCustomerInput(body.buyer),
      ...delivery?.input,
      ...(payment_method ? { payment_method } : {}),
      ...(billing_address ? { billing_address } : {}),
      ...(takesCodes ? { discount_codes: codes.slice(0, maxCodes) } : {}),
      ...(language ? { locale: language } : {}),
      ...(body.custom_fields === undefined ? {} : { custom_fields: body.custom_fields }),
    },
    messages: codes
      .slice(maxCodes)
      .map((code, at) =>
        warningMessage(
          'discount_code_combination_disallowed',
          `${code} was not applied: an order takes at most ${maxCodes} codes`,
          `$.discounts.codes[${at + maxCodes}]`,
        ),
      ),
  }
}

/** Each once, in any case. */
function readCodes({ discounts }: CheckoutBody): string[] {
  return [...new Set((discounts?.codes ?? []).map(normalizeDiscountCode).filter(Boolean))]
}

type SentLine = CheckoutBody['line_items'][number]

/** Items are sold by the piece: UN/CEFACT code C62 without fractions, which is also the default. */
function isByPiece({ item }: SentLine): boolean {
  const { unit = 'C62', scale = 0 } = item.quantity_unit ?? {}
  return unit === 'C62' && (scale ?? 0) === 0
}

function unknownItem(id: string, at: number): UcpMessage {
  return errorMessage('item_unavailable', `${id} is not for sale here`, { path: linePath(at) })
}

function otherUnit(id: string, at: number): UcpMessage {
  return errorMessage('quantity_unit_mismatch', `${id} is sold by the piece (C62)`, { path: linePath(at) })
}

/** Merges lines of the same item. */
function mergeSameItems(lines: CheckoutBody['line_items']): Map<string, number> {
  const quantities = new Map<string, number>()
  for (const { item, quantity } of lines) quantities.set(item.id, (quantities.get(item.id) ?? 0) + quantity)
  return quantities
}

/** Variant → public ID of its product. */
async function findProductIds(db: Db, store: Store, variants: string[]): Promise<Map<string, string>> {
  if (variants.length === 0) return new Map()
  const rows = await db.rows<{ id: string; product_id: string }>(sql`
    select id, product_id
    from variants
    where store_id = ${store.id}
      and id = any(${variants}::uuid[])`)
  return new Map(rows.map(({ id, product_id }) => [id, publicId('prod', product_id)]))
}

function toCustomerInput(buyer: CheckoutBody['buyer']): RawInput['customer'] {
  return {
    name: formatPersonName(buyer),
    email: buyer?.email?.trim() || null,
    phone: buyer?.phone_number?.trim() || null,
  }
}

/** The ID of a handler is the method's code. */
function readPaymentMethod({ payment }: CheckoutBody, offer: Offer): string | null {
  const [instrument] = payment?.instruments ?? []
  const method = offer.payment_methods.find(({ code }) => code === instrument?.handler_id)
  return method?.code ?? null
}
