// Buy X get Y compared with every assignment of small carts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomBy } from '../../../test/random.ts'
import { Decimal } from '../../kit/values/money.ts'
import { discountedQuantities } from './buyxgety.ts'

type Line = { price: number; quantity: number; isBought: boolean; isGotten: boolean }
type Terms = Parameters<typeof discountedQuantities>[0]

const discounted = (terms: Terms, lines: readonly Line[]) =>
  discountedQuantities(
    terms,
    lines.map(({ price, ...line }) => ({ ...line, total: new Decimal(price).times(line.quantity) })),
  )

/** Tries every set of units that get the discount: the most units, and of those the least price. */
function tried({ buy_quantity, get_quantity, max_per_order }: Terms, lines: readonly Line[]): [number, number] {
  const units = lines.flatMap((line) => Array.from({ length: line.quantity }, () => line))
  let best: [number, number] = [0, 0]
  for (let set = 0; set < 2 ** units.length; set++) {
    const taken = units.filter((_, index) => set & (1 << index))
    const rest = units.filter((_, index) => !(set & (1 << index)))
    const rounds = Math.ceil(taken.length / get_quantity)
    const isFair = taken.every(({ isGotten }) => isGotten) && (max_per_order === 0 || rounds <= max_per_order)
    if (!isFair || rest.filter(({ isBought }) => isBought).length < rounds * buy_quantity) continue
    const price = taken.reduce((sum, one) => sum + one.price, 0)
    if (taken.length > best[0] || (taken.length === best[0] && price < best[1])) best = [taken.length, price]
  }
  return best
}

test('of a mug that is bought and a plate, the plate gets the discount, though the mug is cheaper', () => {
  const mug = { price: 8, quantity: 1, isBought: true, isGotten: true }
  const plate = { price: 12, quantity: 1, isBought: false, isGotten: true }
  const terms = { buy_quantity: 1, get_quantity: 1, max_per_order: 0 }
  assert.deepEqual(discounted(terms, [mug, plate]), [0, 1])
  assert.deepEqual(discounted(terms, [{ ...mug, quantity: 3 }, plate]), [1, 1])
  assert.deepEqual(discounted(terms, [mug]), [0])
})

test('whatever the cart, as many units as possible get it, and of those the cheapest', () => {
  const { below } = randomBy(20261127)
  for (let round = 0; round < 3000; round++) {
    const terms = { buy_quantity: 1 + below(3), get_quantity: 1 + below(3), max_per_order: below(3) }
    const lines: Line[] = []
    for (let left = 1 + below(8); left > 0;) {
      const quantity = Math.min(left, 1 + below(3))
      lines.push({ price: 1 + below(6), quantity, isBought: below(3) > 0, isGotten: below(3) > 0 })
      left -= quantity
    }
    const quantities = discounted(terms, lines)
    const units = quantities.reduce((sum, one) => sum + one, 0)
    const price = quantities.reduce((sum, one, index) => sum + one * lines[index]!.price, 0)
    assert.deepEqual([units, price], tried(terms, lines), JSON.stringify({ terms, lines }))
  }
})
