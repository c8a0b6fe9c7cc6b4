// Reads an agent's address and delivery option. The selected one is used or rejected, and never replaced.
import { parseCountryCode } from '../../../kit/values/countries.ts'
import type { Offer } from '../../../storefront/checkout/offers/offer.ts'
import { errorMessage, type UcpMessage } from '../messages.ts'
import { formatPersonName } from './buyer.ts'
import type { CheckoutBody } from './inputs.ts'

/** The ID of an address without an ID of its agent. */
export const unnamedDestination = 'destination'

export type PlaceInput = Record<string, string | null> | null

export type SentDelivery = {
  /** An absent address keeps the current one. */
  input: { shipping_address?: PlaceInput; shipping_method: string | null }
  /** The agent's ID of the selected address. */
  destinationId: string | null
  refusals: UcpMessage[]
}

type SentMethods = NonNullable<NonNullable<CheckoutBody['fulfillment']>['methods']>
type SentMethod = SentMethods[number]
type SentDestination = NonNullable<SentMethod['destinations']>[number]

/** Reads the method with a choice, or the first one. */
export function readDelivery({ fulfillment, context }: CheckoutBody, offer: Offer): SentDelivery {
  const methods = fulfillment?.methods ?? []
  const method = methods.find(readSelectedOption) ?? methods.find((one) => one.selected_destination_id) ?? methods[0]
  const nowhereYet = { shipping_address: readContextPlace(context), shipping_method: null }
  if (!method) return { input: nowhereYet, destinationId: null, refusals: [] }
  const delivery = isPickup(method) ? readPickup(method, offer) : addressIn(method)
  if (delivery) return { ...delivery, input: { ...nowhereYet, ...delivery.input }, refusals: [] }
  const path = `$.fulfillment.methods[${methods.indexOf(method)}].selected_destination_id`
  const content = `${method.selected_destination_id} is not a destination of this method`
  return { input: nowhereYet, destinationId: null, refusals: [errorMessage('invalid', content, { path })] }
}

function isPickup({ type, id }: SentMethod): boolean {
  return type === 'pickup' || id === 'pickup'
}

function readSelectedOption({ groups }: SentMethod): string | null {
  return groups?.find((one) => one.selected_option_id)?.selected_option_id ?? null
}

type ReadDelivery = Pick<SentDelivery, 'destinationId'> & { input: Partial<SentDelivery['input']> }

/** Each pickup location is its own rate. */
function readPickup(method: SentMethod, { shipping_rates }: Offer): ReadDelivery | null {
  const { selected_destination_id: selectedId } = method
  const option = readSelectedOption(method)
  const isKnown = shipping_rates.some((rate) => rate.code === selectedId && !rate.requires_address)
  if (selectedId && (!isKnown || (option ?? selectedId) !== selectedId)) return null
  return { input: { shipping_method: option ?? selectedId ?? null }, destinationId: null }
}

function addressIn(method: SentMethod): ReadDelivery | null {
  const { selected_destination_id: selectedId, destinations } = method
  const shipping_method = readSelectedOption(method)
  const [first] = destinations ?? []
  const isUnnamed = selectedId === unnamedDestination
  if (!selectedId && !first) return { input: { shipping_method }, destinationId: null }
  // Keeps the address that the response had.
  if (isUnnamed && !first) return { input: { shipping_method, shipping_address: undefined }, destinationId: null }
  const destination = selectedId ? destinations?.find(({ id }) => id === selectedId || (isUnnamed && !id)) : first
  if (!destination) return null
  return { input: { shipping_method, shipping_address: toPlaceInput(destination) }, destinationId: selectedId ?? null }
}

/** The fields that the protocol has. A company that the shopper has added stays. */
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

/** That of the first payment instrument; undefined keeps the current one. */
export function readBillingPlace({ payment }: Pick<CheckoutBody, 'payment'>): PlaceInput | undefined {
  const place = payment?.instruments?.[0]?.billing_address
  return place ? toPlaceInput(place) : undefined
}

function toPlaceInput(place: Omit<SentDestination, 'id'>): PlaceInput {
  return {
    ...nowhere,
    name: formatPersonName(place),
    phone: place.phone_number ?? null,
    address: place.street_address ?? null,
    address_2: place.extended_address ?? null,
    city: place.address_locality ?? null,
    province: place.address_region ?? null,
    postal_code: place.postal_code ?? null,
    country_code: parseCountryCode(place.address_country) ?? place.address_country ?? null,
  }
}

/** The shopper's location, for an estimate of costs. */
function readContextPlace(context: CheckoutBody['context']): PlaceInput {
  const country_code = parseCountryCode(context?.address_country)
  if (!country_code) return null
  const { address_region: province = null, postal_code = null } = context ?? {}
  return { ...nowhere, country_code, province, postal_code }
}
