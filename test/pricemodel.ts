// What a cart costs, worked out in whole cents and fractions by code that shares nothing with the product's: bundles,
// tables of shipping, places of tax and several codes.

/** Percent in ten-thousandths: 9.975 % is 99750n. */
type Tax = { rate: bigint; compound?: boolean }
export type Zone = { included: boolean; taxes: Tax[]; books?: Tax[] }
export type ShippingTax = 'standard' | 'proportional' | 'none'
export type Terms = { rounding: 'order' | 'line'; fixed: boolean; shipping: ShippingTax; home: Zone }

const single = (rate: bigint): Tax[] => [{ rate }]
export const zones = {
  DE: { included: true, taxes: single(190000n), books: single(70000n) },
  US: { included: false, taxes: single(80000n) },
  CA: { included: false, taxes: [{ rate: 50000n }, { rate: 99750n }], books: [{ rate: 50000n }, { rate: 0n }] },
  MX: { included: true, taxes: [{ rate: 120000n }, { rate: 92500n, compound: true }] },
} satisfies Record<string, Zone>

export const places = {
  DE: { address: 'Lange Str. 1', city: 'Kiel', postal_code: '24103', country_code: 'DE' },
  US: { address: '1 Main St', city: 'Albany', province: 'NY', postal_code: '12207', country_code: 'US' },
  CA: { address: '1 rue X', city: 'Montréal', province: 'QC', postal_code: 'H2X 1Y4', country_code: 'CA' },
  MX: { address: 'Reforma 222', city: 'Ciudad de México', province: 'CDMX', postal_code: '06600', country_code: 'MX' },
  NO: { address: 'Gate 1', city: 'Oslo', postal_code: '0150', country_code: 'NO' },
}
export type Country = keyof typeof places

// TEN combines with each of the others, and these do not with one another.
export const codes = ['TEN', 'FIVE', 'SHIP'] as const
export type Code = (typeof codes)[number]

/** What is offered in every store of the tests. */
export const discounts = [
  { code: 'TEN', type: 'percentage', value: 10, combines_with: ['order', 'shipping'] },
  { code: 'FIVE', type: 'fixed_amount', value: 5, combines_with: ['order'] },
  { code: 'SHIP', type: 'free_shipping', value: 0, combines_with: ['order'] },
]

/** Prices are in cents. A tier begins at grams, cents or pieces. */
export type Rate = {
  by: 'flat' | 'weight' | 'amount' | 'items' | 'per_item'
  price: bigint
  tiers: [from: bigint, price: bigint][]
  /** Of books. */
  perBook: bigint
  freeFrom: bigint | null
  byCode: boolean
}

/** `price` is that of one. The parts of a bundle share it by their own `price`. */
export type Line = {
  isBook: boolean
  price: bigint
  quantity: number
  grams: bigint
  /** Counts for no shipping. */
  isDownload?: boolean
  parts: { isBook: boolean; price: bigint; isDownload?: boolean; units: bigint }[] | null
}

/** `country` is where the goods are taxed, and `billed` where downloads are. */
export type Cart = {
  lines: Line[]
  codes: readonly Code[]
  rate: Rate
  country: Country
  billed?: Country
  isExempt: boolean
}

/** Half up. */
const divided = (amount: bigint, by: bigint) => (2n * amount + by) / (2n * by)

/** Of a net price of one, as a numerator over 10^24. */
const one = 10n ** 24n
const sharesOf = (taxes: readonly Tax[]) => {
  let before = one
  return taxes.map(({ rate, compound }) => {
    const share = ((compound ? before : one) * rate) / 1_000_000n
    before += share
    return share
  })
}
const total = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n)
const grossOf = (taxes: readonly Tax[]) => one + total(sharesOf(taxes))

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

const none: Zone = { included: false, taxes: single(0n) }

