// Goods told from services, where a business of another EU country is charged no tax: the words on its invoice differ.
import { euCountries } from '../../kit/values/countries.ts'
import { isOutsideVat, taxedAs } from '../tax/territories.ts'
import type { Order } from './order.ts'
import { digitalRate } from './rate.ts'

export type Supply = 'intra_community' | 'reverse_charge'

type SuppliedItem = { requires_shipping?: boolean | undefined }

type SupplyPlace = Partial<Pick<NonNullable<Order['shipping_address']>, 'province' | 'postal_code'>>

export type SuppliedOrder = {
  items: readonly SuppliedItem[]
  shipping_method: string | null
  /** The destination. */
  country_code: string | null
  shipping_address: SupplyPlace | null
}

/**
 * The words that an item needs, or else the shipping and the order bumps, which follow the goods. Goods that are
 * delivered to another EU country are exempt (Directive 2006/112/EC, articles 138 and 226(11); § 4 Nr. 1b and § 14a
 * Abs. 3 UStG); for services the customer owes the tax (articles 196 and 226(11a); § 13b and § 14a Abs. 5 UStG).
 * `home` is the store's country.
 */
export function nameSupply(sale: SuppliedOrder, home: string, item?: SuppliedItem): Supply {
  const isOfGoods = item ? isDelivered(item, sale) : sale.items.some((one) => isDelivered(one, sale))
  return isOfGoods && leavesForUnion(sale, home) ? 'intra_community' : 'reverse_charge'
}

/** The words that the items of a sale need. */
export function listSupplies(sale: SuppliedOrder, home: string): Supply[] {
  return [...new Set(sale.items.map((item) => nameSupply(sale, home, item)))]
}

function isDelivered({ requires_shipping }: SuppliedItem, { shipping_method }: SuppliedOrder): boolean {
  return requires_shipping !== false && shipping_method !== digitalRate.code
}

function leavesForUnion({ country_code, shipping_address }: SuppliedOrder, home: string): boolean {
  if (country_code === null || !euCountries.has(home)) return false
  const place = { ...shipping_address, country_code }
  const taxCountry = taxedAs(place)
  const isInUnion = taxCountry !== undefined || (euCountries.has(country_code) && !isOutsideVat(place))
  return isInUnion && (taxCountry ?? country_code) !== home
}
