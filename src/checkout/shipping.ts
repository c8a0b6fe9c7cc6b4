// Where a store ships to, what that costs, and what a checkout lacks to be placed: asked by API and page alike.
import { Decimal, round } from '../kit/values/money.ts'
import { fault, type Fault } from '../kit/values/faults.ts'
import { countryCodeOf } from '../orders/address.ts'
import type { Address, Customer } from './checkout.ts'
import type { Offer, Rate } from './offer.ts'

/** No country is everywhere: what is not known yet rules nothing out. */
export function shipsTo({ country_codes }: Pick<Rate, 'country_codes'>, country: string | null): boolean {
  return !country || country_codes.length === 0 || country_codes.includes(country)
}

export function ratesTo({ shipping_rates }: Offer, country: string | null): Rate[] {
  return shipping_rates.filter((rate) => shipsTo(rate, country))
}

/** `goods`: what is bought, after the discount. `isWaived`: by a code for free shipping. */
export type Parcel = { goods: Decimal; isWaived: boolean; currency: string }

export function isFree({ free_from }: Pick<Rate, 'free_from'>, { goods, isWaived }: Parcel): boolean {
  return isWaived || (free_from !== null && goods.greaterThanOrEqualTo(free_from))
}

export function costOf(rate: Pick<Rate, 'price' | 'free_from'>, parcel: Parcel): Decimal {
  return isFree(rate, parcel) ? new Decimal(0) : round(rate.price, parcel.currency)
}

/** What a rate costs in one checkout. */
export type ShippingCost = { code: string; price: number }

/** Where a checkout begins, so that the first sum that is shown is one that can be paid. */
export function firstDestination(offer: Offer, home: string): { country_code: string; shipping_method: string | null } {
  const rate = ratesTo(offer, home)[0] ?? offer.shipping_rates[0]
  const country_code = rate && !shipsTo(rate, home) ? rate.country_codes[0]! : home
  return { country_code, shipping_method: rate?.code ?? null }
}

export function countryOf(address: Address | null): string | null {
  return address?.country_code ?? countryCodeOf(address?.country)
}

type Placeable = {
  items: readonly unknown[]
  customer: Customer
  shipping_address: Address | null
  shipping_method: string | null
  payment_method: string | null
}

/** What an order needs and the shopper has not given. Where no payment methods are set up, none need be chosen. */
export function missing(checkout: Placeable, offer: Offer): Fault[] {
  const { items, customer, shipping_address: address, shipping_method, payment_method } = checkout
  const rates = ratesTo(offer, countryOf(address))
  const rate = rates.find(({ code }) => code === shipping_method)
  const needsAddress = rate ? rate.requires_address : rates.every(({ requires_address }) => requires_address)
  const isMissing: [boolean, Fault][] = [
    [items.length === 0, fault('items', 'cart_empty')],
    [!customer.email && !customer.phone, fault('customer.email', 'contact_required')],
    [!customer.name?.trim(), fault('customer.name', 'required')],
    [needsAddress && !address?.address?.trim(), fault('shipping_address.address', 'required')],
    [needsAddress && !address?.city?.trim(), fault('shipping_address.city', 'required')],
    [rates.length === 0 && !shipping_method, fault('shipping_address.country_code', 'no_shipping_there')],
    [rates.length > 0 && !shipping_method, fault('shipping_method', 'required')],
    [offer.has_own_methods && !payment_method, fault('payment_method', 'required')],
  ]
  return isMissing.filter(([is]) => is).map(([, fault]) => fault)
}