/** Subtotal, discount, shipping, added tax, included tax and total, as amounts. */
export function priceCart(terms: Terms, cart: Cart): number[] {
  const goods = convert(terms, cart)
  const downloads = convert(terms, { ...cart, country: cart.billed ?? cart.country })
  const isApart = cart.billed !== undefined && cart.billed !== cart.country
  const placeOf = (isDownload: boolean | undefined) => (isDownload && isApart ? downloads : goods)
  const { place, there } = goods
  const lines = cart.lines.map(({ parts, price, quantity, ...line }) => {
    const shares =
      parts &&
      spread(
        price,
        parts.map((part) => part.price),
      ).map((share, at) => placeOf(parts[at]!.isDownload).there(share, parts[at]!.isBook))
    const unit = shares ? total(shares) : placeOf(line.isDownload).there(price, line.isBook)
    return { ...line, shares, parts, amount: unit * BigInt(quantity) }
  })
  const weights = lines.map(({ amount }) => amount)
  const subtotal = total(weights)
  const isTaxed = terms.shipping !== 'none'
  const soldFor = (shares: readonly bigint[]): Sold[] =>
    lines.flatMap(({ isBook, isDownload, parts, shares: weights, amount }, at) => {
      const paid = amount - shares[at]!
      if (!parts || !weights) return [{ isBook, isDownload, amount: paid }]
      const even = total(weights) === 0n ? weights.map(() => 1n) : weights
      return spread(paid, even).map((share, part) => ({
        isBook: parts[part]!.isBook,
        isDownload: parts[part]!.isDownload,
        amount: share,
      }))
    })
  const costAt = (amount: bigint, sold: readonly Sold[]) => {
    const price = priceRate(cart, amount)
    return terms.shipping === 'proportional' ? goods.withGoods(price, shippedOf(sold)) : there(price, false, isTaxed)
  }
  const { byCode, freeFrom } = cart.rate
  const before = soldFor(weights.map(() => 0n))
  const shippingOf = (goods: bigint, isWaived: boolean, sold: readonly Sold[] = before) =>
    (isWaived && byCode) || (freeFrom !== null && goods >= freeFrom) ? 0n : costAt(goods, sold)
  const { discount, shares, isWaived } = takeOff(cart, weights, shippingOf)
  const sold = soldFor(shares)
  const shipping = shippingOf(subtotal - discount, isWaived, sold)
  const shipped = shippedOf(sold)
  const untaxed = cart.isExempt || !(cart.country in zones)
  // Books share the shipping by what they cost, where they have a rate of their own.
  const kinds = [...new Set(shipped.map(({ isBook }) => isBook && !untaxed && place.books !== undefined))]
  const worth = kinds.map((isBook) =>
    total(shipped.filter((line) => kinds.length === 1 || line.isBook === isBook).map(({ amount }) => amount)),
  )
  const isShared = terms.shipping === 'proportional' && total(worth) > 0n
  const parcels = isShared
    ? spread(shipping, worth).map((amount, at) => ({ isBook: kinds[at]!, amount }))
    : [{ isBook: false, amount: shipping }]
  const taxedParcels = isTaxed && shipping > 0n ? parcels.filter(({ amount }) => amount > 0n) : []
  const taxes = [goods, downloads].map((at) => {
    const there = sold.filter(({ isDownload }) => placeOf(isDownload) === at)
    const isIncluded = at.place.included
    return { isIncluded, tax: taxOf([...there, ...(at === goods ? taxedParcels : [])], terms, at) }
  })
  const taxWhere = (isIn: boolean) => total(taxes.map(({ isIncluded, tax }) => (isIncluded === isIn ? tax : 0n)))
  const [added, within] = [taxWhere(false), taxWhere(true)]
  return [subtotal, discount, shipping, added, within, subtotal - discount + shipping + added].map(cents)
}

type Sold = { isBook: boolean; isDownload: boolean | undefined; amount: bigint }

/** The shipping follows what is shipped, if anything is. */
function shippedOf(sold: readonly Sold[]): Sold[] {
  const isNothingShipped = sold.every(({ isDownload }) => isDownload)
  return sold.filter(({ isDownload }) => isNothingShipped || !isDownload)
}

/** Where prices are not fixed, the tax of home in them gives way to that of the place. */
function convert({ home, fixed }: Terms, { country, isExempt }: Cart) {
  const place: Zone = country === 'NO' ? { ...none, included: home.included } : zones[country]
  const taxesFor = (zone: Zone, isBook: boolean, isFree = isExempt || country === 'NO') =>
    isFree ? single(0n) : (isBook && zone.books) || zone.taxes
  const there = (price: bigint, isBook: boolean, isTaxed = true) => {
    if (fixed) return price
    const gross = (zone: Zone, isFree?: boolean) =>
      zone.included && isTaxed ? grossOf(taxesFor(zone, isBook, isFree)) : one
    return divided(price * gross(place), gross(home, false))
  }
  /** At the rates of the goods: their net prices are the same at home and there. */
  const withGoods = (price: bigint, goods: readonly Sold[]) => {
    if (fixed || total(goods.map(({ amount }) => amount)) === 0n) return there(price, false)
    const gross = (zone: Zone, isBook: boolean, isFree?: boolean) =>
      zone.included ? grossOf(taxesFor(zone, isBook, isFree)) : one
    // Both sides in multiples of what books and other things cost with the tax there.
    const net = (isBook: boolean) => gross(place, !isBook)
    const sumOf = (of: (isBook: boolean) => bigint) =>
      total(goods.map(({ isBook, amount }) => amount * net(isBook) * of(isBook)))
    return divided(
      price * sumOf((isBook) => gross(place, isBook)),
      sumOf((isBook) => gross(home, isBook, false)),
    )
  }
  return { place, taxesFor, there, withGoods }
}

