import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decimal, sum } from '../../kit/values/money.ts'
import { bestCombination, type OfferedDiscounts } from './combination.ts'
import type { DiscountKind, DiscountRow } from './discount.ts'
import { computeDiscount, type DiscountLine, type FoundDiscount } from './pricing.ts'
import { reference } from '../../../test/discountreference.ts'
import { fc } from '../../../test/random.ts'

const now = new Date('2026-06-15T12:00:00Z')
const usd = { currency: 'USD', now }
const row = (more: Partial<FoundDiscount> = {}): FoundDiscount => ({
  id: more.code ?? 'TEN',
  code: 'TEN',
  type: 'percentage',
  value: '10',
  title: null,
  external_id: null,
  metadata: {},
  is_automatic: true,
  min_order_amount: '0',
  min_quantity: 0,
  once_per_customer: false,
  max_uses: 0,
  current_uses: 0,
  starts_at: null,
  expires_at: null,
  is_active: true,
  applies_to_all: true,
  applicable_product_ids: [],
  applicable_category_ids: [],
  buy_quantity: 1,
  buy_product_ids: [],
  buy_category_ids: [],
  customer_group_ids: [],
  get_quantity: 1,
  max_per_order: 0,
  combines_with: [],
  created_at: new Date(0),
  updated_at: new Date(0),
  ...more,
})
const line = (product_id: string, price: Decimal.Value, quantity = 1): DiscountLine => ({
  product_id,
  category_id: null,
  quantity,
  total: new Decimal(price).times(quantity),
})
type Offer = { code?: string; typed?: FoundDiscount; automatic: FoundDiscount[] }
const costing = (cost: Decimal.Value) => (_: Decimal, isWaived: boolean) => new Decimal(isWaived ? 0 : cost)
const best = ({ code, typed, automatic }: Offer, lines: DiscountLine[], cost?: number) => {
  const context = { ...usd, shipping: cost === undefined ? undefined : costing(cost) }
  const choice: OfferedDiscounts = { codes: code ? [{ code, discount: typed }] : [], automatic }
  const { applied, codes } = bestCombination(choice, lines, context)
  return [applied.map(({ discount, amount }) => `${discount.code} ${amount}`), codes[0]?.reason ?? null]
}
const all: DiscountKind[] = ['product', 'order', 'shipping']
const of = (product: string) => ({ applies_to_all: false, applicable_product_ids: [product] })

test('without combining, the discount that saves most applies; of equal ones, the code, then the first by name', () => {
  const [ten, five] = [row(), row({ code: 'FIVE', type: 'fixed_amount', value: '5' })]
  assert.deepEqual(best({ automatic: [five, ten] }, [line('a', 60)]), [['TEN 6'], null])
  assert.deepEqual(best({ automatic: [five, ten] }, [line('a', 40)]), [['FIVE 5'], null])
  assert.deepEqual(best({ automatic: [ten, five] }, [line('a', 50)]), [['FIVE 5'], null])
  const typed = row({ code: 'ZED', is_automatic: false })
  assert.deepEqual(best({ code: 'ZED', typed, automatic: [ten] }, [line('a', 50)]), [['ZED 5'], null])
})

test('a code that saves less than what applies by itself is refused, and why', () => {
  const weak = row({ code: 'WEAK', value: '5', is_automatic: false })
  assert.deepEqual(best({ code: 'WEAK', typed: weak, automatic: [row()] }, [line('a', 50)]), [
    ['TEN 5'],
    'not_combined',
  ])
  const typed = row()
  assert.deepEqual(best({ code: 'TEN', typed, automatic: [typed] }, [line('a', 50)]), [['TEN 5'], 'automatic'])
  assert.deepEqual(best({ code: 'X', automatic: [typed] }, [line('a', 50)]), [['TEN 5'], 'not_found'])
})

