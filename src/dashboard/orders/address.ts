// Addresses and items as people read them.
import { html } from 'hono/html'
import type { Order } from '../../orders/order.ts'
import type { Html } from '../page.ts'

export function addressLines({ shipping_address, customer_name, country_code }: Order): Html {
  const { name, company, address, address_2, postal_code, city, province, country } =
    shipping_address ?? ({} as Record<string, null>)
  const place = [postal_code, city].filter(Boolean).join(' ')
  const lines = [name ?? customer_name, company, address, address_2, place, province, country ?? country_code]
  return html`${lines.filter(Boolean).map((line) => html`${line}<br>`)}`
}

export function titleOf({ product_name, variant_name }: { product_name: string; variant_name: string | null }): string {
  return variant_name ? `${product_name} · ${variant_name}` : product_name
}
