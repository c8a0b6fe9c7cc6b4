// Random edits of orders, months after the sale and after refunds and returns, and after what they were sold with has
// changed. A model that shares no code with the store works out all amounts in whole cents. EDITS is the number of
// sequences.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomBy, seed } from '../../../../test/random.ts'
import { dataOf, newShop, sold, type Shop } from '../../../../test/shop.ts'
import { assertSums } from '../../../../test/sums.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()
const sequences = Number(process.env.EDITS ?? 30)

/** Half up, of amounts that are not negative. */
const divided = (amount: bigint, by: bigint) => (2n * amount + by) / (2n * by)
const total = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n)
const least = (a: bigint, b: bigint) => (a < b ? a : b)
const most = (a: bigint, b: bigint) => (a > b ? a : b)

/** Each share is what is due up to it, less what was shared before. */
function spread(amount: bigint, weights: readonly bigint[]): bigint[] {
  let [weighed, shared] = [0n, 0n]
  return weights.map((weight) => {
    weighed += weight
    const due = amount === 0n ? 0n : divided(amount * weighed, total(weights))
    const share = due - shared
    shared = due
    return share
  })
}

type Code = 'TEN' | 'FIVE' | 'BOOKS' | null
/** Rates in hundredths of a percent. */
type Terms = { included: boolean; byLine: boolean; shipping: 'standard' | 'proportional' | 'none' }
type Line = {
  id: string
  price: bigint
  quantity: bigint
  rate: bigint
  isBook: boolean
  /** Units that were refunded, with what they had of each code and of the tax. */
  back: bigint
  off: Map<Code, bigint>
  tax: bigint
  /** The same of the units that are there. */
  openOff: bigint
  openTax: bigint
  /** Units refunded before the code of the order was replaced, and what they had. */
  closed: bigint
  closedOff: Map<Code, bigint>
}
type Order = { lines: Line[]; code: Code; shipping: bigint; shippingTax: bigint }

const standard = 1900n
const reduced = 700n
const taxOf = (amount: bigint, rate: bigint, { included }: Terms) =>
  divided(amount * rate, included ? 10_000n + rate : 10_000n)

/** Prices what is there, by what the whole would cost, less what was refunded. */
function price(order: Order, terms: Terms): void {
  const { lines, code } = order
  const open = lines.map(({ price, quantity, back }) => price * (quantity - back))
  const covered = (line: Line) => code !== null && (code !== 'BOOKS' || line.isBook)
  const whole = lines.map((line) => (covered(line) ? line.price * (line.quantity - line.closed) : 0n))
  const gone = total(lines.map(({ off, closedOff }) => (off.get(code) ?? 0n) - (closedOff.get(code) ?? 0n)))
  const due = code === 'FIVE' ? least(500n, total(whole)) : divided(total(whole), code === 'TEN' ? 10n : 4n)
  const eligible = lines.map((line, at) => (covered(line) ? open[at]! : 0n))
  const discount = code === null ? 0n : least(most(due - gone, 0n), total(eligible))
  const shares = spread(discount, eligible)
  const amounts = lines.map((_, at) => open[at]! - shares[at]!)
  const settled = lines.map(({ price, back, off }) => price * back - total([...off.values()]))
  const parcels = parcelsOf(
    order,
    terms,
    lines.map((_, at) => amounts[at]! + settled[at]!),
  )
  const taxed = [
    ...lines.map(({ rate, tax }, at) => ({ rate, amount: amounts[at]!, settled: settled[at]!, tax })),
    ...parcels.map(([rate, amount]) => ({ rate, amount, settled: 0n, tax: 0n })),
  ]
  const taxes = taxed.map(() => 0n)
  const groups = terms.byLine
    ? taxed.map((_, at) => [at])
    : [standard, reduced].map((rate) => taxed.flatMap((one, at) => (one.rate === rate ? [at] : [])))
  for (const group of groups) {
    if (group.length === 0) continue
    const ofGroup = group.map((at) => taxed[at]!)
    const all = total(ofGroup.map(({ amount, settled: part }) => amount + part))
    const weights = ofGroup.map(({ amount }) => amount)
    const rest = most(taxOf(all, ofGroup[0]!.rate, terms) - total(ofGroup.map(({ tax }) => tax)), 0n)
    spread(total(weights) === 0n ? 0n : rest, weights).forEach((tax, at) => (taxes[group[at]!] = tax))
  }
  lines.forEach((line, at) => Object.assign(line, { openOff: shares[at]!, openTax: taxes[at]! }))
  order.shippingTax = total(taxes.slice(lines.length))
}

function parcelsOf({ lines, shipping }: Order, terms: Terms, values: readonly bigint[]): [bigint, bigint][] {
  if (terms.shipping === 'none' || shipping === 0n) return []
  if (terms.shipping === 'standard' || total(values) === 0n) return [[standard, shipping]]
  const rates = [...new Set(lines.map(({ rate }) => rate))]
  const worth = rates.map((rate) => total(values.filter((_, at) => lines[at]!.rate === rate)))
  return spread(shipping, worth).flatMap((part, at): [bigint, bigint][] => (part > 0n ? [[rates[at]!, part]] : []))
}

