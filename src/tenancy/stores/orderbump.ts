// An order bump: an offer at checkout. With a product, it becomes a line of the order; otherwise it is kept beside the
// lines.
import type { Tx } from '../../kit/database/database.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { flag, id, integer, money, text, time, url, uuid } from '../../kit/declare/scalars.ts'
import { resource } from '../../kit/declare/resource.ts'
import { sql } from '../../kit/database/sql.ts'
import type { CheckoutSetting } from './setting.ts'
import type { Store } from './store.ts'
import { storeFaults } from './errors.ts'

const maxBumps = 50

// prettier-ignore
export const orderBump = resource('order_bumps', {
  id:          id('bump').readonly(),
  title:       text({ min: 1, max: 120 }).required().example('Gift wrapping'),
  description: text({ max: 500 }).nullable(),
  price:       money().nullable().example(49).describe('Price of the offer; if null, the price of its product applies'),
  product_id:  id('prod').nullable(),
  variant_id:  uuid().nullable().describe('Required for a product with variants'),
  image:       url().nullable(),
  position:    integer({ min: 0, max: 1000 }).default(0).sortable(),
  is_active:   flag().default(true),
  created_at:  time().readonly(),
  updated_at:  time().readonly(),
}, {}, { noun: 'Order bump', defaultSort: 'position', defaultOrder: 'asc' })

export const orderBumps: CheckoutSetting = {
  resource: orderBump,
  path: '/store/order-bumps',
  plural: 'order bumps',
  maximum: maxBumps,
  feature: 'order_bumps',
  refusals: () => ({
    order_bumps_price: () => invalid(fault('price', storeFaults.price_required)),
    order_bumps_product: () => invalid(fault('product_id', generalFaults.does_not_exist)),
    order_bumps_variant: () => invalid(fault('variant_id', generalFaults.does_not_exist)),
  }),
  check: checkVariant,
}

async function checkVariant(tx: Tx, store: Store, id: string): Promise<void> {
  type BumpRow = { variant_id: string | null; variant_count: number | null; is_variant: boolean }
  const bump = (await tx.one<BumpRow>(sql`
    select order_bumps.variant_id, products.variant_count,
      exists (
        select from variants
        where variants.store_id = ${store.id}
          and variants.id = order_bumps.variant_id
          and variants.product_id = order_bumps.product_id) as is_variant
    from order_bumps
    left join products on products.store_id = ${store.id}
      and products.id = order_bumps.product_id
    where order_bumps.store_id = ${store.id}
      and order_bumps.id = ${id}`))!
  if (bump.variant_id && !bump.is_variant) {
    throw invalid(fault('variant_id', storeFaults.variant_foreign))
  }
  if (!bump.variant_id && bump.variant_count) {
    throw invalid(fault('variant_id', storeFaults.variant_required))
  }
}
