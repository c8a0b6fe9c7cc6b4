// The lines of an address, as its country writes it.
import { html } from 'hono/html'
import { nameOfCountry } from '../../../kit/values/countries.ts'
import type { Language } from '../../../kit/values/language.ts'
import { townLine, type ShippingAddress } from '../../../commerce/orders/address.ts'
import type { Html } from './page.ts'

export function renderAddress(whole: Partial<ShippingAddress>, countryCode: string | null, language: Language): Html {
  const { name, company, address, address_2 } = whole
  const country = whole.country ?? (countryCode && nameOfCountry(language, countryCode))
  const lines = [name, company, address, address_2, townLine(whole, countryCode), country].filter(Boolean)
  return html`<address>${lines.map((line) => html`${line}<br>`)}</address>`
}