/** Refunds units: each bears its part of what is there. */
function refund(line: Line, count: bigint, code: Code): void {
  const open = line.quantity - line.back
  const part = (amount: bigint) => (count === open ? amount : divided(amount * count, open))
  const [off, tax] = [part(line.openOff), part(line.openTax)]
  line.off.set(code, (line.off.get(code) ?? 0n) + off)
  Object.assign(line, { back: line.back + count, tax: line.tax + tax })
  Object.assign(line, { openOff: line.openOff - off, openTax: line.openTax - tax })
}

function sumsOf({ lines, shipping, shippingTax }: Order, { included }: Terms): number[] {
  const subtotal = total(lines.map(({ price, quantity }) => price * quantity))
  const discount = total(lines.map(({ off, openOff }) => total([...off.values()]) + openOff))
  const tax = total(lines.map((line) => line.tax + line.openTax)) + shippingTax
  const whole = subtotal - discount + shipping + (included ? 0n : tax)
  return [subtotal, discount, shipping, included ? 0n : tax, included ? tax : 0n, whole].map(cents)
}

const cents = (amount: bigint) => Number(amount) / 100

const shownSums = ({ subtotal, discount_amount, shipping_cost, tax_amount, included_tax, total: whole }: any) => [
  subtotal,
  discount_amount,
  shipping_cost,
  tax_amount,
  included_tax,
  whole,
]

type Random = ReturnType<typeof randomBy>

async function open(random: Random) {
  const shop = await newShop(world, { country_code: 'DE', currency: 'EUR' })
  const { api } = shop
  const made = async (path: string, body: object) => dataOf(await api.post(`/v1${path}`, body), 201)
  const terms: Terms = {
    included: random.below(2) === 0,
    byLine: random.below(3) === 0,
    shipping: random.pick(['standard', 'proportional', 'none']),
  }
  await api.patch('/v1/store', { tax_rounding: terms.byLine ? 'line' : 'order' })
  const books = await made('/categories', { name: 'Books' })
  const zone = { name: 'VAT', country_code: 'DE', rate: 19, included: terms.included, shipping_tax: terms.shipping }
  const category_rates = [{ category_id: books.id, rate: 7 }]
  const { id: zoneId } = await made('/store/tax-zones', { ...zone, category_rates })
  const codes = [
    await made('/discounts', { code: 'TEN', type: 'percentage', value: 10 }),
    await made('/discounts', { code: 'FIVE', type: 'fixed_amount', value: 5 }),
    await made('/discounts', { code: 'BOOKS', type: 'percentage', value: 25, applicable_category_ids: [books.id] }),
  ]
  const stock = { track_inventory: true, stock_quantity: 10_000 }
  const book = await shop.product({ ...stock, name: 'Book', price: 7.99, category_id: books.id })
  const lamp = await shop.product({ ...stock, name: 'Lamp', price: 33.33 })
  return { shop, terms, books, zoneId, codes, book, lamp }
}

type Opened = Awaited<ReturnType<typeof open>>

/** What becomes of the world meanwhile; no line that was sold follows it. */
async function changeWorld({ shop: { api }, books, zoneId, codes, book, lamp }: Opened, random: Random): Promise<void> {
  const at = `/v1/store/tax-zones/${zoneId}`
  await random.pick([
    () => api.delete(`/v1/products/${random.pick([book, lamp]).id}`),
    () => api.patch(`/v1/products/${book.id}`, { category_id: null }),
    () => api.delete(`/v1/categories/${books.id}`),
    () => api.delete(`/v1/discounts/${random.pick(codes).id}`),
    () => api.patch(`/v1/discounts/${random.pick(codes).id}`, { value: 3, is_active: false }),
    () => api.patch(at, { rate: 25, category_rates: [] }),
    () => api.patch(at, { included: true, shipping_tax: 'none' }),
    () => api.delete(at),
    () => api.patch('/v1/store', { tax_rounding: 'line' }),
  ])()
}

const lineOf = ({ id, unit_price, quantity }: any, isBook: boolean): Line => ({
  id,
  price: BigInt(Math.round(unit_price * 100)),
  quantity: BigInt(quantity),
  rate: isBook ? reduced : standard,
  isBook,
  back: 0n,
  off: new Map(),
  tax: 0n,
  openOff: 0n,
  openTax: 0n,
  closed: 0n,
  closedOff: new Map(),
})

async function place({ shop, terms, book, lamp }: Opened, random: Random): Promise<{ id: string; order: Order }> {
  const code = random.pick<Code>(['TEN', 'FIVE', 'BOOKS', null])
  const shipping_cost = random.pick([0, 4.9, 10])
  const items = [sold(book, 1 + random.below(4)), sold(lamp, 1 + random.below(3))]
  const pins = { product_name: 'Pin', unit_price: 0.99, quantity: 1 + random.below(5) }
  const body = { payment_status: 'paid', payment_method: 'cash', shipping_cost, automatic_discounts: false }
  const made = await shop.order([...items, pins], {
    ...body,
    country_code: 'DE',
    ...(code ? { discount_code: code } : {}),
  })
  const lines = made.items.map((item: any) => lineOf(item, item.product_id === book.id))
  const order: Order = { lines, code, shipping: BigInt(Math.round(shipping_cost * 100)), shippingTax: 0n }
  price(order, terms)
  assert.deepEqual(shownSums(made), sumsOf(order, terms), 'as sold')
  return { id: made.id, order }
}

