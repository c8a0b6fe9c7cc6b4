// The offer of a store's checkout: tax, shipping rates, payment methods and order bumps.
import { LRUCache } from 'lru-cache'
import type { Db } from '../../../kit/database/database.ts'
import type { Reason } from '../../../kit/values/faults.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { flat, inStore, raw, sql, bindStore } from '../../../kit/database/sql.ts'
import type { Entity } from '../../../kit/declare/field.ts'
import { jsonObject } from '../../../kit/declare/row.ts'
import { isForSale, isItem, isPurchasable } from '../../../commerce/inventory/availability.ts'
import { hasFeature } from '../../../tenancy/plans/plan.ts'
import { checkoutFieldsJson, type CheckoutFields } from '../../../tenancy/stores/checkoutfields.ts'
import { customField } from '../../../tenancy/stores/customfield.ts'
import { orderBump } from '../../../tenancy/stores/orderbump.ts'
import { methodNames, paymentMethod, type CheckoutMethod } from '../../../commerce/payments/method.ts'
import { shippingRate } from '../../../tenancy/stores/shippingrate.ts'
import { storefrontUrl, type Store } from '../../../tenancy/stores/store.ts'
import { freeRate } from '../../../commerce/orders/rate.ts'
import { rateConditions } from '../../../commerce/orders/rateoffer.ts'
import type { PriceSource } from './pricesource.ts'
import { askedFieldNames, type AskedField } from './answers.ts'
import { taxColumns, type TaxTerms } from '../../../commerce/tax/terms.ts'

// prettier-ignore
const rateNames = [
  'code', 'name', 'description', 'price_by', 'price', 'tiers', 'surcharges', 'free_from', 'free_by_code',
  ...rateConditions, 'handling_days', 'min_days', 'max_days', 'requires_address', 'payment_methods', 'pickup_address',
  'pickup_hours',
] as const
export const bumpNames = ['id', 'title', 'description', 'price', 'product_id', 'variant_id', 'image'] as const

/** `name` null: the default name of a built-in code, in the shopper's language. */
export type OfferedRate = Pick<Entity<typeof shippingRate.fields>, (typeof rateNames)[number]> & {
  /** In the quote of a cart: where its price comes from, and why its app does not offer it. */
  quote?: PriceSource
  refusal?: Reason
}
/** A bump without a product is listed beside the items. `price` is its price here; ids are uuids. */
export type OfferedBump = Pick<Entity<typeof orderBump.fields>, (typeof bumpNames)[number]> & {
  price: number
  is_sold_out: boolean
}

export type Offer = TaxTerms & {
  description: string | null
  store_title: string | null
  storefront_url: string
  /** Changes with every change of the pages' frame. */
  face_version: number
  lowest_price_display: 'by_country' | 'always' | 'never'
  tax_display: 'as_entered' | 'included' | 'excluded' | 'by_shopper'
  /** Null for the operator's setting. */
  abandon_after_minutes: number | null
  /** Optional fields of the checkout. */
  asking: CheckoutFields
  shipping_rates: OfferedRate[]
  payment_methods: CheckoutMethod[]
  order_bumps: OfferedBump[]
  /** Custom fields that the checkout asks for. */
  custom_fields: AskedField[]
  /** False if the store has set up none: defaults are offered and need not be chosen. */
  has_own_rates: boolean
  has_own_methods: boolean
  /** True if test methods, which take no money, are offered. */
  test_payments: boolean
}

/**
 * Loads the offer in one statement, pipelined with others of the transaction. Pages of the catalog show no bumps, whose
 * products take a third of it, and no fields of the checkout.
 */
export function findOffer(db: Db, store: Store, { isForCheckout = true } = {}): Promise<Offer> {
  const offer = loadOffer(db, store, isForCheckout)
  // The caller may have failed before it awaits this, and an unhandled rejection would end the process.
  offer.catch(() => {})
  return offer
}

const maxKept = 500

/** The offer of a store whose version was just read: as long as that does not move, neither does the offer. */
export type FindCurrentOffer = (db: Db, store: Store) => Promise<Offer>

