// What the built-in codes of payment methods and shipping rates are called, where the merchant gives no name.

export const locales = ['en', 'es'] as const
export type Locale = (typeof locales)[number]

const usualNames: Record<string, Record<Locale, string>> = {
  cod:            { en: 'Cash on delivery', es: 'Pago contra entrega' },
  bank_transfer:  { en: 'Bank transfer',    es: 'Transferencia bancaria' },
  cash:           { en: 'Cash',             es: 'Efectivo' },
  card:           { en: 'Card',             es: 'Tarjeta' },
  wallet:         { en: 'Digital wallet',   es: 'Billetera digital' },
  other:          { en: 'Other',            es: 'Otro' },
  standard:       { en: 'Standard',         es: 'Estándar' },
  express:        { en: 'Express',          es: 'Exprés' },
  local_delivery: { en: 'Local delivery',   es: 'Entrega local' },
  pickup:         { en: 'Pickup',           es: 'Recoger en tienda' },
  digital:        { en: 'Digital delivery', es: 'Entrega digital' },
}

export function nameOf({ code, name }: { code: string; name: string | null }, locale: Locale = 'en'): string {
  return name ?? usualNames[code]?.[locale] ?? code
}

/** `MX` → `México` */
export function countryName(code: string | null | undefined, locale: Locale): string | null {
  return code ? new Intl.DisplayNames([locale], { type: 'region' }).of(code) ?? code : null
}

// Where Spanish is the language of most shoppers: the guess for who has not said theirs.
const spanish = new Set([
  'AR', 'BO', 'CL', 'CO', 'CR', 'CU', 'DO', 'EC', 'ES', 'GQ', 'GT',
  'HN', 'MX', 'NI', 'PA', 'PE', 'PR', 'PY', 'SV', 'UY', 'VE',
])

export function localeOf(countryCode: string): Locale {
  return spanish.has(countryCode) ? 'es' : 'en'
}
