// The rules exist in SQL and in TypeScript. This test compares both for every kind of item.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from '../../../test/world.ts'
import { product } from '../catalog/product.ts'
import { publicProduct } from '../catalog/public.ts'
import { variant } from '../catalog/variant.ts'
import { findOffer } from '../../storefront/checkout/offers/offer.ts'
import { sql } from '../../kit/database/sql.ts'
import { insertRows } from '../../kit/declare/row.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { lookUpLines } from '../orders/lines.ts'
import { toAvailability, isPurchasable, stockLeft } from './availability.ts'
import { moveStock } from './stock.ts'

const world = await openWorld()
const { db } = world.app

type Stock = { isTracked: boolean; continues: boolean; stock: number }
type VariantRow = ReturnType<typeof variantRow>
type ProductRow = ReturnType<typeof productRow> & { variants: VariantRow[] }
type Item = { product: ProductRow; variant?: VariantRow }

const both = [true, false]
const statuses = ['draft', 'active', 'archived']
const lowStock = 2
const quantities = [1, 2, 4]
const stocks: Stock[] = both.flatMap((isTracked) =>
  both.flatMap((continues) => [-1, 0, 1, 2, 3, 4].map((stock) => ({ isTracked, continues, stock }))),
)

function productRow(product_status: string, { isTracked, continues, stock }: Stock, variant_count: number) {
  const id = newUuid()
  return {
    id,
    name: 'Mug',
    slug: `mug-${id}`,
    price: 10,
    product_status,
    track_inventory: isTracked,
    continue_selling: continues,
    stock_quantity: stock,
    low_stock_threshold: lowStock,
    variant_count,
  }
}

function variantRow(product_id: string, { isTracked, continues, stock }: Stock, position: number) {
  return {
    id: newUuid(),
    product_id,
    title: 'Red',
    position,
    option_values: [],
    manage_inventory: isTracked,
    continue_selling_when_out_of_stock: continues,
    stock_quantity: stock,
    low_stock_threshold: lowStock,
  }
}

/** A product with variants has the sum of their stock; its own flags have no effect. */
function productOf(status: string, own: Omit<Stock, 'stock'>, variants: Stock[]): ProductRow {
  const sum = variants.reduce((all, { stock }) => all + stock, 0)
  const row = productRow(status, { ...own, stock: sum }, variants.length)
  return { ...row, variants: variants.map((one, index) => variantRow(row.id, one, index)) }
}

const products: ProductRow[] = [
  ...statuses.flatMap((status) => stocks.map((one) => ({ ...productRow(status, one, 0), variants: [] }))),
  ...statuses.flatMap((status) =>
    both.flatMap((isTracked) =>
      both.flatMap((continues) => stocks.map((one) => productOf(status, { isTracked, continues }, [one]))),
    ),
  ),
  ...stocks.flatMap((first) =>
    stocks.map((second) => productOf('active', { isTracked: true, continues: false }, [first, second])),
  ),
]
const items: Item[] = products.flatMap((product): Item[] =>
  product.variants.length === 0 ? [{ product }] : product.variants.map((variant) => ({ product, variant })),
)
const nameOf = ({ product, variant }: Item) =>
  JSON.stringify({ ...product, variants: product.variants.length, variant })

async function written() {
  const { store } = await world.newStore()
  await db.transaction(async (tx) => {
    const same = { store_id: store.id, created_at: tx.now, updated_at: tx.now, search_text: 'x' }
    const types = { store_id: 'text', search_text: 'text', variant_count: 'int', product_id: 'uuid' }
    const { variants: _, ...columns } = products[0]!
    await tx.rows(insertRows(product, Object.keys(columns), products, { same, types }))
    const variants = products.flatMap(({ variants }) => variants)
    await tx.rows(insertRows(variant, Object.keys(variants[0]!), variants, { same, types }))
  })
  return store
}

/** The results of the SQL rules for every row, by ID. */
async function answers(storeId: string) {
  type Answer = { id: string; sells: boolean; left: number | null }
  const [ofProducts, ofVariants] = await Promise.all([
    db.rows<Answer>(sql`
      select id, ${isPurchasable.product} as sells, ${stockLeft.product} as left
      from products
      where store_id = ${storeId}`),
    db.rows<Answer>(sql`
      select id, ${isPurchasable.variant} as sells, ${stockLeft.variant} as left
      from variants
      where store_id = ${storeId}`),
  ])
  return new Map([...ofProducts, ...ofVariants].map((answer) => [answer.id, answer]))
}

