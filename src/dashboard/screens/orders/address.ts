// Addresses and item names as text.
import { nameOfCountry } from '../../../kit/values/countries.ts'
import { html } from 'hono/html'
import { townLine } from '../../../commerce/orders/address.ts'
import type { Order } from '../../../commerce/orders/order.ts'
import type { Language } from '../../../kit/values/language.ts'
import type { Html } from '../../framework/screen.ts'

export function addressLines(order: Order, language: Language): Html {
  const { shipping_address, customer_name, country_code } = order
  const { name, company, address, address_2, country } = shipping_address ?? ({} as Record<string, null>)
  const place = townLine(shipping_address, country_code)
  const land = country ?? (country_code && nameOfCountry(language, country_code))
  const lines = [name ?? customer_name, company, address, address_2, place, land]
  return html`${lines.filter(Boolean).map((line) => html`${line}<br>`)}`
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
