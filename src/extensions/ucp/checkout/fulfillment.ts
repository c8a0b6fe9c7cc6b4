// Shipping rates as fulfillment methods: rates with an address are shipped, the others are picked up.
import { areAnyShipped } from '../../../commerce/orders/load.ts'
import type { CheckoutAddress } from '../../../storefront/checkout/checkout.ts'
import type { Checkout } from '../../../storefront/checkout/cart/view.ts'
import { formatMethodName } from '../../../storefront/checkout/offers/names.ts'
import type { Offer, OfferedRate } from '../../../storefront/checkout/offers/offer.ts'
import { ratesOffered, ratesTo } from '../../../storefront/checkout/offers/shipping.ts'
import { minorUnits } from '../amounts.ts'
import { firstAndLast } from './buyer.ts'
import { unnamedDestination } from './delivery.ts'
import { toUcpLines } from './lines.ts'

/** `destinationId`: the agent's ID of the address. */
export function toUcpFulfillment(checkout: Checkout, offer: Offer, destinationId: string | null): object {
  const { country_code } = checkout.shipping_address
  const rates = checkout.order ? ratesTo(offer, country_code ?? null) : ratesOffered(offer, checkout)
  // There is nothing to choose for what is not shipped.
  if (!areAnyShipped(checkout.items) && (checkout.order || rates.length < 2)) return { methods: [] }
  const [deliveryRates, pickupRates] = [true, false].map((needs) =>
    rates.filter((rate) => rate.requires_address === needs),
  )
  const line_item_ids = toUcpLines(checkout).map(({ id }) => id)
  const toUcpMethod = (type: string, own: readonly OfferedRate[], where: object) => ({
    id: type,
    type,
    line_item_ids,
    ...where,
    groups: [
      {
        id: `${type}_package`,
        line_item_ids,
        selected_option_id: own.find(({ code }) => code === checkout.shipping_method)?.code ?? null,
        options: own.map((rate) => toUcpShippingOption(checkout, rate)),
      },
    ],
  })
  return {
    methods: [
      ...(deliveryRates!.length > 0 || pickupRates!.length === 0
        ? [toUcpMethod('shipping', deliveryRates!, whereTo(checkout, destinationId ?? unnamedDestination))]
        : []),
      ...(pickupRates!.length > 0 ? [toUcpMethod('pickup', pickupRates!, whereFrom(checkout, pickupRates!))] : []),
    ],
  }
}

function toUcpShippingOption({ locale, currency, shipping_costs }: Checkout, rate: OfferedRate): object {
  const cost = shipping_costs.find(({ code }) => code === rate.code)?.price ?? rate.price
  return {
    id: rate.code,
    title: formatMethodName(rate, locale),
    ...(rate.description ? { description: rate.description } : {}),
    totals: [{ type: 'total', amount: minorUnits(cost, currency) }],
  }
}

function whereTo({ shipping_address: place, customer }: Checkout, id: string): object {
  const isKnown = Boolean(place.address || place.city || place.postal_code || place.country_code)
  if (!isKnown) return {}
  const destination = toUcpAddress({
    ...place,
    name: place.name ?? customer.name,
    phone: place.phone ?? customer.phone,
  })
  return { selected_destination_id: id, destinations: [{ id, type: 'shipping_address', ...destination }] }
}

/** An address of the checkout in the words of the protocol, without empty parts. */
export function toUcpAddress(place: CheckoutAddress): object {
  const parts = Object.entries({
    ...firstAndLast(place.name),
    phone_number: place.phone,
    street_address: place.address,
    extended_address: place.address_2,
    address_locality: place.city,
    address_region: place.province,
    address_country: place.country_code,
    postal_code: place.postal_code,
  }).filter(([, part]) => part)
  return Object.fromEntries(parts)
}

function whereFrom({ shipping_method, locale }: Checkout, rates: readonly OfferedRate[]): object {
  return {
    selected_destination_id: rates.find(({ code }) => code === shipping_method)?.code ?? null,
    destinations: rates.map((rate) => ({
      id: rate.code,
      type: 'business_location',
      name: formatMethodName(rate, locale),
      ...(rate.pickup_address ? { address: { street_address: rate.pickup_address } } : {}),
    })),
  }
}
