// The discount codes of an order, a draft or a checkout. Callers from before there were several send and read one.
import { set } from '../../kit/declare/composites.ts'
import { text } from '../../kit/declare/scalars.ts'
import { reason, generalFaults, type Fault } from '../../kit/values/faults.ts'
import { normalizeDiscountCode } from './discount.ts'

export const maxCodes = 5

export const discountCode = () =>
  text({ min: 1, max: 255 })
    .becomes(normalizeDiscountCode)
    .rule((code) => (code === '' ? reason(generalFaults.blank) : null))

export const discountCodes = () =>
  set(discountCode(), { max: maxCodes, unique: true })
    .rule((codes) => {
      const second = codes.findIndex((code, index) => codes.indexOf(code) !== index)
      if (second === -1) return null
      return reason(generalFaults.repeated_element, { first: codes.indexOf(codes[second]!), second })
    })
    .example(['WELCOME10', 'FREESHIP'])

type CheckedCode = { code: string; reason: string | null }

/** The value of discount_code: the first code that applies, or the first if none does. */
export function chooseMainCode(codes: readonly CheckedCode[]): string | null {
  return (codes.find(({ reason: rejection }) => rejection === null) ?? codes[0])?.code ?? null
}

type SentCodes = { discount_code?: string | null | undefined; discount_codes?: readonly string[] | undefined }

/** The codes of an input. A code that the list lacks replaces the list. Undefined if the input has neither. */
export function readDiscountCodes({ discount_code: code, discount_codes: codes }: SentCodes): string[] | undefined {
  const one = code && normalizeDiscountCode(code)
  if (codes && (!one || codes.includes(one))) return [...codes]
  return code === undefined ? undefined : one ? [one] : []
}

/** The codes of a row. An older node writes discount_code alone, so a list without it no longer counts. */
export function storedDiscountCodes(row: {
  discount_code: string | null
  discount_codes: readonly string[]
}): string[] {
  return (row.discount_code && readDiscountCodes(row)) || []
}

/** The codes that a placed order has. An older order knows one alone. */
export function listSoldCodes(sold: {
  discount_code: string | null
  discounts: readonly { code: string; is_automatic: boolean }[]
}): string[] {
  const { discount_code: code, discounts } = sold
  if (discounts.length === 0) return code === null ? [] : [code]
  return discounts.filter(({ is_automatic }) => !is_automatic).map((one) => one.code)
}

/** Names the fault of a single code as it was sent: as one code, or as a list of one. */
export function nameCodeFaults(faults: readonly Fault[], { discount_codes }: SentCodes): Fault[] {
  return faults.map((one) =>
    one.field === 'discount_code' && discount_codes ? { ...one, field: 'discount_codes.0' } : one,
  )
}

export function isAboutCode({ field }: Pick<Fault, 'field'>): boolean {
  return field.startsWith('discount_code')
}
