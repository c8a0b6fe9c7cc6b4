// The discounts of a checkout or a draft: those that apply, and the codes that do not, each with the reason.
import { list, object } from '../../kit/declare/composites.ts'
import { choice, flag, id, text } from '../../kit/declare/scalars.ts'
import { formatReason, type Reason } from '../../kit/values/faults.ts'
import { publicId } from '../../kit/values/ids.ts'
import { formatDiscountLabel } from '../discounts/discount.ts'
import { rejections } from '../discounts/pricing.ts'
import { appliedDiscountFields } from './item.ts'
import { explainRejection, toAppliedDiscountViews, type OrderPrice } from './pricing.ts'

const codeRejections = [...rejections, 'saves_nothing'] as const

// prettier-ignore
const checkedDiscount = object({
  ...appliedDiscountFields,
  id:            id('disc').nullable().required().describe('ID of the discount; null if there is none with this code'),
  free_shipping: flag().required()
    .describe('Whether it makes shipping rates with free_by_code free, the chosen one if it applies'),
  applied:       flag().required().describe('Whether it applies; only codes that were entered can be left out'),
  reason:        choice(codeRejections).nullable().required().describe('Why the code does not apply; null if it does'),
  message:       text().nullable().required().describe('The reason as a sentence; null if the code applies'),
})

export const checkedDiscounts = () => list(checkedDiscount, { max: 35 })

type CheckedDiscountView = Omit<NonNullable<(typeof checkedDiscount)['type']>['value'], never>

/** `explanation`: why the code does not apply. */
export type CheckedDiscount = Omit<CheckedDiscountView, 'message'> & { explanation: Reason | null }

export function listCheckedDiscounts({ applied, codes }: Pick<OrderPrice, 'applied' | 'codes'>): CheckedDiscount[] {
  const views = toAppliedDiscountViews({ applied }).map((view, index): CheckedDiscount => {
    const { free_shipping } = applied[index]!
    return { ...view, free_shipping, applied: true, reason: null, explanation: null }
  })
  const leftOut = codes.flatMap(({ code, discount, reason, rivals }): CheckedDiscount[] => {
    if (!reason) return []
    return [
      {
        id: discount ? publicId('disc', discount.id) : null,
        code,
        label: discount ? formatDiscountLabel(discount) : code,
        is_automatic: discount?.is_automatic ?? false,
        amount: 0,
        free_shipping: reason === 'saves_nothing' && discount?.type === 'free_shipping',
        applied: false,
        reason,
        explanation: explainRejection(reason, discount, rivals),
      },
    ]
  })
  return [...views, ...leftOut]
}

/** With sentences for callers. */
export function toCheckedDiscountViews(discounts: readonly CheckedDiscount[]): CheckedDiscountView[] {
  return discounts.map(({ explanation, ...one }) => {
    return { ...one, message: explanation && `${one.code} ${formatReason(explanation)}` }
  })
}
