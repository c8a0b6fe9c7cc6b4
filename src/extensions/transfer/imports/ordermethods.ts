// How an order of the past was paid and sent: the code of the method that its name means, if it is one of the built-in.
import { getFirstValue, type Draft, type MappedRow } from './record.ts'

// The first one counts.
const paymentWords = {
  cod: /cash on delivery|\bcod\b|nachnahme|contra ?reembolso|contrassegno/i,
  bank_transfer: /bank|transfer|wire|überweisung|virement|bonifico|transferência/i,
  wallet: /paypal|apple.?pay|google.?pay|amazon|klarna|wallet/i,
  card: /card|visa|amex|stripe|shopify.payments|karte|tarjeta|carte|cartão/i,
  cash: /\bcash\b|efectivo|\bbar\b|espèces|contanti|dinheiro/i,
  other: /manual|other/i,
}
const shippingWords = {
  pickup: /pick.?up|collect|abholung|recogida|retrait|ritiro|retirada/i,
  local_delivery: /local.delivery/i,
  express: /express|overnight|next.day|priority/i,
  digital: /digital|download/i,
  standard: /standard|ground|economy|estándar/i,
}

export function putMethods({ input }: Draft, rows: readonly MappedRow[]): void {
  const names = { payment_method: paymentWords, shipping_method: shippingWords } as const
  for (const [field, words] of Object.entries(names)) {
    const name = String(getFirstValue(rows, `${field}_name`)?.value ?? '')
    const code = Object.entries(words).find(([, pattern]) => pattern.test(name))?.[0]
    if (code) input[field] ??= code
  }
  // The rate of today is not what was paid then.
  if (input.shipping_method) input.shipping_cost ??= 0
}
