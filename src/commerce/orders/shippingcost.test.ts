import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomBy } from '../../../test/random.ts'
import { Decimal } from '../../kit/values/money.ts'
import { emptyLoad, type Load } from './load.ts'
import { freeRate } from './rate.ts'
import { explainRate, listRateReasons, type RateConditions } from './rateoffer.ts'
import type { RatePrice } from './shippingcost.ts'

type Rate = RateConditions & Omit<RatePrice, 'price' | 'free_from'> & { price: number; free_from: number | null }
/** `parts`: a bundle's, each with how many units. */
type Piece = { grams: number; cents: number; trail: string[]; parts: { units: number; trail: string[] }[] }

const flat: Rate = { ...freeRate, code: 'standard', price: 5 }

test('the prices of 2,000 random carts are those of a plain model, exact to the cent', () => {
  const { below, pick } = randomBy(4711)
  const money = (bound: number) => below(bound * 100) / 100
  const orNull = <T>(value: T): T | null => (below(3) === 0 ? value : null)
  const categories = ['cat_a', 'cat_b', 'cat_c', 'cat_d']
  const outcomes = new Set<string>()
  for (let round = 0; round < 2000; round++) {
    const trail = () => categories.slice(0, below(5)).filter(() => below(2) === 0)
    const pieces = Array.from({ length: below(9) }, (): Piece => {
      const parts = Array.from({ length: below(4) === 0 ? below(4) : 0 }, () => {
        return { units: 1 + below(3), trail: trail() }
      })
      return { grams: below(3000), cents: below(5000), trail: trail(), parts }
    })
    const rate: Rate = {
      ...flat,
      price_by: pick(['flat', 'weight', 'amount', 'items', 'per_item']),
      price: money(20),
      tiers: Array.from({ length: below(5) }, (_, index) => ({ from: index * 700 + below(700), price: money(40) })),
      surcharges: Array.from({ length: below(3) }, () => {
        return { category_id: pick(categories), amount: money(9), per: pick(['order', 'item'] as const) }
      }),
      free_from: orNull(money(300)),
      free_by_code: below(2) === 0,
      min_weight: orNull(below(4000)),
      max_weight: orNull(4000 + below(9000)),
      min_amount: orNull(money(50)),
      max_amount: orNull(50 + money(150)),
      excluded_categories: below(4) === 0 ? [pick(categories)] : [],
    }
    if (rate.price_by === 'items' || rate.price_by === 'per_item')
      rate.tiers = rate.tiers.map(({ price }, index) => ({ from: index * 2, price }))
    const isWaived = below(5) === 0
    const off = below(300)
    const goods = Math.max(0, pieces.reduce((sum, { cents }) => sum + cents, 0) - off)
    const parcel = { load: loadOf(pieces), goods: new Decimal(goods).dividedBy(100), isWaived, currency: 'USD' }
    const answer = explainRate(rate, parcel, { country_code: 'US' })
    const expected = model(rate, pieces, goods, isWaived)
    assert.deepEqual([answer.price.times(100).toNumber(), answer.isOffered], expected, JSON.stringify({ round, rate }))
    outcomes.add(`${rate.price_by} ${expected[1]} ${expected[0] > 0}`)
  }
  assert.equal(outcomes.size, 20, 'each kind of price is offered and not, for money and free')
})

function loadOf(pieces: Piece[]): Load {
  return {
    weight: pieces.reduce((sum, { grams }) => sum + grams, 0),
    pieces: pieces.length,
    lines: pieces.map(({ trail, parts }) => ({
      name: 'One',
      quantity: 1,
      categories: trail,
      parts: parts.map(({ units, trail }) => ({ name: 'Part', quantity: units, categories: trail })),
    })),
    isShipped: true,
  }
}

/** In cents, piece by piece. */
function model(rate: Rate, pieces: Piece[], goods: number, isWaived: boolean): [cents: number, isOffered: boolean] {
  const cents = (amount: number) => Math.round(amount * 100)
  let weight = 0
  let isBanned = false
  for (const { grams, trail, parts } of pieces) {
    weight += grams
    for (const id of [trail, ...parts.map((part) => part.trail)].flat())
      if (rate.excluded_categories.includes(id)) isBanned = true
  }
  const { min_weight, max_weight, min_amount, max_amount } = rate
  const isOffered = !(
    isBanned ||
    (min_weight !== null && weight < min_weight) ||
    (max_weight !== null && weight > max_weight) ||
    (min_amount !== null && goods < cents(min_amount)) ||
    (max_amount !== null && goods > cents(max_amount))
  )
  if (isWaived && rate.free_by_code) return [0, isOffered]
  if (rate.free_from !== null && goods >= cents(rate.free_from)) return [0, isOffered]
  let step = cents(rate.price)
  for (const { from, price } of rate.price_by === 'flat' ? [] : rate.tiers) {
    const reached = rate.price_by === 'weight' ? weight : rate.price_by === 'amount' ? goods / 100 : pieces.length
    if (reached >= from) step = cents(price)
  }
  let total = rate.price_by === 'per_item' ? step * pieces.length : step
  for (const { category_id, amount, per } of rate.surcharges) {
    let times = 0
    for (const { trail, parts } of pieces) {
      let units = 0
      for (const part of parts) if (part.trail.includes(category_id)) units += part.units
      times += Math.max(units, trail.includes(category_id) ? 1 : 0)
    }
    total += cents(amount) * (per === 'item' ? times : Math.min(1, times))
  }
  return [total, isOffered]
}

test('a rate is narrowed by provinces in their countries, and by postal codes', () => {
  const reasons = (rate: Partial<Rate>, place: { country: string | null; province?: string; postal_code?: string }) => {
    const { country: country_code, ...rest } = place
    const all = listRateReasons({ ...flat, ...rate }, { load: emptyLoad, goods: null }, { country_code, ...rest })
    return all.map(({ code }) => code)
  }
  const states = { country_codes: ['US', 'CA'], provinces: ['US-NY', 'US-NJ'] }
  assert.deepEqual(reasons(states, { country: 'US', province: 'New York' }), [])
  assert.deepEqual(reasons(states, { country: 'US', province: 'CA' }), ['not_to_province'])
  assert.deepEqual(reasons(states, { country: 'CA', province: 'ON' }), [])
  assert.deepEqual(reasons(states, { country: 'US' }), [], 'before the province is known')
  assert.deepEqual(reasons(states, { country: 'DE' }), ['does_not_ship'])
  assert.deepEqual(reasons(states, { country: null }), [])
  const codes = { postal_codes: ['90*', '10000-19999', 'SW1A 1AA', '01000-000..05999-999'] }
  const served = ['90210', '10000', '19999', '19999-1234', 'sw1a1aa', '01310-100']
  const unserved = ['9', '89999', '20000', '1000', 'SW1A 1AB', '06000-000', 'SW1A']
  for (const code of served) assert.deepEqual(reasons(codes, { country: 'US', postal_code: code }), [], code)
  for (const code of unserved) {
    assert.deepEqual(reasons(codes, { country: 'US', postal_code: code }), ['not_to_postal_code'], code)
  }
})
