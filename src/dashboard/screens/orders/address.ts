// Addresses and item names as text.
import { nameOfCountry } from '../../../kit/values/countries.ts'
import { html } from 'hono/html'
import { formatParts, type NamedPart } from '../../../commerce/orders/parts.ts'
import { townLine, type ShippingAddress } from '../../../commerce/orders/address.ts'
import type { Order } from '../../../commerce/orders/order.ts'
import type { Language } from '../../../kit/values/language.ts'
import type { Html } from '../../framework/screen.ts'

type AddressedOrder = Pick<Order, 'shipping_address' | 'billing_address' | 'customer_name' | 'country_code'>

export function addressLines(
  { shipping_address, customer_name, country_code }: AddressedOrder,
  language: Language,
): Html {
  const name = shipping_address?.name ?? customer_name
  return renderAddress({ ...shipping_address, name }, country_code, language)
}

/** Whom an order is invoiced to: the billing address, or else the shipping address. */
export function billingLines(order: AddressedOrder, language: Language): Html {
  const { billing_address: billing } = order
  return billing ? renderAddress(billing, billing.country_code ?? null, language) : addressLines(order, language)
}

function renderAddress(whole: Partial<ShippingAddress>, countryCode: string | null, language: Language): Html {
  const { name, company, address, address_2, country } = whole
  const place = townLine(whole, countryCode)
  const land = country ?? (countryCode && nameOfCountry(language, countryCode))
  return html`${[name, company, address, address_2, place, land].filter(Boolean).map((line) => html`${line}<br>`)}`
}

export function nameBillingCountry(
  { country, country_code }: NonNullable<Order['billing_address']>,
  language: Language,
): string | null {
  return country ?? (country_code ? nameOfCountry(language, country_code) : null)
}

/** The tax ID that stands on documents. */
export function readBilledTaxId({ billing_address, tax_id }: Pick<Order, 'billing_address' | 'tax_id'>): string | null {
  return billing_address?.tax_id ?? tax_id
}

/** The parts of one bundle, below its name. */
export function partsLine(parts: readonly NamedPart[] | null): Html | '' {
  return parts && parts.length > 0 ? html`<br><small>${formatParts(parts)}</small>` : ''
}

export function formatItemTitle({
  product_name,
  variant_name,
}: {
  product_name: string
  variant_name: string | null
}): string {
  return variant_name ? `${product_name} · ${variant_name}` : product_name
}
