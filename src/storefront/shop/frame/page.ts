// The context of a page of a shop.
import type { Readable } from 'node:stream'
import type { Db, StoreDatabase } from '../../../kit/database/database.ts'
import type { Language } from '../../../kit/values/language.ts'
import type { PriceText } from '../../../kit/values/prices.ts'
import type {
  Html,
  Page as AnyPage,
  PageResult as AnyReply,
  PageVisit as AnyVisit,
} from '../../../platform/pages/page.ts'
import type { PublicProduct } from '../../../commerce/catalog/public.ts'
import type { Order } from '../../../commerce/orders/order.ts'
import type { QuoteDeps } from '../../checkout/cart/askquotes.ts'
import type { SettlementDeps } from '../../checkout/checkout.ts'
import type { Guard } from '../../checkout/cart/guard.ts'
import { sessionDays } from '../../accounts/session.ts'
import { signInMinutes } from '../../accounts/signin.ts'
import type { Offer } from '../../checkout/offers/offer.ts'
import type { Face } from '../../branding/face.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { TranslateTerm } from '../../../tenancy/stores/terms.ts'
import type { ShopTranslate } from './messages.ts'
import type { TaxView } from './taxview.ts'

export { field, fieldsNamed } from '../../../platform/pages/form.ts'
export type { Html } from '../../../platform/pages/page.ts'

/** Dependencies of the pages' operations. */
export type ShopDeps = SettlementDeps &
  QuoteDeps & {
    /** All personal data of the shopper's verified contacts. */
    exportOwnData(db: Db, store: Store, shopper: { id: string; email: string }): Promise<object>
    slots: ShopSlots
    /** A file of the storage of images that rows of an extension name; null if it is not there. */
    openFile(key: string): Promise<Readable | null>
  }

/** Places of pages that extensions fill. */
export type ShopSlots = {
  product(context: ShopContext, product: PublicProduct): Promise<Html | ''>
  order(context: ShopContext, order: Order): Promise<Html | ''>
}

export const emptySlots: ShopSlots = { product: async () => '', order: async () => '' }

export type ShopContext = AnyVisit & {
  db: StoreDatabase
  deps: ShopDeps
  store: Store
  offer: Offer
  face: Face
  /** Translates a short text of the shop into the reader's language. */
  translateTerm: TranslateTerm
  /** Limits this address at checkouts. */
  guard: Guard
  /** Languages of the shop, the store's own first. */
  languages: readonly Language[]
  /** The reader's language, if the store has translations into it. */
  translation: Language | null
  t: ShopTranslate
  price: PriceText
  taxView: TaxView
  /** The current year in UTC. */
  year: number
  begun?: BegunReads | undefined
}

/** The context before the shop's own texts are read. */
export type ShopVisit = AnyVisit & Pick<ShopContext, 'db' | 'store' | 'translation'>
type ShopReads<T> = (visit: ShopVisit) => Promise<T>
type BegunReads = { by: ShopReads<unknown>; result: Promise<unknown> }

/** Begins the reads of a page. Its `run` receives their failure. */
export function beginReads(by: ShopReads<unknown>, visit: ShopVisit): BegunReads {
  const result = by(visit)
  result.catch(() => {})
  return { by, result }
}

/** Runs the reads, or returns the result of those that the page has begun. */
export function runReads<T>(context: ShopContext, by: ShopReads<T>): Promise<T> {
  return context.begun?.by === by ? (context.begun.result as Promise<T>) : by(context)
}

/** The lifetime of stoa_cart and others in days. */
export const cookieDays = {
  cart: 90,
  checkout: 30,
  codes: 30,
  lang: 365,
  tax: 365,
  account: sessionDays,
  known: 365,
  signin: signInMinutes / (24 * 60),
}
export type CookieName = keyof typeof cookieDays

export type ShopResult = AnyReply & { cookies?: Partial<Record<CookieName, string | null>> }

export type ShopPage = AnyPage<ShopContext>