test('discounts combine if each names the kind of the other: products first, then the order', () => {
  const bag = row({ code: 'BAG', value: '50', ...of('bag'), combines_with: ['order'] })
  const order = row({ code: 'ORDER', combines_with: ['product'] })
  const cart = [line('bag', 100), line('cap', 50)]
  assert.deepEqual(best({ automatic: [order, bag] }, cart), [['BAG 50', 'ORDER 10'], null])
  assert.deepEqual(best({ automatic: [row({ code: 'ORDER' }), bag] }, cart), [['BAG 50'], null])
  const shipping = row({ code: 'SHIP', type: 'free_shipping', value: '0', combines_with: all })
  assert.deepEqual(best({ automatic: [shipping, row({ combines_with: all })] }, cart), [['TEN 15', 'SHIP 0'], null])
  assert.deepEqual(best({ automatic: [shipping, row()] }, cart, 15.01), [['SHIP 0'], null])
  assert.deepEqual(best({ automatic: [shipping, row()] }, cart, 14.99), [['TEN 15'], null])
})

test('buy X get Y takes the discount off the cheapest units, as often as it may', () => {
  const offer = (more: Partial<DiscountRow> = {}) => row({ type: 'buy_x_get_y', value: '100', ...more })
  const amount = (more: Partial<DiscountRow>, ...lines: DiscountLine[]) => {
    const { amount, reason } = computeDiscount(offer(more), lines, usd)
    return reason ?? Number(amount)
  }
  assert.equal(amount({}, line('a', 10)), 'quantity_not_met')
  assert.equal(amount({}, line('a', 10), line('b', 20), line('c', 30)), 10)
  assert.equal(amount({}, line('a', 10), line('b', 20), line('c', 30), line('d', 40)), 30)
  assert.equal(amount({ max_per_order: 1 }, line('a', 10, 4)), 10)
  assert.equal(amount({ value: '50' }, line('a', 9.99, 2)), 5)
  assert.equal(amount({ buy_quantity: 2 }, line('a', 10, 2)), 'quantity_not_met')
  assert.equal(amount({ buy_quantity: 2 }, line('a', 10, 3)), 10)
  // Part of what can be gotten is gotten, too.
  assert.equal(amount({ get_quantity: 3 }, line('a', 10, 3)), 20)
  const socks = { buy_product_ids: ['shoe'], ...of('sock') }
  assert.equal(amount(socks, line('shoe', 80), line('sock', 8, 3)), 8)
  assert.equal(amount(socks, line('shoe', 80, 2), line('sock', 8, 3)), 16)
  assert.equal(amount(socks, line('shoe', 80)), 'not_applicable')
  assert.equal(amount(socks, line('sock', 8)), 'quantity_not_met')
})

test('a discount for groups applies to their customers alone; what an order keeps is not asked again', () => {
  const vip = row({ code: 'VIP', customer_group_ids: ['vip'], combines_with: all })
  const five = row({ code: 'FIVE', value: '5' })
  const cart = [line('a', 50)]
  assert.deepEqual(best({ automatic: [{ ...vip, buyer_is_member: true }, five] }, cart), [['VIP 5'], null])
  assert.deepEqual(best({ automatic: [{ ...vip, buyer_is_member: false }, five] }, cart), [['FIVE 2.5'], null])
  const typed = { ...vip, is_automatic: false, buyer_is_member: false }
  assert.deepEqual(best({ code: 'VIP', typed, automatic: [five] }, cart), [['FIVE 2.5'], 'not_in_group'])
  assert.deepEqual(best({ automatic: [vip] }, cart), [['VIP 5'], null])
})

test('a minimum quantity counts what the discount applies to', () => {
  const three = row({ min_quantity: 3, ...of('a') })
  const reason = (...lines: DiscountLine[]) => computeDiscount(three, lines, usd).reason
  assert.equal(reason(line('a', 10, 2), line('b', 10, 5)), 'quantity_not_met')
  assert.equal(reason(line('a', 10, 2), line('a', 10)), null)
})

