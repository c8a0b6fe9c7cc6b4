// Prices as a reader sees them: as the catalog has them, with tax, or without it.
import { convertTax, shownPriceColumn } from '../../../commerce/tax/prices.ts'
import { containsTax } from '../../../commerce/tax/treatment.ts'
import type { Sql } from '../../../kit/database/sql.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { Offer } from '../../checkout/offers/offer.ts'

const ways = ['included', 'excluded'] as const
type TaxWay = (typeof ways)[number]

export type TaxView = {
  /** What the shown prices do with the tax; null in a store without taxes. */
  way: TaxWay | null
  /** True if the reader can choose the other way. */
  canSwitch: boolean
  /** Turns a price of the catalog into the shown one. `categoryId` is a public ID. */
  convert(price: number, categoryId: string | null): number
  /** The shown price as a column of products; null if it is that of the catalog. */
  column(): Sql | null
}

/** `?tax=` of the URL, or what the cookie remembers of it. */
export function readTaxWay(asked: string | undefined): TaxWay | undefined {
  return ways.find((way) => way === asked)
}

export function chooseTaxView(offer: Offer, store: Store, asked: TaxWay | undefined): TaxView {
  const { tax_display: display } = offer
  const asEntered = containsTax(offer, store) ? 'included' : null
  if (display === 'as_entered') return { way: asEntered, canSwitch: false, ...ofCatalog }
  const canSwitch = display === 'by_shopper'
  const way = canSwitch ? (asked ?? 'included') : display
  const convert = convertTax(offer, store, way === 'included')
  if (!convert) return { way: null, canSwitch: false, ...ofCatalog }
  return {
    way,
    canSwitch,
    convert: (price, categoryId) => convert(price, categoryId && toUuid('cat', categoryId)),
    column: () => shownPriceColumn(offer, store, way === 'included'),
  }
}

const ofCatalog: Pick<TaxView, 'convert' | 'column'> = { convert: (price) => price, column: () => null }