/** One edit, and the same in the model. False if it was refused. */
async function edit({ shop: { api }, terms }: Opened, id: string, order: Order, random: Random): Promise<boolean> {
  const line = random.pick(order.lines)
  const before = order.lines.map((one) => ({ ...one }))
  const cases: (() => object)[] = [
    () => ((order.shipping = BigInt(random.below(1500))), { shipping_cost: cents(order.shipping) }),
    () => {
      line.quantity = most(line.back, BigInt(random.below(Number(line.quantity) + 1)))
      return { items: [{ item_id: line.id, quantity: Number(line.quantity) }] }
    },
    () => {
      const [code] = [random.pick<Code>(['TEN', 'FIVE', null])]
      if (code !== order.code)
        for (const one of order.lines) Object.assign(one, { closed: one.back, closedOff: new Map(one.off) })
      order.code = code
      return { discount_code: code }
    },
  ]
  const { shipping, code } = order
  const body = random.pick(cases)()
  order.lines = order.lines.filter(({ quantity }) => quantity > 0n)
  const answer = await api.post(`/v1/orders/${id}/edits`, body)
  if (answer.status !== 200) {
    assert.equal(answer.status, 422, JSON.stringify(answer.error))
    Object.assign(order, { lines: before, shipping, code })
    return false
  }
  price(order, terms)
  assert.deepEqual(shownSums(answer.data), sumsOf(order, terms), JSON.stringify(body))
  return true
}

async function refundUnits({ shop: { api } }: Opened, id: string, order: Order, random: Random): Promise<void> {
  const line = random.pick(order.lines)
  const open = line.quantity - line.back
  if (open === 0n) return
  const count = 1n + BigInt(random.below(Number(open)))
  const body = { items: [{ item_id: line.id, quantity: Number(count) }] }
  const { data: left } = await api.get(`/v1/orders/${id}/refundable`)
  const answer = await api.post(`/v1/orders/${id}/refunds`, body)
  // Nothing is left, or the units cost nothing.
  if (answer.status !== 201) return assert.equal(answer.status, 422)
  const before = line.price * open - line.openOff
  refund(line, count, order.code)
  const after = line.price * (open - count) - line.openOff
  const bound = cents(before - after)
  assert.ok(answer.data.amount <= Math.max(left.amount, bound))
}

/** Units that are shipped and sent back: what was received is refunded, which to the amounts is any other refund. */
async function returnUnits({ shop: { api } }: Opened, id: string, order: Order, random: Random): Promise<void> {
  const line = random.pick(order.lines)
  const open = line.quantity - line.back
  if (open === 0n) return
  const count = 1n + BigInt(random.below(Number(open)))
  const quantity = Number(count)
  const at = `/v1/orders/${id}`
  const fulfillable = (await api.get(at)).data.items.find((item: any) => item.id === line.id).fulfillable_quantity
  const shipped = Math.min(quantity, fulfillable)
  if (shipped > 0)
    dataOf(await api.post(`${at}/fulfillments`, { items: [{ item_id: line.id, quantity: shipped }] }), 201)
  const requested = await api.post(`${at}/returns`, { items: [{ item_id: line.id, quantity, reason: 'other' }] })
  // Others of the line are on their way back, or were refunded without one.
  if (requested.status !== 201) return assert.equal(requested.status, 422)
  const path = `/v1/returns/${requested.data.id}`
  dataOf(await api.post(`${path}/receive`, {}), 200)
  const refunded = await api.post(`${path}/refund`, {})
  if (refunded.status === 200) return refund(line, count, order.code)
  // Nothing is left, or the units cost nothing.
  assert.equal(refunded.status, 422)
  dataOf(await api.post(`${path}/close`, {}), 200)
}

const shops = (sequence: number) => randomBy(seed + sequence)

test(`whatever is edited, refunded, returned and changed, amounts are the model's (${sequences} times)`, async () => {
  for (let sequence = 0; sequence < sequences; sequence++) {
    const random = shops(sequence)
    const opened = await open(random)
    const { id, order } = await place(opened, random)
    const at = `/v1/orders/${id}`
    for (let step = 0; step < 5; step++) {
      const { api }: Shop = opened.shop
      try {
        if (random.below(2) === 0) await changeWorld(opened, random)
        if (random.below(2) === 0) await refundUnits(opened, id, order, random)
        if (random.below(3) === 0) await returnUnits(opened, id, order, random)
        world.clock.advance(random.below(60) * 24 * 3600)
        await edit(opened, id, order, random)
        await api.patch(at, { payment_status: 'paid' })
      } catch (error) {
        throw new Error(`sequence ${sequence}, step ${step}: SEED=${seed} EDITS=${sequence + 1}`, { cause: error })
      }
    }
    if (sequence % 10 === 0) await assertSums(world, opened.shop)
  }
})
