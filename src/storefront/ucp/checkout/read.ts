// A body of the protocol as the input of the store's own checkout. A body says all there is: what it leaves out is
// taken out of the checkout.
import type { Db } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { isUuid, publicId } from '../../../kit/values/ids.ts'
import { countryCodeOf } from '../../../commerce/orders/address.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { Offer } from '../../checkout/offers/offer.ts'
import { warningMessage, type UcpMessage } from '../messages.ts'
import { languageOf, type Visit } from '../visit.ts'
import type { CheckoutBody } from './inputs.ts'
import { bumpOfLine } from './lines.ts'

/** The body of a request to the storefront API, before it is validated. What is absent stays as it is. */
export type RawInput = {
  items: { product_id: string; variant_id: string | null; quantity: number }[]
  order_bumps: string[]
  customer: { name: string | null; email: string | null; phone: string | null }
  shipping_address?: Record<string, string | null> | null
  shipping_method?: string | null
  payment_method?: string | null
  discount_code?: string | null
  locale?: string
}

export type ReadBody = {
  input: RawInput
  /** The item of each of `input.items`. */
  itemIds: string[]
  /** Items that are not known here. */
  unknown: string[]
  messages: UcpMessage[]
}

export async function readBody({ db, store, agent }: Visit, body: CheckoutBody, offer: Offer): Promise<ReadBody> {
  const own = merged(body.line_items.filter(({ id }) => !bumpOfLine(id)))
  const products = await productsOf(db, store, [...own.keys()].filter(isUuid))
  const known = [...own].filter(([id]) => !isUuid(id) || products.has(id.toLowerCase()))
  const takesCodes = agent.active.has('dev.ucp.shopping.discount')
  const codes = takesCodes ? (body.discounts?.codes ?? []) : []
  const payment_method = paymentOf(body, offer)
  const language = languageOf(body.context ?? undefined)
  return {
    itemIds: known.map(([id]) => id),
    unknown: [...own.keys()].filter((id) => !known.some(([one]) => one === id)),
    input: {
      items: known.map(([id, quantity]) => ({
        product_id: products.get(id.toLowerCase()) ?? id,
        variant_id: isUuid(id) ? id.toLowerCase() : null,
        quantity,
      })),
      order_bumps: body.line_items.map(({ id }) => bumpOfLine(id)).filter((id) => id !== null),
      customer: customerOf(body.buyer),
      ...(agent.active.has('dev.ucp.shopping.fulfillment') ? deliveryOf(body) : {}),
      ...(payment_method ? { payment_method } : {}),
      ...(takesCodes ? { discount_code: codes[0]?.trim() || null } : {}),
      ...(language ? { locale: language } : {}),
    },
    messages: codes
      .slice(1)
      .map((code, at) =>
        warningMessage(
          'discount_code_combination_disallowed',
          `${code} was not applied: an order takes one code`,
          `$.discounts.codes[${at + 1}]`,
        ),
      ),
  }
}

/** Lines of the same item are one. */
function merged(lines: CheckoutBody['line_items']): Map<string, number> {
  const quantities = new Map<string, number>()
  for (const { item, quantity } of lines) quantities.set(item.id, (quantities.get(item.id) ?? 0) + quantity)
  return quantities
}

/** Variant → the public id of its product. */
async function productsOf(db: Db, store: Store, variants: string[]): Promise<Map<string, string>> {
  if (variants.length === 0) return new Map()
  const rows = await db.rows<{ id: string; product_id: string }>(sql`
    select id, product_id
    from variants
    where store_id = ${store.id}
      and id = any(${variants}::uuid[])`)
  return new Map(rows.map(({ id, product_id }) => [id, publicId('prod', product_id)]))
}

function customerOf(buyer: CheckoutBody['buyer']): RawInput['customer'] {
  return { name: nameOf(buyer), email: buyer?.email?.trim() || null, phone: buyer?.phone_number?.trim() || null }
}

function nameOf(person: { first_name?: string | null; last_name?: string | null } | null | undefined): string | null {
  return (
    [person?.first_name, person?.last_name]
      .map((part) => part?.trim())
      .filter(Boolean)
      .join(' ') || null
  )
}

type PlaceInput = Record<string, string | null> | null
type DeliveryInput = { shipping_address: PlaceInput; shipping_method: string | null }

/** The method with a choice, or else the first. */
function deliveryOf({ fulfillment, context }: CheckoutBody): DeliveryInput {
  const methods = fulfillment?.methods ?? []
  const optionOf = ({ groups }: (typeof methods)[number]) => groups?.find((one) => one.selected_option_id)
  const method = methods.find(optionOf) ?? methods.find((one) => one.selected_destination_id) ?? methods[0]
  if (!method) return { shipping_address: placeOf(context), shipping_method: null }
  const { destinations, selected_destination_id: selected } = method
  const option = optionOf(method)?.selected_option_id
  const isPickup = method.type === 'pickup' || method.id === 'pickup'
  const destination = destinations?.find(({ id }) => id && id === selected) ?? destinations?.[0]
  return {
    shipping_address: isPickup || !destination ? placeOf(context) : addressOf(destination),
    shipping_method: option ?? (isPickup ? (selected ?? null) : null),
  }
}

type SentDestination = NonNullable<
  NonNullable<NonNullable<CheckoutBody['fulfillment']>['methods']>[number]['destinations']
>

/** All that the protocol says of an address: a company that the shopper has added stays. */
const nowhere = {
  name: null,
  phone: null,
  address: null,
  address_2: null,
  city: null,
  province: null,
  country: null,
  country_code: null,
  postal_code: null,
}

function addressOf(place: SentDestination[number]): PlaceInput {
  return {
    ...nowhere,
    name: nameOf(place),
    phone: place.phone_number ?? null,
    address: place.street_address ?? null,
    address_2: place.extended_address ?? null,
    city: place.address_locality ?? null,
    province: place.address_region ?? null,
    postal_code: place.postal_code ?? null,
    country_code: countryCodeOf(place.address_country) ?? place.address_country ?? null,
  }
}

/** Where the shopper says to be, so that costs can be estimated. */
function placeOf(context: CheckoutBody['context']): PlaceInput {
  const country_code = countryCodeOf(context?.address_country)
  if (!country_code) return null
  const { address_region: province = null, postal_code = null } = context ?? {}
  return { ...nowhere, country_code, province, postal_code }
}

/** A handler's id is the code of the method. */
function paymentOf({ payment }: CheckoutBody, offer: Offer): string | null {
  const [instrument] = payment?.instruments ?? []
  const method = offer.payment_methods.find(({ code }) => code === instrument?.handler_id)
  return method?.code ?? null
}
