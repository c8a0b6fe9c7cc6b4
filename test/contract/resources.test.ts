// Section 2 of the interface: every field of every resource, with its JSON type, in the answers of every endpoint that
// gives one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld, type TestStore } from '../world.ts'

type Type = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'timestamp' | 'id'
/** A `?` behind the type: null when empty. */
type Table = Record<string, Type | `${Type}?`>

const product: Table = {
  id: 'id',
  name: 'string',
  slug: 'string',
  description: 'string?',
  price: 'number',
  compare_price: 'number?',
  main_image: 'string?',
  gallery: 'array',
  product_status: 'string',
  archived_at: 'timestamp?',
  is_featured: 'boolean',
  sku: 'string?',
  track_inventory: 'boolean',
  stock_quantity: 'integer',
  low_stock_threshold: 'integer',
  continue_selling: 'boolean',
  supplier_cost: 'number?',
  wholesale_price: 'number?',
  wholesale_min_quantity: 'integer?',
  condition: 'string',
  invoice_available: 'boolean',
  fast_shipping: 'boolean',
  warranty_months: 'integer?',
  category_id: 'id?',
  is_purchasable: 'boolean',
  has_discount: 'boolean',
  discount_percentage: 'number',
  options: 'array',
  variants: 'array',
  created_at: 'timestamp',
  updated_at: 'timestamp',
}
const variant: Table = {
  id: 'string',
  title: 'string',
  sku: 'string?',
  price: 'number?',
  compare_price: 'number?',
  stock_quantity: 'integer',
  manage_inventory: 'boolean',
  low_stock_threshold: 'integer',
  continue_selling_when_out_of_stock: 'boolean',
  image: 'string?',
  position: 'integer',
  option_values: 'array',
  is_purchasable: 'boolean',
  created_at: 'timestamp',
  updated_at: 'timestamp',
}
const category: Table = { id: 'id', name: 'string', slug: 'string', is_active: 'boolean', created_at: 'timestamp' }
const discount: Table = {
  id: 'id',
  code: 'string',
  type: 'string',
  value: 'number',
  min_order_amount: 'number',
  max_uses: 'integer',
  current_uses: 'integer',
  starts_at: 'timestamp?',
  expires_at: 'timestamp?',
  is_active: 'boolean',
  applies_to_all: 'boolean',
  applicable_product_ids: 'array',
  applicable_category_ids: 'array',
  is_expired: 'boolean',
  is_usable: 'boolean',
  has_usage_limit: 'boolean',
  created_at: 'timestamp',
  updated_at: 'timestamp',
}
const order: Table = {
  id: 'id',
  order_number: 'integer',
  status: 'string',
  payment_status: 'string',
  payment_method: 'string?',
  shipping_method: 'string?',
  currency: 'string',
  customer_id: 'id?',
  customer_name: 'string?',
  customer_phone: 'string?',
  customer_email: 'string?',
  subtotal: 'number',
  discount_amount: 'number',
  shipping_cost: 'number',
  tax_amount: 'number',
  total: 'number',
  customer_notes: 'string?',
  internal_notes: 'string?',
  shipping_address: 'object?',
  country_code: 'string?',
  is_pending: 'boolean',
  is_completed: 'boolean',
  is_cancellable: 'boolean',
  is_fully_paid: 'boolean',
  item_count: 'integer',
  completed_at: 'timestamp?',
  created_at: 'timestamp',
  updated_at: 'timestamp',
  items: 'array',
}
const address: Table = {
  name: 'string?',
  phone: 'string?',
  address: 'string?',
  city: 'string?',
  province: 'string?',
  country: 'string?',
  postal_code: 'string?',
  notes: 'string?',
}
const item: Table = {
  id: 'id',
  product_id: 'id?',
  variant_id: 'string?',
  product_name: 'string',
  variant_name: 'string?',
  quantity: 'integer',
  unit_price: 'number',
  total_price: 'number',
  created_at: 'timestamp',
  adjustments: 'array',
}
const adjustment: Table = {
  id: 'string',
  type: 'string',
  code: 'string?',
  label: 'string',
  amount: 'number',
  source_id: 'string?',
  created_at: 'timestamp',
}
const customer: Table = {
  id: 'id',
  name: 'string',
  email: 'string?',
  phone: 'string?',
  notes: 'string?',
  has_email: 'boolean',
  has_phone: 'boolean',
  display_contact: 'string',
  created_at: 'timestamp',
  updated_at: 'timestamp',
  orders_count: 'integer',
  total_spent: 'number',
  last_order_at: 'timestamp?',
  last_order_id: 'id?',
}
const inventory: Table = {
  product_id: 'id',
  sku: 'string?',
  stock_quantity: 'integer',
  track_inventory: 'boolean',
  low_stock_threshold: 'integer',
  continue_selling_when_out_of_stock: 'boolean',
  variants: 'array',
}
const variantInventory: Table = {
  variant_id: 'string',
  title: 'string',
  sku: 'string?',
  stock_quantity: 'integer',
  manage_inventory: 'boolean',
  low_stock_threshold: 'integer',
  continue_selling_when_out_of_stock: 'boolean',
  option_values: 'array',
}
const store: Table = {
  id: 'string',
  name: 'string',
  slug: 'string',
  description: 'string?',
  currency: 'string',
  country_code: 'string',
  status: 'string',
  store_title: 'string?',
  custom_domain: 'string?',
  storefront_url: 'string?',
  plan_name: 'string',
  timezone: 'string',
  maintenance_mode: 'boolean',
  domain_verified: 'boolean',
  is_active: 'boolean',
  has_custom_domain: 'boolean',
  created_at: 'timestamp',
  updated_at: 'timestamp',
}
const webhook: Table = {
  id: 'id',
  url: 'string',
  events: 'array',
  description: 'string?',
  is_active: 'boolean',
  status: 'string',
  secret_last4: 'string',
  consecutive_failures: 'integer',
  last_delivery_at: 'timestamp?',
  last_delivery_status: 'string?',
  disabled_at: 'timestamp?',
  disabled_reason: 'string?',
  created_at: 'timestamp',
  updated_at: 'timestamp',
}

