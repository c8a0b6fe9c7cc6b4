// Validates a discount code against a cart without taking a use.
import type { Tx } from '../../kit/database/database.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { list, object } from '../../kit/declare/composites.ts'
import type { Create, JsonSchema } from '../../kit/declare/field.ts'
import { email, id, integer, money, text } from '../../kit/declare/scalars.ts'
import { Decimal, toNumber } from '../../kit/values/money.ts'
import type { Json } from '../../kit/declare/resource.ts'
import { json } from '../../kit/declare/route.ts'
import { createBody } from '../../kit/declare/shape.ts'
import { sql } from '../../kit/database/sql.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { checkNames, buildDiscountChecks, formatCheckSentence, type DiscountRuleName } from './checks.ts'
import { computeDiscount, rejections, type DiscountLine, type DiscountRejection } from './pricing.ts'
import { findDiscountByCode, listDiscountGroupNames } from './uses.ts'

// prettier-ignore
const fields = {
  code:           text({ min: 1, max: 255 }).required().example('WELCOME10'),
  order_total:    money().required().example(1500.5).describe('Order total to compare with min_order_amount'),
  items:          list(object({
    product_id: id('prod').required(),
    quantity:   integer({ min: 1, max: 1_000_000 }).required(),
    price:      money().nullable().describe("Price of one unit; defaults to the product's price"),
  }), { max: 500 }).nullable()
    .describe('Required if the discount depends on products, categories or quantities'),
  customer_id:    id('cus').nullable().describe('Customer, for once_per_customer and customer_group_ids'),
  customer_email: email().nullable().personal()
    .describe('Email of the customer, for once_per_customer and customer_group_ids'),
}

export type DiscountCart = Create<typeof fields>
export type DiscountValidation = {
  valid: boolean
  discount_amount: number
  reason: DiscountRejection | null
  rules: { rule: DiscountRuleName; is_met: boolean; message: string }[]
}

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
    rules: {
      type: 'array',
      description: 'The rules of the discount, and whether the cart meets each; empty if the code does not exist',
      items: {
        type: 'object',
        properties: {
          rule: { type: 'string', enum: checkNames },
          is_met: { type: 'boolean', description: 'Whether the cart meets the rule' },
          message: { type: 'string', description: 'What the rule asks for' },
        },
        required: ['rule', 'is_met', 'message'],
      },
    },
  },
  required: ['valid', 'discount_amount', 'reason', 'rules'],
}

async function requireCustomer(tx: Tx, storeId: string, id: string | null | undefined): Promise<void> {
  if (!id) return
  const customer = await tx.one(sql`
    select
    from customers
    where store_id = ${storeId}
      and id = ${id}`)
  if (!customer) throw invalid(fault('customer_id', generalFaults.does_not_exist))
}

/** Checks the discount alone: the checkout decides about combinations. */
export async function validateDiscount(tx: Tx, store: Store, cart: DiscountCart): Promise<Json<DiscountValidation>> {
  const { code, order_total, items, customer_id, customer_email } = cart
  const buyer = { id: customer_id ?? null, email: customer_email ?? null }
  const [row, lines] = await Promise.all([
    findDiscountByCode(tx, store, code, buyer),
    itemLines(tx, store.id, items ?? []),
    requireCustomer(tx, store.id, customer_id),
  ])
  const total = new Decimal(order_total)
  const whole = { product_id: null, category_id: null, total }
  const context = { currency: store.currency, now: tx.now, subtotal: total }
  // A total without items is that of one item.
  const isPlain = row?.applies_to_all && row.type !== 'buy_x_get_y' && row.min_quantity === 0
  const cartLines = isPlain || (row?.applies_to_all && lines.length === 0) ? [whole] : lines
  const { amount, reason } = computeDiscount(row, cartLines, context)
  const groups = row && row.customer_group_ids.length > 0 ? await listDiscountGroupNames(tx, store.id, row.id) : []
  const checks = row ? buildDiscountChecks(row, cartLines, { ...context, groups }) : []
  return json({
    valid: reason === null,
    discount_amount: toNumber(Decimal.min(amount, total)),
    reason,
    rules: checks.map((check) => ({ rule: check.rule, is_met: check.is_met, message: formatCheckSentence(check) })),
  })
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
    const total = new Decimal(price ?? product.price).times(quantity)
    return { product_id, category_id: product.category_id, quantity, total }
  })
}
