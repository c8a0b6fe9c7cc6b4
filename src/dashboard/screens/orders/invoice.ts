// An invoice: seller and buyer with tax numbers, a number without gaps, the items, and each tax with rate, base and the
// reason for an exemption.
import { html } from 'hono/html'
import { Decimal, sum, toNumber } from '../../../kit/values/money.ts'
import { discountRows } from '../../../commerce/orders/discountrows.ts'
import { nameSupply } from '../../../commerce/orders/supply.ts'
import type { TaxLine } from '../../../commerce/tax/taxline.ts'
import type { Html } from '../../framework/screen.ts'
import { taxName } from '../../../commerce/tax/summary.ts'
import { messageOr } from '../../framework/messages.ts'
import type { NamedPart } from '../../../commerce/orders/parts.ts'
import { billingLines, formatItemTitle, partsLine, readBilledTaxId } from './address.ts'
import { methodName, printAnswers, type OrderDocument, type Seller } from './document.ts'

export function invoice(paper: OrderDocument): Html {
  const { t, formatDate, language, order, seller } = paper
  const { order_number, created_at, payment_method } = order
  const tax_id = readBilledTaxId(order)
  const method = methodName(paper, payment_method)
  return html`<header><div><h2>${seller.legal_name ?? seller.name}</h2>${sellerLines(paper, seller)}</div>
<dl class="facts"><div><dt>${t('invoice_number')}</dt><dd>${order_number}</dd></div>
<div><dt>${t('invoice_date')}</dt><dd>${formatDate(created_at)}</dd></div>
<div><dt>${t('payment_method')}</dt><dd>${method}</dd></div></dl></header>
<div class="parties"><section><h3>${t('billed_to')}</h3><p>${billingLines(order, language)}
${tax_id ? html`${t('tax_id')}: ${tax_id}` : ''}</p></section></div>
${printAnswers(paper)}${items(paper)}${sums(paper)}${taxes(paper)}${reasons(paper)}`
}

function sellerLines({ t }: OrderDocument, { contact_address, contact_email, contact_phone, tax_id }: Seller): Html {
  const lines = [...(contact_address ?? '').split('\n'), contact_email, contact_phone].filter(Boolean)
  return html`<p>${lines.map((line) => html`${line}<br>`)}${tax_id ? html`${t('tax_id')}: ${tax_id}` : ''}</p>`
}

function items({ t, price, order }: OrderDocument): Html {
  const renderInvoiceRow = (
    title: string,
    sku: string | null,
    quantity: number,
    unit: number,
    total: number,
    parts: NamedPart[] | null = null,
  ) => html`<tr>
<td><strong>${title}</strong> <small>${sku ?? ''}</small>${partsLine(parts)}</td><td class="number">${quantity}</td>
<td class="number">${price(unit)}</td><td class="number">${price(total)}</td></tr>`
  const rows = order.items.map((item) =>
    renderInvoiceRow(formatItemTitle(item), item.sku, item.quantity, item.unit_price, item.total_price, item.parts),
  )
  const bumps = (order.order_bumps?.items ?? []).map(({ title, price: amount }) =>
    renderInvoiceRow(title!, null, 1, amount!, amount!),
  )
  const head = (text: string) => html`<th scope="col" class="number">${text}</th>`
  return html`<table class="plain"><thead><tr><th scope="col">${t('items')}</th>${head(t('quantity'))}
${head(t('unit_price'))}${head(t('amount'))}</tr></thead><tbody>${rows}${bumps}</tbody></table>`
}

function sums({ t, price, order }: OrderDocument): Html {
  const { subtotal, shipping_cost, tax_amount, total } = order
  const { captured_amount, refunded_amount, currency } = order
  const line = (text: string, amount: number, isShown = amount !== 0) =>
    isShown ? html`<div><dt>${text}</dt><dd>${price(amount)}</dd></div>` : ''
  return html`<dl class="sums">${line(t('subtotal'), subtotal, true)}
${discountRows(order).map(({ name, amount }) => line(name ? `${t('discount')} (${name})` : t('discount'), -amount))}
${line(t('shipping'), shipping_cost, true)}${line(t('tax'), tax_amount)}
<div class="total"><dt>${t('total')} (${currency})</dt><dd>${price(total)}</dd></div>
${line(t('paid'), captured_amount)}${line(t('refunded'), -refunded_amount)}</dl>`
}

type InvoiceTaxLine = { text: string; base: Decimal; amount: Decimal }

/** Renders one line for each rate. */
function taxes(paper: OrderDocument): Html | '' {
  const { t, price, language, order } = paper
  const byRate = new Map<string, InvoiceTaxLine>()
  for (const line of order.tax_lines) {
    const { name, rate, base, amount, included, tax_id } = line
    const reason = nameReason(paper, line)
    const parts = [
      taxName({ name: name ?? t('tax'), rate }, language),
      tax_id ? `${t('tax_id')} ${tax_id}` : '',
      messageOr(t, `tax_reason_${reason}`, reason),
      included && rate !== 0 ? t('tax_in_price') : '',
    ]
    const text = parts.filter(Boolean).join(' · ')
    const before = byRate.get(text) ?? { text, base: new Decimal(0), amount: new Decimal(0) }
    byRate.set(text, { text, base: sum([before.base, base]), amount: sum([before.amount, amount]) })
  }
  if (byRate.size === 0) return ''
  const rows = [...byRate.values()].map(
    ({ text, base, amount }) => html`<tr><td>${text}</td><td class="number">${price(toNumber(base))}</td>
<td class="number">${price(toNumber(amount))}</td></tr>`,
  )
  return html`<table class="plain"><thead><tr><th scope="col">${t('tax')}</th>
<th scope="col" class="number">${t('tax_base')}</th><th scope="col" class="number">${t('amount')}</th></tr></thead>
<tbody>${rows}</tbody></table>`
}

/** The reason of a tax line, with goods told from services. */
function nameReason({ order, seller }: OrderDocument, { reason, item_id, country_code }: TaxLine) {
  if (reason !== 'reverse_charge') return reason
  const sale = { ...order, country_code: country_code ?? order.country_code }
  return nameSupply(
    sale,
    seller.country_code,
    order.items.find(({ id }) => id === item_id),
  )
}

const untaxedReasons = ['intra_community', 'reverse_charge', 'export', 'exempt'] as const

/** The notes that the law requires if no tax is charged. */
function reasons(paper: OrderDocument): Html[] {
  const usedReasons = new Set<string>(paper.order.tax_lines.map((line) => nameReason(paper, line)))
  return untaxedReasons
    .filter((reason) => usedReasons.has(reason))
    .map((reason) => html`<p>${paper.t(`invoice_${reason}`)}</p>`)
}