const world = await openWorld({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' })
let shop: TestStore
const made: Record<string, any> = {}

shop = await world.newStore()
const { api } = shop
const create = async (path: string, body: object) => {
  const answer = await api.post(path, body)
  assert.equal(answer.status, 201, `${path}: ${JSON.stringify(answer.body)}`)
  return answer.data
}
made.category = await create('/v1/categories', { name: 'Shirts' })
made.product = await create('/v1/products', {
  name: 'Shirt',
  price: 1500.5,
  compare_price: 2000,
  sku: 'SH-1',
  track_inventory: true,
  category_id: made.category.id,
  gallery: ['https://img.example/1.jpg'],
  options: [{ title: 'Size', values: ['S'] }],
  variants: [{ sku: 'SH-1-S', stock_quantity: 5, option_values: [{ option_title: 'Size', value: 'S' }] }],
})
made.discount = await create('/v1/discounts', { code: 'welcome', type: 'percentage', value: 10 })
made.order = await create('/v1/orders', {
  items: [{ product_id: made.product.id, variant_id: made.product.variants[0].id, quantity: 2 }],
  customer_name: 'Ana Torres',
  customer_email: 'ana@example.com',
  customer_phone: '+525512345678',
  discount_code: 'WELCOME',
  shipping_address: { address: 'Calle 1', city: 'Puebla', country: 'Mexico' },
})
made.customer = (await api.get('/v1/customers')).data[0]
made.webhook = await create('/v1/webhooks', { url: 'https://127.0.0.1:9/hook', events: ['order.created'] })

test('a record has every field of its table, with its type, wherever it is answered', async () => {
  const { api } = shop
  const places: [string, Table, () => any][] = [
    ['POST /v1/products', product, () => made.product],
    [`GET /v1/products`, product, async () => (await api.get('/v1/products')).data[0]],
    [`GET /v1/products/{id}`, product, async () => (await api.get(`/v1/products/${made.product.id}`)).data],
    [
      `PATCH /v1/products/{id}`,
      product,
      async () => (await api.patch(`/v1/products/${made.product.id}`, { description: null })).data,
    ],
    ['variants of a product', variant, () => made.product.variants[0]],
    ['POST /v1/categories', category, () => made.category],
    ['POST /v1/discounts', discount, () => made.discount],
    ['GET /v1/discounts', discount, async () => (await api.get('/v1/discounts')).data[0]],
    ['GET /v1/discounts/{id}', discount, async () => (await api.get(`/v1/discounts/${made.discount.id}`)).data],
    [
      'PATCH /v1/discounts/{id}',
      discount,
      async () => (await api.patch(`/v1/discounts/${made.discount.id}`, { max_uses: 9 })).data,
    ],
    ['GET /v1/orders', order, async () => (await api.get('/v1/orders')).data[0]],
    ['GET /v1/orders/{id}', order, async () => (await api.get(`/v1/orders/${made.order.id}`)).data],
    ['shipping_address of an order', address, () => made.order.shipping_address],
    ['items of an order', item, async () => (await api.get('/v1/orders')).data[0].items[0]],
    ['adjustments of an item', adjustment, () => made.order.items[0].adjustments[0]],
    ['POST /v1/customers', customer, async () => (await api.post('/v1/customers', { name: 'Ben' })).data],
    ['GET /v1/customers', customer, () => made.customer],
    ['GET /v1/customers/{id}', customer, async () => (await api.get(`/v1/customers/${made.customer.id}`)).data],
    [
      'GET /v1/inventory/products/{productId}',
      inventory,
      async () => (await api.get(`/v1/inventory/products/${made.product.id}`)).data,
    ],
    [
      'its variants',
      variantInventory,
      async () => (await api.get(`/v1/inventory/products/${made.product.id}`)).data.variants[0],
    ],
    ['GET /v1/store', store, async () => (await api.get('/v1/store')).data],
    ['POST /v1/webhooks', webhook, () => made.webhook],
    ['GET /v1/webhooks', webhook, async () => (await api.get('/v1/webhooks')).data[0]],
  ]
  for (const [place, table, get] of places) assertFields(await get(), table, place)
})

test('ids have the prefix of their noun, a store has XX-XXXXXXXX, a variant a UUID', () => {
  const prefixes: [any, string][] = [
    [made.product, 'prod'],
    [made.category, 'cat'],
    [made.discount, 'disc'],
    [made.order, 'ord'],
    [made.order.items[0], 'item'],
    [made.customer, 'cus'],
    [made.webhook, 'wh'],
  ]
  for (const [{ id }, prefix] of prefixes) assert.match(id, new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`))
  assert.match(made.product.variants[0].id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  assert.match(shop.store.id, /^[A-Z]{2}-[0-9A-HJKMNP-TV-Z]{8}$/)
})

test('money is exact: 1500.50 twice less 10 % is 2700.90', () => {
  const { subtotal, discount_amount, shipping_cost, tax_amount, total, order_number, item_count } = made.order
  assert.deepEqual(
    { subtotal, discount_amount, shipping_cost, tax_amount, total, order_number, item_count },
    {
      subtotal: 3001,
      discount_amount: 300.1,
      shipping_cost: 0,
      tax_amount: 0,
      total: 2700.9,
      order_number: 1001,
      item_count: 2,
    },
  )
})

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const fits: Record<Type, (value: any) => boolean> = {
  string: (value) => typeof value === 'string',
  id: (value) => typeof value === 'string' && value.length > 0,
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  timestamp: (value) => typeof value === 'string' && timestamp.test(value),
}

function assertFields(record: any, table: Table, place: string): void {
  assert.ok(record, place)
  for (const [field, rule] of Object.entries(table)) {
    assert.ok(field in record, `${place} lacks ${field}`)
    const type = rule.replace('?', '') as Type
    const isRight = (rule.endsWith('?') && record[field] === null) || fits[type](record[field])
    assert.ok(isRight, `${place}: ${field} is ${JSON.stringify(record[field])}, not ${rule}`)
  }
}
