// Validates a discount code against a cart without taking a use.
import type { Tx } from '../../kit/database/database.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { list, object } from '../../kit/declare/composites.ts'
import type { Create, JsonSchema } from '../../kit/declare/field.ts'
import { id, integer, money, text } from '../../kit/declare/scalars.ts'
import { Decimal, toNumber } from '../../kit/values/money.ts'
import type { Json } from '../../kit/declare/resource.ts'
import { json } from '../../kit/declare/route.ts'
import { createBody } from '../../kit/declare/shape.ts'
import { sql } from '../../kit/database/sql.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { findDiscountByCode } from './operations.ts'
import { discountOf, rejections, type DiscountLine, type DiscountRejection } from './pricing.ts'

// prettier-ignore
const fields = {
  code:        text({ min: 1, max: 255 }).required().example('WELCOME10'),
  order_total: money().required().example(1500.5).describe('Order total to compare with min_order_amount'),
  items:       list(object({
    product_id: id('prod').required(),
    quantity:   integer({ min: 1, max: 1_000_000 }).required(),
    price:      money().nullable().describe("Price of one unit; defaults to the product's price"),
  }), { max: 500 }).nullable().describe('Required if the discount applies only to some products or categories'),
}

export type DiscountCart = Create<typeof fields>
export type DiscountValidation = { valid: boolean; discount_amount: number; reason: DiscountRejection | null }

export const cartBody = createBody(fields)

export const validationSchema: JsonSchema = {
  title: 'Discount validation',
  type: 'object',
  properties: {
    valid: { type: 'boolean' },
    discount_amount: { type: 'number', minimum: 0, description: 'Discount amount; 0 for free shipping' },
    reason: {
      type: ['string', 'null'],
      enum: [...rejections, null],
      description: 'Why the code does not apply; null if it does',
    },
  },
  required: ['valid', 'discount_amount', 'reason'],
}

export async function validateDiscount(tx: Tx, store: Store, cart: DiscountCart): Promise<Json<DiscountValidation>> {
  const { code, order_total, items } = cart
  const [row, lines] = await Promise.all([findDiscountByCode(tx, store.id, code), itemLines(tx, store.id, items ?? [])])
  const total = new Decimal(order_total)
  const whole = { product_id: null, category_id: null, total }
  const { amount, reason } = discountOf(row, row?.applies_to_all ? [whole] : lines, {
    currency: store.currency,
    now: tx.now,
    subtotal: total,
  })
  return json({ valid: reason === null, discount_amount: toNumber(Decimal.min(amount, total)), reason })
}

async function itemLines(tx: Tx, storeId: string, items: NonNullable<DiscountCart['items']>): Promise<DiscountLine[]> {
  if (items.length === 0) return []
  const products = await tx.rows<{ id: string; category_id: string | null; price: string }>(sql`
    select id, category_id, price
    from products
    where store_id = ${storeId}
      and id = any(${items.map(({ product_id }) => product_id)}::uuid[])`)
  const byId = new Map(products.map((product) => [product.id, product]))
  const faults = items.flatMap(({ product_id }, index) =>
    byId.has(product_id) ? [] : [fault(`items.${index}.product_id`, generalFaults.does_not_exist)],
  )
  if (faults.length > 0) throw invalid(...faults)
  return items.map(({ product_id, quantity, price }) => {
    const product = byId.get(product_id)!
    return { product_id, category_id: product.category_id, total: new Decimal(price ?? product.price).times(quantity) }
  })
}
