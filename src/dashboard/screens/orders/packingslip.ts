// A packing slip: the items to ship and the address.
import { html } from 'hono/html'
import type { CustomsFacts } from '../../../commerce/catalog/customs.ts'
import { nameOfCountry } from '../../framework/choices.ts'
import type { Html } from '../../framework/screen.ts'
import { addressLines, titleOf } from './address.ts'
import { methodName, type OrderDocument } from './document.ts'

export function packingSlip(paper: OrderDocument): Html {
  const { t, formatDate, language, order, seller } = paper
  const { items, order_number, created_at, shipping_method, shipping_address, customer_notes } = order
  const rows = items.map((item, index) => {
    const { sku, quantity, fulfillable_quantity, fulfilled_quantity } = item
    const note = fulfilled_quantity > 0 ? html`<small>${t('pieces_sent', { count: fulfilled_quantity })}</small>` : ''
    const facts = customsLine(paper, paper.customs[index] ?? null)
    return html`<tr><td class="box" aria-hidden="true">☐</td><td><strong>${titleOf(item)}</strong> ${note}${facts}</td>
<td>${sku ?? ''}</td><td class="number">${fulfillable_quantity} / ${quantity}</td></tr>`
  })
  const notes = [customer_notes, shipping_address?.notes].filter(Boolean)
  return html`<header><h2>${seller.name}</h2>
<p>${t('order_title', { number: order_number })}<br>${formatDate(created_at)}</p></header>
<div class="parties"><section><h3>${t('ship_to')}</h3><p>${addressLines(order, language)}</p></section>
<section><h3>${t('shipping_method')}</h3>
<p>${methodName(paper, shipping_method)}</p></section></div>
<table class="plain"><thead><tr><td></td><th scope="col">${t('items')}</th><th scope="col">${t('sku')}</th>
<th scope="col" class="number">${t('to_send')}</th></tr></thead><tbody>${rows}</tbody></table>
${notes.length > 0 ? html`<h3>${t('notes')}</h3>${notes.map((note) => html`<p>${note}</p>`)}` : ''}`
}

/** What a customs declaration asks for. */
function customsLine({ t, language }: OrderDocument, facts: CustomsFacts | null): Html | '' {
  if (!facts) return ''
  const { hs_code, country_of_origin: origin, weight } = facts
  const parts = [
    hs_code && `${t('hs_code')}: ${hs_code}`,
    origin && `${t('country_of_origin')}: ${nameOfCountry(language, origin)}`,
    weight !== null && `${t('weight')}: ${weight}`,
  ].filter(Boolean)
  return parts.length > 0 ? html`<br><small>${parts.join(' · ')}</small>` : ''
}