type Place = Pick<ReturnType<typeof convert>, 'place' | 'taxesFor'>

/** Each tax is rounded once for all that bear it, or for each line. */
function taxOf(taxed: { isBook: boolean; amount: bigint }[], { rounding }: Terms, { place, taxesFor }: Place): bigint {
  const sums = new Map<string, { amount: bigint; share: bigint; of: bigint }>()
  taxed.forEach(({ isBook, amount }, line) => {
    const taxes = taxesFor(place, isBook)
    const of = place.included ? grossOf(taxes) : one
    sharesOf(taxes).forEach((share, at) => {
      const key = `${at} ${share} ${of} ${rounding === 'line' ? line : ''}`
      sums.set(key, { amount: (sums.get(key)?.amount ?? 0n) + amount, share, of })
    })
  })
  return total([...sums.values()].map(({ amount, share, of }) => divided(amount * share, of)))
}

/** What the codes take off each line. FIVE and SHIP exclude each other: the one that leaves less to pay applies. */
function takeOff(
  { codes: entered }: Cart,
  weights: bigint[],
  shippingOf: (goods: bigint, isWaived: boolean) => bigint,
) {
  const subtotal = total(weights)
  const has = (code: Code) => entered.includes(code)
  const ten = has('TEN') ? divided(subtotal * 10n, 100n) : 0n
  const five = subtotal - ten < 500n ? subtotal - ten : 500n
  const rest = subtotal - ten
  const isFive =
    has('FIVE') && (!has('SHIP') || rest - five + shippingOf(rest - five, false) <= rest + shippingOf(rest, true))
  const ofTen = spread(ten, weights)
  const left = weights.map((weight, at) => weight - ofTen[at]!)
  const ofFive = spread(isFive ? five : 0n, left)
  const shares = ofTen.map((share, at) => share + ofFive[at]!)
  return { shares, discount: total(shares), isWaived: has('SHIP') && !isFive }
}

/** Before the conversion; `goods` decides in a table of amounts. */
function priceRate({ rate, lines }: Cart, goods: bigint): bigint {
  const shipped = lines.filter(({ isDownload }) => !isDownload)
  const pieces = (some: Line[]) => some.reduce((sum, { quantity }) => sum + BigInt(quantity), 0n)
  const grams = total(shipped.map((line) => line.grams * BigInt(line.quantity)))
  const measure = { flat: 0n, per_item: pieces(shipped), items: pieces(shipped), weight: grams, amount: goods }[rate.by]
  const price = rate.tiers.findLast(([from]) => measure >= from)?.[1] ?? rate.price
  const books = shipped.map(({ isBook, quantity, parts }) => {
    const inSet = total((parts ?? []).map((part) => (part.isBook && !part.isDownload ? part.units : 0n)))
    return BigInt(quantity) * (isBook && inSet === 0n ? 1n : inSet)
  })
  return (rate.by === 'per_item' ? price * pieces(shipped) : price) + rate.perBook * total(books)
}

export const cents = (amount: bigint) => Number(amount) / 100
const percent = (rate: bigint) => Number(rate) / 10_000

export function zoneBody(
  name: string,
  country_code: string,
  { included, taxes, books }: Zone,
  { category_id, shipping_tax }: { category_id: string; shipping_tax: ShippingTax },
): object {
  const named = taxes.map(({ rate, compound = false }, at) => ({
    name: `${name} ${at}`,
    rate: percent(rate),
    compound,
  }))
  // A tax that is the same for books is not named again.
  const own = (books ?? []).flatMap(({ rate }, at) => {
    const component = taxes.length > 1 ? { component: `${name} ${at}` } : {}
    return rate === taxes[at]!.rate ? [] : [{ category_id, rate: percent(rate), ...component }]
  })
  const rate = taxes.length > 1 ? { components: named } : { rate: named[0]!.rate }
  return { name, country_code, included, category_rates: own, shipping_tax, ...rate }
}
