// The fields of the checkout's form, in the order of the page. A row is all that the page knows of a field; whether it
// is asked for, and how long it may be, is said where checkouts are declared.
import type { JsonSchema } from '../kit/declare/field.ts'
import type { Text } from '../kit/values/language.ts'
import { checkoutChanges } from '../checkout/checkout.ts'

export type FormRow = {
  /** Where it stands; what is apart is drawn by a function of its own. */
  part: 'contact' | 'address' | 'notes' | 'apart'
  label: Text
  type?: 'email' | 'tel' | 'area' | 'country'
  autocomplete?: string
  hint?: Text
  /** Shares its line with another. */
  isHalf?: boolean
  /** What is said beside it when it is missing, or is not what it should be. */
  missing?: Text
  wrong?: Text
  /** Beside its label, while it or another must be there. */
  or?: Text
}

// prettier-ignore
export const rows = {
  'customer.email': {
    part: 'contact', type: 'email', autocomplete: 'email',
    label:   ['E-mail', 'Correo electrónico'],
    or:      ['(or phone)', '(o teléfono)'],
    missing: ['Enter your e-mail.', 'Escribe tu correo.'],
    wrong:   ['Enter an e-mail address like ana@example.com.', 'Escribe un correo como ana@example.com.'],
  },
  'customer.phone': {
    part: 'contact', type: 'tel', autocomplete: 'tel',
    label:   ['Phone', 'Teléfono'],
    or:      ['(or e-mail)', '(o correo)'],
    hint:    ['For questions about the delivery', 'Para dudas sobre la entrega'],
    missing: ['Enter your phone number.', 'Escribe tu teléfono.'],
    wrong:   ['Enter a phone number, with 6 to 15 digits.', 'Escribe un teléfono, de 6 a 15 dígitos.'],
  },
  'customer.name': {
    part: 'contact', autocomplete: 'name',
    label:   ['Full name', 'Nombre completo'],
    missing: ['Enter your name.', 'Escribe tu nombre.'],
  },
  'tax_id': {
    part: 'contact', autocomplete: 'off',
    label:   ['Tax number', 'Número fiscal'],
    hint:    ['For the invoice', 'Para la factura'],
    missing: ['Enter your tax number.', 'Escribe tu número fiscal.'],
    wrong:   ['Please check the tax number.', 'Revisa el número fiscal.'],
  },
  'shipping_address.country_code': {
    part: 'address', type: 'country', autocomplete: 'shipping country',
    label:   ['Country', 'País'],
  },
  'shipping_address.company': {
    part: 'address', autocomplete: 'shipping organization',
    label:   ['Company', 'Empresa'],
    missing: ['Enter the company.', 'Escribe la empresa.'],
  },
  'shipping_address.address': {
    part: 'address', autocomplete: 'shipping address-line1',
    label:   ['Street and number', 'Calle y número'],
    missing: ['Enter the street and number.', 'Escribe la calle y el número.'],
  },
  'shipping_address.address_2': {
    part: 'address', autocomplete: 'shipping address-line2',
    label:   ['Apartment, floor, building', 'Departamento, piso, edificio'],
    missing: ['Enter the apartment, floor or building.', 'Escribe el departamento, piso o edificio.'],
  },
  'shipping_address.city': {
    part: 'address', autocomplete: 'shipping address-level2', isHalf: true,
    label:   ['City', 'Ciudad'],
    missing: ['Enter the city.', 'Escribe la ciudad.'],
  },
  'shipping_address.postal_code': {
    part: 'address', autocomplete: 'shipping postal-code', isHalf: true,
    label:   ['Postal code', 'Código postal'],
    missing: ['Enter the postal code.', 'Escribe el código postal.'],
  },
  'shipping_address.province': {
    part: 'address', autocomplete: 'shipping address-level1',
    label:   ['State or province', 'Estado o provincia'],
    missing: ['Enter the state or province.', 'Escribe el estado o la provincia.'],
  },
  'shipping_method': { part: 'apart', label: ['Shipping', 'Envío'] },
  'payment_method':  { part: 'apart', label: ['Payment', 'Pago'] },
  'customer_notes':  { part: 'notes', type: 'area', label: ['Note for the store', 'Nota para la tienda'] },
  'discount_code':   { part: 'apart', label: ['Discount code', 'Código de descuento'] },
} as const satisfies Record<string, FormRow>

export type TextField = keyof typeof rows

export const texts = Object.keys(rows) as TextField[]

export function rowOf(name: TextField): FormRow {
  return rows[name]
}

export function rowsIn(part: FormRow['part']): TextField[] {
  return texts.filter((name) => rows[name].part === part)
}

/** How long it may be, as the API says. */
export function maximumOf(name: TextField): number {
  const schema = name
    .split('.')
    .reduce<JsonSchema>((at, part) => (at.properties as Record<string, JsonSchema>)[part]!, checkoutChanges.schema)
  return schema.maxLength as number
}