const hasSome = (left: number | null, quantity = 1) => left === null || left >= quantity
const store = await written()
const answered = await answers(store.id)

test('what can be bought, and how few are left, is the same in SQL as in TypeScript', () => {
  assert.equal(answered.size, products.length + items.filter(({ variant }) => variant).length)
  for (const item of items) {
    const { isForSale, isItem, left } = toAvailability(item.product, item.variant)
    const few = left !== null && left > 0 && left <= lowStock ? left : null
    const { sells, left: told } = answered.get((item.variant ?? item.product).id)!
    assert.deepEqual([sells, told, isItem], [isForSale && hasSome(left), few, true], nameOf(item))
  }
})

test('a product can be bought when one of its variants can', () => {
  for (const product of products.filter(({ variants }) => variants.length > 0)) {
    const { isForSale, isItem } = toAvailability(product)
    const sells = product.variants.some((variant) => hasSome(toAvailability(product, variant).left))
    const expected = { id: product.id, sells: isForSale && sells, left: null }
    assert.deepEqual([answered.get(product.id), isItem], [expected, false], nameOf({ product }))
  }
})

test('an order takes what can be bought, and no more than there is', async () => {
  for (const quantity of quantities) {
    const asked = items.map(({ product, variant }) => ({ product_id: product.id, variant_id: variant?.id, quantity }))
    const { faults } = await lookUpLines(db, store, asked)
    const refused = new Map(faults.map(({ field, code }) => [Number(field.split('.')[1]), code]))
    items.forEach((item, index) => {
      const { isForSale, left } = toAvailability(item.product, item.variant)
      const short = left === 0 ? 'sold_out' : 'only_left'
      const code = !isForSale ? 'not_for_sale' : hasSome(left, quantity) ? undefined : short
      assert.equal(refused.get(index), code, nameOf(item))
      if (quantity > 1) return
      assert.equal(refused.has(index), !answered.get((item.variant ?? item.product).id)!.sells, nameOf(item))
    })
  }
})

test('stock moves for what is left, and is refused beyond it', async () => {
  class Enough extends Error {}
  for (const quantity of quantities) {
    const tracked = items.filter(({ product, variant }) => toAvailability(product, variant).isTracked)
    const moves = tracked.map(({ product, variant }) => ({
      product_id: product.id,
      variant_id: variant?.id ?? null,
      quantity: -quantity,
    }))
    const moving = db.transaction(async (tx) => {
      const actor = { kind: 'system', id: 'test' } as const
      const refused = new Set(await moveStock(tx, store.id, moves, { reason: 'sale', actor }))
      tracked.forEach((item, index) => {
        const { left } = toAvailability(item.product, item.variant)
        assert.equal(refused.has(index), !hasSome(left, quantity), nameOf(item))
      })
      throw new Enough()
    })
    await assert.rejects(moving, Enough)
  }
})

test('an order bump is offered while its product is for sale, and sold out when that cannot be bought', async () => {
  const named: Item[] = [
    ...items,
    ...products.filter(({ variants }) => variants.length > 0).map((product) => ({ product })),
  ]
  const rows = named.map((item) => ({ item, id: newUuid() }))
  await db.transaction((tx) =>
    tx.rows(sql`
      insert into order_bumps (store_id, id, title, product_id, variant_id, created_at, updated_at)
      select ${store.id}, id, 'Too', product_id, variant_id, ${tx.now}, ${tx.now}
      from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ item }) => item.product.id)}::uuid[],
        ${rows.map(({ item }) => item.variant?.id ?? null)}::uuid[]) as bump (id, product_id, variant_id)`),
  )
  const { order_bumps } = await findOffer(db, store)
  const offered = new Map(order_bumps.map(({ id, is_sold_out }) => [id, is_sold_out]))
  for (const { item, id } of rows) {
    const { isForSale, isItem, left } = toAvailability(item.product, item.variant)
    assert.equal(offered.get(id), isForSale && isItem ? !hasSome(left) : undefined, nameOf(item))
  }
})

test('every list and page asks the same expressions', () => {
  const expressions = [product, publicProduct, variant].map(({ fields }) => fields.is_purchasable.spec.expression)
  assert.deepEqual(expressions, [isPurchasable.product, isPurchasable.product, isPurchasable.variant])
})
