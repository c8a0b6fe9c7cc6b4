// A slow calculation of combined discounts, for tests: whole cents, single units, and every set that there is.
import type { DiscountRow } from '../src/commerce/discounts/discount.ts'

/** Product, price in cents, quantity. */
type Line = [product: string, cents: number, quantity: number]
type Shares = [code: string, shares: number[]][]
type Offered = { codes: readonly { discount: DiscountRow | undefined }[]; automatic: readonly DiscountRow[] }

/** The codes that apply, each with the cents that it takes off each line. `shipping` is in cents. */
export function reference(
  { codes, automatic }: Offered,
  lines: Line[],
  shipping: number,
  groupsOfBuyer: readonly string[] = [],
): Shares {
  const isOpen = ({ customer_group_ids: ids }: DiscountRow) =>
    ids.length === 0 || new Set([...ids, ...groupsOfBuyer]).size < ids.length + groupsOfBuyer.length
  const entered = codes.flatMap(({ discount }) => (discount ? [discount] : []))
  const offered = [...entered, ...automatic].filter((row) => isOpen(row) && applies(row, lines))
  const sets = subsets(offered).filter(
    (set) =>
      set.every((one, at) => set.slice(at + 1).every((other) => fit(one, other))) &&
      offered.every((one) => set.includes(one) || set.some((other) => !fit(one, other))),
  )
  const results = sets.map((unordered) => {
    const set = [...unordered].sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
    const shares = takeOff(set, lines)
    const amount = shares.flatMap(([, cents]) => cents).reduce((sum, cents) => sum + cents, 0)
    const saved = amount + (set.some(({ type }) => type === 'free_shipping') ? shipping : 0)
    return {
      shares,
      saved,
      entered: set.filter((one) => entered.includes(one)).length,
      names: set.map(({ code }) => code).join(' '),
    }
  })
  results.sort(
    (a, b) =>
      b.saved - a.saved || b.entered - a.entered || a.shares.length - b.shares.length || (a.names < b.names ? -1 : 1),
  )
  const shares = results[0]?.shares ?? []
  const shipsFree = (code: string) => offered.find((one) => one.code === code)!.type === 'free_shipping'
  // A code that takes nothing more off is left for another order, as is free shipping that frees nothing.
  return shares.filter(([code, cents], at) => {
    if (shipsFree(code) && shipping === 0) return false
    if (!entered.some((one) => one.code === code)) return true
    if (shipsFree(code)) return !shares.slice(0, at).some(([other]) => shipsFree(other))
    return shares.length === 1 || cents.some((share) => share > 0)
  })
}

function subsets(rows: readonly DiscountRow[]): DiscountRow[][] {
  return Array.from({ length: 2 ** rows.length }, (_, bits) => rows.filter((_, at) => Math.floor(bits / 2 ** at) % 2))
}

const kind = ({ type, applies_to_all }: DiscountRow) =>
  type === 'free_shipping' ? 'shipping' : type === 'buy_x_get_y' || !applies_to_all ? 'product' : 'order'
const fit = (a: DiscountRow, b: DiscountRow) => a.combines_with.includes(kind(b)) && b.combines_with.includes(kind(a))
const rank = (row: DiscountRow) =>
  [
    { product: 1, order: 2, shipping: 3 }[kind(row)],
    { buy_x_get_y: 1, percentage: 2, fixed_amount: 3, free_shipping: 4 }[row.type],
    row.code,
  ].join(' ')

const isGotten = (row: DiscountRow, [product]: Line) =>
  row.applies_to_all || row.applicable_product_ids.includes(product)
const isBought = (row: DiscountRow, [product]: Line) =>
  row.buy_product_ids.length === 0 || row.buy_product_ids.includes(product)

function applies(row: DiscountRow, lines: Line[]): boolean {
  const subtotal = lines.reduce((sum, [, cents, quantity]) => sum + cents * quantity, 0)
  const covered = lines.filter((line) => isGotten(row, line))
  const count = covered.reduce((sum, [, , quantity]) => sum + quantity, 0)
  const hasUnits = row.type !== 'buy_x_get_y' || unitsOf(row, lines).length > 0
  return covered.length > 0 && count >= row.min_quantity && subtotal >= hundredths(row.min_order_amount) && hasUnits
}

/** The lines of the units that get the discount: as many as leave enough others to be bought, the cheapest. */
function unitsOf(row: DiscountRow, lines: Line[]): number[] {
  const units = lines.flatMap((line, at) => Array.from({ length: line[2] }, () => ({ at, line })))
  const bought = units.filter(({ line }) => isBought(row, line)).length
  const gotten = units
    .filter(({ line }) => isGotten(row, line))
    .sort(
      (a, b) => a.line[1] - b.line[1] || Number(isBought(row, a.line)) - Number(isBought(row, b.line)) || a.at - b.at,
    )
  for (let count = gotten.length; count > 0; count--) {
    const times = Math.ceil(count / row.get_quantity)
    let spare = bought - times * row.buy_quantity
    if (spare < 0 || (row.max_per_order > 0 && times > row.max_per_order)) continue
    const chosen = gotten.filter(({ line }) => !isBought(row, line) || spare-- > 0).slice(0, count)
    if (chosen.length === count) return chosen.map(({ at }) => at)
  }
  return []
}

function takeOff(set: DiscountRow[], lines: Line[]): Shares {
  const left = lines.map(([, cents, quantity]) => cents * quantity)
  return set.map((row) => {
    const shares = sharesOf(row, lines, left)
    shares.forEach((share, at) => (left[at] = left[at]! - share))
    return [row.code, shares]
  })
}

function sharesOf(row: DiscountRow, lines: Line[], left: number[]): number[] {
  if (row.type === 'buy_x_get_y') {
    const units = unitsOf(row, lines)
    return lines.map(([, , quantity], at) => {
      const count = units.filter((unit) => unit === at).length
      return half(left[at]! * count * hundredths(row.value), quantity * 10_000)
    })
  }
  const covered = lines.map((line, at) => (isGotten(row, line) ? left[at]! : 0))
  const whole = covered.reduce((sum, cents) => sum + cents, 0)
  const amount =
    row.type === 'percentage'
      ? half(whole * hundredths(row.value), 10_000)
      : row.type === 'fixed_amount'
        ? Math.min(whole, hundredths(row.value))
        : 0
  let soFar = 0,
    given = 0
  return covered.map((cents) => {
    soFar += cents
    const due = whole === 0 ? 0 : half(amount * soFar, whole)
    const share = due - given
    given = due
    return share
  })
}

const hundredths = (amount: string) => Math.round(Number(amount) * 100)
/** Rounds a quotient of whole numbers half-up. */
const half = (a: number, b: number) => Math.floor((2 * a + b) / (2 * b))