const entered = (...rows: FoundDiscount[]) =>
  rows.map((discount) => ({ code: discount.code, discount: { ...discount, is_automatic: false } }))

test('of several codes the combination that saves most applies, and each tells why it does not', () => {
  const ten = row({ combines_with: ['shipping'] })
  const five = row({ code: 'FIVE', value: '5', combines_with: ['shipping'] })
  const ship = row({ code: 'SHIP', type: 'free_shipping', value: '0', combines_with: ['order'] })
  const codes = [...entered(five, ten, ship), { code: 'GONE', discount: undefined }]
  const choice = bestCombination({ codes, automatic: [] }, [line('a', 50)], usd)
  assert.deepEqual(
    choice.applied.map(({ discount, amount }) => [discount.code, Number(amount)]),
    [
      ['TEN', 5],
      ['SHIP', 0],
    ],
  )
  assert.deepEqual(
    choice.codes.map(({ code, reason, rivals }) => [code, reason, rivals.map((rival) => rival.code)]),
    [
      ['FIVE', 'not_combined', ['TEN']],
      ['TEN', null, []],
      ['SHIP', null, []],
      ['GONE', 'not_found', []],
    ],
  )
})

test('a code that takes nothing more off is not used up', () => {
  const whole = row({ code: 'WHOLE', value: '100', ...of('a'), combines_with: all })
  const more = row({ code: 'MORE', combines_with: all })
  const ship = row({ code: 'SHIP', type: 'free_shipping', value: '0', combines_with: all })
  const codes = entered(more, whole, ship, { ...ship, code: 'SHIP2' })
  const choice = bestCombination({ codes, automatic: [] }, [line('a', 50)], usd)
  assert.deepEqual(
    choice.codes.map(({ code, reason }) => [code, reason]),
    [
      ['MORE', 'saves_nothing'],
      ['WHOLE', null],
      ['SHIP', null],
      ['SHIP2', 'saves_nothing'],
    ],
  )
})

test('free shipping applies where it makes the shipping cheaper, or where the shipping is not known yet', () => {
  const ship = row({ code: 'SHIP', type: 'free_shipping', value: '0', combines_with: all })
  const cart = [line('a', 50)]
  const ofCode = (cost?: number, automatic: FoundDiscount[] = []) =>
    best({ code: 'SHIP', typed: { ...ship, is_automatic: false }, automatic }, cart, cost)
  assert.deepEqual(ofCode(), [['SHIP 0'], null])
  assert.deepEqual(ofCode(0.01), [['SHIP 0'], null])
  assert.deepEqual(ofCode(0), [[], 'saves_nothing'])
  assert.deepEqual(ofCode(0, [row({ combines_with: all })]), [['TEN 5'], 'saves_nothing'])
  assert.deepEqual(best({ automatic: [ship] }, cart, 0), [[], null])
  assert.deepEqual(best({ automatic: [ship] }, cart, 5), [['SHIP 0'], null])
  // Free from 48 on: what is taken off can cost more shipping than it saves.
  const five = row({ code: 'FIVE', type: 'fixed_amount', value: '5' })
  const freeFrom = (from: number) => (goods: Decimal, isWaived: boolean) =>
    new Decimal(isWaived || goods.greaterThanOrEqualTo(from) ? 0 : 6)
  const choose = (from: number) => {
    const codes = entered(five, { ...ship, combines_with: [] })
    const { applied, isWaived } = bestCombination({ codes, automatic: [] }, cart, { ...usd, shipping: freeFrom(from) })
    return [applied.map(({ discount }) => discount.code), isWaived]
  }
  assert.deepEqual(choose(51), [['SHIP'], true])
  assert.deepEqual(choose(45), [['FIVE'], false])
  assert.deepEqual(choose(48), [[], true])
})