/** For pages of the catalog. */
export function offerFinder(): FindCurrentOffer {
  const offers = new LRUCache<string, { version: number; offer: Offer }>({ max: maxKept })
  return async (db, store) => {
    const kept = offers.get(store.id)
    if (kept && kept.version === store.version) return kept.offer
    const offer = await findOffer(db, store, { isForCheckout: false })
    offers.set(store.id, { version: store.version, offer })
    return offer
  }
}

/** Bumps in stock. A chosen one, given by public ID, stays even if it is sold out. */
export function availableBumps({ order_bumps }: Offer, chosenIds: readonly string[] = []): OfferedBump[] {
  return order_bumps.filter(({ id, is_sold_out }) => !is_sold_out || chosenIds.includes(publicId('bump', id)))
}

async function loadOffer(db: Db, store: Store, isForCheckout: boolean): Promise<Offer> {
  const hasBumps = isForCheckout && hasFeature(store.plan, 'order_bumps')
  const isAsking = isForCheckout && store.custom_field_kinds.includes('order')
  const query = sql`
    select ${columns}, ${hasBumps ? sql`(${bumps})` : emptyList} as order_bumps,
      ${isAsking ? sql`(${askedFields})` : emptyList} as custom_fields
    from stores
    where id = ${store.id}`
  const row = (await db.one<Offer>(inStore(store.id, query)))!
  return {
    ...row,
    shipping_rates: row.has_own_rates ? row.shipping_rates : usualRates,
    payment_methods: row.has_own_methods
      ? row.payment_methods.filter((method) => isOffered(method, row))
      : usualMethods,
  }
}

/** False for transfers without account details, and for test methods unless they are allowed. */
function isOffered(
  { code, provider, instructions }: CheckoutMethod,
  { test_payments }: Pick<Offer, 'test_payments'>,
): boolean {
  if (provider === 'test') return test_payments
  return code !== 'bank_transfer' || provider !== 'manual' || Boolean(instructions?.trim())
}

const ofStore = bindStore('stores.id')
const emptyList = raw("'[]'::json")

const rates = sql`
  select coalesce(json_agg(${jsonObject(shippingRate, rateNames)} order by position, id), '[]')
  from shipping_rates
  where store_id = ${ofStore}
    and is_active`

const methods = sql`
  select coalesce(json_agg(${jsonObject(paymentMethod, methodNames)} order by position, id), '[]')
  from payment_methods
  where store_id = ${ofStore}
    and is_active`

const askedFields = sql`
  select coalesce(json_agg(${jsonObject(customField, askedFieldNames)} order by position, id), '[]')
  from custom_fields
  where store_id = ${ofStore}
    and applies_to = 'order'
    and asked_at_checkout
    and is_active`

// A bump is not offered if its product is not for sale or has variants now.
const bumps = flat(sql`
  select coalesce(json_agg(${jsonObject(orderBump, [...bumpNames, 'is_sold_out'], {
    price: sql`coalesce(order_bumps.price, variants.price, products.price)`,
    image: sql`coalesce(order_bumps.image, variants.image, products.main_image)`,
    is_sold_out: sql`not coalesce(
      case when products.variant_count = 0 then ${isPurchasable.product} else ${isPurchasable.variant} end, true)`,
  })} order by order_bumps.position, order_bumps.id), '[]')
  from order_bumps
  left join products on products.store_id = ${ofStore}
    and products.id = order_bumps.product_id
  left join variants on variants.store_id = ${ofStore}
    and variants.id = order_bumps.variant_id
  where order_bumps.store_id = ${ofStore}
    and order_bumps.is_active
    and (order_bumps.product_id is null or ${isForSale}
      and ${isItem(sql`order_bumps.variant_id`)})`)

const columns = flat(sql`description, store_title, face_version, test_payments,
      lowest_price_display, tax_display, ${taxColumns},
      checkout_abandon_after_minutes as abandon_after_minutes,
      ${storefrontUrl} as storefront_url,
      ${checkoutFieldsJson} as asking, (${rates}) as shipping_rates, (${methods}) as payment_methods,
      exists (select from shipping_rates where store_id = ${ofStore}) as has_own_rates,
      exists (select from payment_methods where store_id = ${ofStore}) as has_own_methods`)

const usualRates: OfferedRate[] = [{ code: 'standard', ...freeRate }]

const usualMethods: CheckoutMethod[] = [{ id: null, code: 'cod', name: null, provider: 'manual', instructions: null }]
