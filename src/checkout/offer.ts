// What a store offers at its checkout: tax, shipping rates, payment methods and order bumps, as it has set them up.
import type { Db } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'
import { hasFeature } from '../plans/plan.ts'
import type { PaymentProviderName } from '../stores/paymentmethod.ts'
import type { Store } from '../stores/store.ts'

/** `name` null: the usual name of a built-in code, in the shopper's language. Amounts are decimal texts. */
export type Rate = {
  code: string
  name: string | null
  description: string | null
  price: string
  free_from: string | null
  country_codes: string[]
  requires_address: boolean
}

export type Method = { code: string; name: string | null; provider: PaymentProviderName; instructions: string | null }

/** A bump without a product is carried beside the items. `price` is what it costs here. */
export type Bump = {
  id: string
  title: string
  description: string | null
  price: string
  product_id: string | null
  variant_id: string | null
  image: string | null
}

export type Offer = {
  description: string | null
  store_title: string | null
  storefront_url: string
  tax_rate: string
  tax_included: boolean
  tax_shipping: boolean
  /** null: what the operator has set. */
  abandon_after_minutes: number | null
  shipping_rates: Rate[]
  payment_methods: Method[]
  order_bumps: Bump[]
  /** False: nothing is set up, and the usual ones are offered; then none need be chosen. */
  has_own_rates: boolean
  has_own_methods: boolean
}

type Row = Omit<Offer, 'has_own_rates' | 'has_own_methods'>

/** In one statement: it travels with whatever else a transaction begins with. */
export function findOffer(db: Db, store: Store): Promise<Offer> {
  const offered = loadOffer(db, store)
  // Whoever began it first may have failed by then, and an unheard rejection would end the process.
  offered.catch(() => {})
  return offered
}

async function loadOffer(db: Db, store: Store): Promise<Offer> {
  const row = (await db.one<Row>(sql`
    select description, store_title, tax_rate, tax_included, tax_shipping,
      checkout_abandon_after_minutes as abandon_after_minutes,
      case when domain_verified then 'https://' || custom_domain
           else current_setting('stoa.base_url', true) || '/s/' || slug end as storefront_url,
      (${rates}) as shipping_rates, (${methods}) as payment_methods, (${bumps}) as order_bumps
    from stores
    where id = ${store.id}`))!
  return {
    ...row,
    shipping_rates: row.shipping_rates.length > 0 ? row.shipping_rates : usualRates,
    payment_methods: row.payment_methods.length > 0 ? row.payment_methods : usualMethods,
    order_bumps: hasFeature(store.plan, 'order_bumps') ? row.order_bumps : [],
    has_own_rates: row.shipping_rates.length > 0,
    has_own_methods: row.payment_methods.length > 0,
  }
}

const rates = sql`
  select coalesce(json_agg(json_build_object('code', code, 'name', name, 'description', description,
    'price', price::text, 'free_from', free_from::text, 'country_codes', country_codes,
    'requires_address', requires_address)
    order by position, id), '[]')
  from shipping_rates
  where store_id = stores.id
    and is_active`

const methods = sql`
  select coalesce(json_agg(json_build_object('code', code, 'name', name, 'provider', provider,
    'instructions', instructions)
    order by position, id), '[]')
  from payment_methods
  where store_id = stores.id
    and is_active`

// One whose product is not for sale, or has got variants since, is not offered.
const bumps = sql`
  select coalesce(json_agg(json_build_object('id', order_bumps.id, 'title', order_bumps.title,
    'description', order_bumps.description, 'price', coalesce(order_bumps.price, variants.price, products.price)::text,
    'product_id', order_bumps.product_id, 'variant_id', order_bumps.variant_id,
    'image', coalesce(order_bumps.image, variants.image, products.main_image))
    order by order_bumps.position, order_bumps.id), '[]')
  from order_bumps
  left join products on products.store_id = order_bumps.store_id
    and products.id = order_bumps.product_id
  left join variants on variants.store_id = order_bumps.store_id
    and variants.id = order_bumps.variant_id
  where order_bumps.store_id = stores.id
    and order_bumps.is_active
    and (order_bumps.product_id is null or products.product_status = 'active'
      and case when products.variant_count = 0 then order_bumps.variant_id is null else variants.id is not null end)`

const usualRates: Rate[] = [
  {
    code: 'standard',
    name: null,
    description: null,
    price: '0',
    free_from: null,
    country_codes: [],
    requires_address: false,
  },
]

const usualMethods: Method[] = [
  { code: 'cod', name: null, provider: 'manual', instructions: null },
  { code: 'bank_transfer', name: null, provider: 'manual', instructions: null },
]
