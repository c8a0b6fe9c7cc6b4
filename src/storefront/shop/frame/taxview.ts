// Prices as a reader sees them: as the catalog has them, with tax, or without it.
import {
  convertTax,
  findPricedParts,
  shownPriceColumn,
  type PricedPart,
  type TaxConversion,
} from '../../../commerce/tax/prices.ts'
import { containsTax } from '../../../commerce/tax/treatment.ts'
import type { Db } from '../../../kit/database/database.ts'
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
  /** False if prices are shown as the catalog has them. */
  isConverted: boolean
  /** Turns a price of the catalog into the shown one, for a choice or for the product itself. */
  convert(price: number, product: TaxedProduct, variantId: string | null): number
  /** The shown price as a column of products; null if it is that of the catalog. */
  column(): Sql | null
}

/** `id` and `category_id` are public IDs. */
export type TaxedProduct = { id: string; category_id: string | null }

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
  const conversion = convertTax(offer, store, way === 'included')
  if (!conversion) return { way: null, canSwitch: false, ...ofCatalog }
  return {
    way,
    canSwitch,
    isConverted: !conversion.isIdentity,
    convert: convertWith(conversion.convert, new Map()),
    column: () => shownPriceColumn(offer, store, way === 'included'),
  }
}

const ofCatalog: Pick<TaxView, 'isConverted' | 'convert' | 'column'> = {
  isConverted: false,
  convert: (price) => price,
  column: () => null,
}

function convertWith(convert: TaxConversion, parts: ReadonlyMap<string, readonly PricedPart[]>): TaxView['convert'] {
  return (price, { id, category_id }, variantId) => {
    const ofBundle = parts.size === 0 ? undefined : (parts.get(variantId ?? '') ?? parts.get(toUuid('prod', id)!))
    return convert(price, category_id && toUuid('cat', category_id), ofBundle)
  }
}

type TaxContext = { db: Db; store: Store; offer: Offer; taxView: TaxView }

/** The context with which these products are shown: each part of a bundle has the tax of its own category. */
export async function withBundles<C extends TaxContext>(context: C, products: readonly TaxedProduct[]): Promise<C> {
  const { db, store, offer, taxView } = context
  if (!taxView.isConverted || !store.has_bundles || products.length === 0) return context
  const ids = products.map(({ id }) => toUuid('prod', id)!)
  const parts = await findPricedParts(db, store, ids)
  const { convert } = convertTax(offer, store, taxView.way === 'included')!
  return { ...context, taxView: { ...taxView, convert: convertWith(convert, parts) } }
}
