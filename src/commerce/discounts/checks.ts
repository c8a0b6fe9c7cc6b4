// Explains a discount rule by rule: the requirement, and if a cart meets it. It has no side effects.
import { fillIn } from '../../kit/values/language.ts'
import { sum, toNumber } from '../../kit/values/money.ts'
import { discountKinds } from './discount.ts'
import {
  coveredQuantity,
  covers,
  isForBuyer,
  getDiscountRejection,
  type DiscountContext,
  type DiscountLine,
  type FoundDiscount,
} from './pricing.ts'

// prettier-ignore
const sentences = {
  active:            'The discount is active',
  starts:            'It has started: {when}',
  expires:           'It has not expired: {when}',
  usage_limit:       'Used {count} of {limit} times',
  customer_group:    'The customer is in one of the groups: {groups}',
  once_per_customer: 'Each customer can use it once, and this one has not',
  minimum_amount:    'The order is at least {amount}',
  items:             'The cart has items that it applies to',
  minimum_quantity:  'At least {count} of the items that it applies to',
  buy_x_get_y:       'The cart has {buy} to buy and {get} to get the discount',
  combines:          'It combines with discounts of these kinds: {kinds}',
  combines_never:    'It does not combine with other discounts',
}

export const checkNames = Object.keys(sentences) as DiscountRuleName[]
export type DiscountRuleName = keyof typeof sentences

export type DiscountCheck = { rule: DiscountRuleName; is_met: boolean; values: Record<string, string | number | Date> }

/** Contains only the rules that the discount has. `groups`: names of the groups that it is limited to. */
export function buildDiscountChecks(
  row: FoundDiscount,
  lines: readonly DiscountLine[],
  context: DiscountContext & { groups?: readonly string[] },
): DiscountCheck[] {
  const { now, subtotal = sum(lines.map(({ total }) => total)), groups = [] } = context
  const { starts_at, expires_at, max_uses, current_uses, min_order_amount, min_quantity, type } = row
  const kinds = discountKinds.filter((kind) => row.combines_with.includes(kind))
  const isMixed = type === 'buy_x_get_y'
  const conflicts = {
    ...row,
    is_active: true,
    starts_at: null,
    expires_at: null,
    max_uses: 0,
    once_per_customer: false,
    customer_group_ids: [],
  }
  const isEnough =
    getDiscountRejection({ ...conflicts, min_order_amount: '0', min_quantity: 0 }, lines, context) === null
  const all: (DiscountCheck | false)[] = [
    check('active', row.is_active),
    starts_at !== null && check('starts', starts_at <= now, { when: starts_at }),
    expires_at !== null && check('expires', expires_at > now, { when: expires_at }),
    max_uses > 0 && check('usage_limit', current_uses < max_uses, { count: current_uses, limit: max_uses }),
    row.customer_group_ids.length > 0 && check('customer_group', isForBuyer(row), { groups: groups.join(', ') }),
    row.once_per_customer && check('once_per_customer', !row.buyer_has_used),
    Number(min_order_amount) > 0 &&
      check('minimum_amount', subtotal.greaterThanOrEqualTo(min_order_amount), { amount: toNumber(min_order_amount) }),
    !row.applies_to_all &&
      check(
        'items',
        lines.some((line) => covers(row, line)),
      ),
    min_quantity > 0 && check('minimum_quantity', coveredQuantity(row, lines) >= min_quantity, { count: min_quantity }),
    isMixed && check('buy_x_get_y', isEnough, { buy: row.buy_quantity, get: row.get_quantity }),
    kinds.length > 0 ? check('combines', true, { kinds: kinds.join(', ') }) : check('combines_never', true),
  ]
  return all.filter((one) => one !== false)
}

function check(rule: DiscountRuleName, is_met: boolean, values: DiscountCheck['values'] = {}): DiscountCheck {
  return { rule, is_met, values }
}

/** In English, for API callers. */
export function formatCheckSentence({ rule, values }: DiscountCheck): string {
  const texts = Object.entries(values).map(([name, value]) => [
    name,
    value instanceof Date ? value.toISOString() : String(value),
  ])
  return fillIn(sentences[rule], Object.fromEntries(texts))
}
