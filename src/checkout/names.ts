// What built-in codes and countries are called, where the merchant or the shopper gives no name.
import { speaker, type Language, type Words } from '../kit/values/language.ts'

// prettier-ignore
const usualNames = {
  cod:            ['Cash on delivery', 'Pago contra entrega'],
  bank_transfer:  ['Bank transfer',    'Transferencia bancaria'],
  cash:           ['Cash',             'Efectivo'],
  card:           ['Card',             'Tarjeta'],
  wallet:         ['Digital wallet',   'Billetera digital'],
  other:          ['Other',            'Otro'],
  standard:       ['Standard',         'Estándar'],
  express:        ['Express',          'Exprés'],
  local_delivery: ['Local delivery',   'Entrega local'],
  pickup:         ['Pickup',           'Recoger en tienda'],
  digital:        ['Digital delivery', 'Entrega digital'],
} satisfies Words

const say = speaker(usualNames)

/** Of a payment method or a shipping rate. */
export function nameOf({ code, name }: { code: string; name: string | null }, language: Language = 'en'): string {
  return name ?? (code in usualNames ? say(language)(code as keyof typeof usualNames) : code)
}

const regions = new Map<Language, Intl.DisplayNames>()

/** `MX` → `México` */
export function countryName(code: string | null | undefined, language: Language): string | null {
  if (!code) return null
  let names = regions.get(language)
  if (!names) regions.set(language, (names = new Intl.DisplayNames([language], { type: 'region' })))
  return names.of(code) ?? code
}
