// A shopper adds or removes one code on a page. What the checkout has already is not refused again.
import { invalid } from '../../../kit/values/errors.ts'
import { fault, type Fault } from '../../../kit/values/faults.ts'
import { isAboutCode, maxCodes, nameCodeFaults } from '../../../commerce/discounts/codes.ts'
import { normalizeDiscountCode } from '../../../commerce/discounts/discount.ts'
import { discountFaults } from '../../../commerce/discounts/errors.ts'
import type { CheckoutInput } from '../checkout.ts'

export type CodeEdit = { add?: string | undefined; remove?: string | undefined }

/** The input with the codes after the edit. Throws a fault of discount_code if they are too many. */
export function withCodeEdit(input: CheckoutInput, codes: readonly string[], edit: CodeEdit): CheckoutInput {
  const added = edit.add ? normalizeDiscountCode(edit.add) : ''
  const left = codes.filter((code) => code !== edit.remove)
  const discount_codes = added === '' || left.includes(added) ? left : [...left, added]
  if (discount_codes.length > maxCodes) {
    throw invalid(fault('discount_code', discountFaults.too_many_codes, { limit: maxCodes }))
  }
  const isChanged = discount_codes.length !== codes.length || edit.remove !== undefined
  return isChanged ? { ...input, discount_codes } : input
}

/** The faults that refuse an input: with an edit, those of the code that was added, as discount_code. */
export function findInputFaults(faults: readonly Fault[], input: CheckoutInput, edit: CodeEdit | undefined): Fault[] {
  const named = nameCodeFaults(faults, input)
  if (!edit) return named.filter(({ field }) => field.split('.')[0]! in input)
  const last = `discount_codes.${(input.discount_codes?.length ?? 0) - 1}`
  const added = edit.add ? named.filter(({ field }) => field === last) : []
  const others = named.filter((one) => !isAboutCode(one) && one.field.split('.')[0]! in input)
  return [...others, ...added.map((one) => ({ ...one, field: 'discount_code' }))]
}