test('30 discounts that all combine, or hardly do, are combined in few steps', () => {
  const many = (more: (index: number) => Partial<FoundDiscount>) =>
    Array.from({ length: 30 }, (_, index) => row({ code: `D${index + 10}`, value: '1', ...more(index) }))
  const everyone = many(() => ({ combines_with: all }))
  assert.equal(bestCombination({ codes: [], automatic: everyone }, [line('a', 100)], usd).applied.length, 30)
  // Each kind combines with the two others, and not with itself: 1,000 sets.
  const kinds = [{ ...of('a') }, {}, { type: 'free_shipping', value: '0' } as const]
  const others: DiscountKind[][] = [
    ['order', 'shipping'],
    ['product', 'shipping'],
    ['product', 'order'],
  ]
  const mixed = many((index) => ({ ...kinds[index % 3], combines_with: others[index % 3]! }))
  assert.equal(bestCombination({ codes: [], automatic: mixed }, [line('a', 100)], usd).applied.length, 3)
})

const products = ['a', 'b', 'c']
const groups = ['vip', 'trade', 'press']
const subset = <T>(of: readonly T[]) => fc.subarray([...of])
const arbitraryRow = fc
  .record({
    type: fc.constantFrom('percentage', 'fixed_amount', 'free_shipping', 'buy_x_get_y'),
    percent: fc.constantFrom('1', '10', '12.5', '33', '50', '99.9', '100'),
    fixed: fc.integer({ min: 1, max: 9000 }).map((cents) => String(cents / 100)),
    applies_to_all: fc.boolean(),
    applicable_product_ids: subset(products),
    buy_product_ids: subset(products),
    buy_quantity: fc.integer({ min: 1, max: 3 }),
    get_quantity: fc.integer({ min: 1, max: 3 }),
    max_per_order: fc.integer({ min: 0, max: 2 }),
    min_quantity: fc.integer({ min: 0, max: 4 }),
    min_order_amount: fc.constantFrom('0', '0', '20.5'),
    combines_with: subset(all),
    // Half of the discounts are for everyone.
    customer_group_ids: fc.oneof(fc.constant([]), subset(groups)),
  })
  .map(({ percent, fixed, ...terms }) => {
    const value = terms.type === 'fixed_amount' ? fixed : terms.type === 'free_shipping' ? '0' : percent
    return { ...terms, value } as Partial<DiscountRow>
  })

test('whatever is offered and bought, the choice and every cent are those of a slow calculation', () => {
  const offers = fc
    .array(arbitraryRow, { maxLength: 6 })
    .map((terms) => terms.map((one, index) => row({ ...one, code: `D${index}`, id: `D${index}` })))
  const carts = fc.array(
    fc.tuple(fc.constantFrom(...products), fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 1, max: 4 })),
    { minLength: 1, maxLength: 5 },
  )
  const costs = fc.integer({ min: 0, max: 2000 })
  fc.assert(
    fc.property(offers, carts, subset(groups), costs, fc.nat({ max: 5 }), (offered, cart, ofBuyer, shipping, typed) => {
      const isTheirs = (group: string) => ofBuyer.includes(group)
      const rows = offered.map((one, index) => {
        const buyer_is_member = one.customer_group_ids.some(isTheirs)
        return { ...one, is_automatic: index >= typed, buyer_is_member }
      })
      const lines = cart.map(([product, cents, quantity]) => line(product, new Decimal(cents).dividedBy(100), quantity))
      const codes = rows.slice(0, typed).map((discount) => ({ code: discount.code, discount }))
      const choice = { codes, automatic: rows.slice(typed) }
      const { applied } = bestCombination(choice, lines, { ...usd, shipping: costing(shipping / 100) })
      const expected = reference(choice, cart, shipping, ofBuyer)
      assert.deepEqual(
        applied.map(({ discount, allocation }) => [discount.code, allocation.map((share) => Number(share.times(100)))]),
        expected,
      )
      lines.forEach(({ total }, index) => {
        const off = sum(applied.map(({ allocation }) => allocation[index]!))
        assert.ok(off.greaterThanOrEqualTo(0) && off.lessThanOrEqualTo(total))
      })
    }),
    { numRuns: 1500 },
  )
})
