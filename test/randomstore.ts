// A store with products, customers, discounts and orders at random, as other programs and careless people fill them.
import type { randomBy } from './random.ts'
import { dataOf } from './shop.ts'
import type { TestStore, World } from './world.ts'

type Random = ReturnType<typeof randomBy>

const pieces = [
  '=1+1',
  "'=x",
  '+49',
  '-5',
  '@cmd',
  '＝1',
  ';-x',
  '; =y',
  '\n- a list',
  '\r\n',
  '\n',
  '"',
  '""',
  ',',
  "'",
  ' ',
  '\t',
  ';',
  'é',
  '☃ 𝒳',
  '[1, 2]',
  '{"a":1}',
  'true',
  '007',
  '1.000',
  'null',
  'Default',
  '#1001',
  'x'.repeat(60),
]

/** A text of some of these pieces; never blank. */
function textBy(random: Random, most = 4): string {
  const some = Array.from({ length: 1 + random.below(most) }, () => random.pick(pieces)).join('')
  return some.trim() === '' ? `${some}a` : some
}

export async function randomStore(world: World, { api }: TestStore, random: Random): Promise<void> {
  const maybe = <T>(value: () => T): T | undefined => (random.below(2) === 0 ? value() : undefined)
  const text = (most?: number) => textBy(random, most)
  const money = () => (1 + random.below(100_000)) / 100
  const flag = () => random.below(2) === 0
  const some = <T>(list: readonly T[]): T[] => list.filter(() => random.below(3) === 0)
  const create = async (path: string, body: object) => {
    // More is written than a minute allows.
    world.clock.advance(5)
    return dataOf(await api.post(path, body), 201)
  }

  const categories: { id: string }[] = []
  for (let count = 0; count < 3; count++)
    categories.push(await create('/v1/categories', { name: `Category ${count}, ${text(2)}` }))
  const image = () => `https://cdn.example/${random.below(1000)}.jpg`
  const shared = () => ({
    barcode: maybe(() => String(random.below(1e9))),
    weight: maybe(() => random.below(5000)),
    requires_shipping: maybe(() => random.below(3) > 0),
    country_of_origin: maybe(() => random.pick(['IT', 'DE', 'MX'])),
    hs_code: maybe(() => '4202.92'),
    unit_pricing_measure: maybe(() => '750 ml'),
    available_on: maybe(() => '2031-01-05'),
    compare_price: maybe(money),
    low_stock_threshold: random.below(9),
  })
  const variantsOf = (product: number) => {
    const titles = ['Color', `Size ${text(1)}`, '=Fit'].slice(0, random.below(4))
    const count = titles.length === 0 ? random.below(2) : 1 + random.below(4)
    return Array.from({ length: count }, (_, index) => ({
      ...shared(),
      option_values: titles.map((option_title, at) => ({
        option_title,
        value: at === 0 ? `Value ${index}` : `-${index % 2}`,
      })),
      title: maybe(text),
      sku: maybe(() => `=SKU-${product}-${index}`),
      price: maybe(money),
      stock_quantity: random.below(50),
      manage_inventory: flag(),
      continue_selling_when_out_of_stock: flag(),
      image: maybe(image),
    }))
  }
  const products: { id: string }[] = []
  for (let count = 0; count < 14; count++) {
    const variants = maybe(() => variantsOf(count)) ?? []
    products.push(
      await create('/v1/products', {
        ...shared(),
        name: text(),
        slug: maybe(() => `product-${random.below(1e6)}-${count}`),
        description: maybe(() => text(12)),
        seo_title: maybe(() => text(1)),
        seo_description: maybe(() => text(2)),
        price: money(),
        brand: maybe(() => text(1)),
        tags: some(['summer', '-sale', '=x', 'two words', "'quoted'", '[a']),
        gallery: Array.from({ length: random.below(4) }, () => ({
          url: image(),
          alt_text: maybe(text),
          poster: maybe(image),
        })),
        main_image: maybe(image),
        product_status: random.pick(['active', 'draft', 'archived']),
        is_featured: flag(),
        sku: maybe(() => `SKU-${count}`),
        track_inventory: flag(),
        continue_selling: flag(),
        ...(variants.length > 0 ? { variants } : { stock_quantity: random.below(50) }),
        supplier_cost: maybe(money),
        wholesale_price: maybe(money),
        wholesale_min_quantity: maybe(() => random.below(20)),
        condition: random.pick(['new', 'used', 'refurbished']),
        invoice_available: flag(),
        warranty_months: maybe(() => random.below(48)),
        category_id: maybe(() => random.pick(categories).id),
      }),
    )
  }
  for (const name of ['Summer', `-A, B ${text(1)}`]) {
    const { id } = await create('/v1/collections', { name })
    const product_ids = some(products).map((one) => one.id)
    if (product_ids.length > 0) dataOf(await api.post(`/v1/collections/${id}/products`, { product_ids }), 200)
  }

  for (const path of ['/old', '/-old/=x', `/old/${encodeURIComponent(text(1))}?p=1`, '/caf%C3%A9 "2"']) {
    await create('/v1/redirects', { path, target: random.pick(['/', '/products/a-b?x=,', 'https://shop.example/;']) })
  }

  const groups: { id: string }[] = []
  for (const name of ['VIP', `-G, ${text(1)}`]) groups.push(await create('/v1/customer-groups', { name }))

  for (let count = 0; count < 8; count++) {
    await create('/v1/customers', {
      group_ids: some(groups).map(({ id }) => id),
      // Without email and phone, a customer is known by the name.
      name: `${text()} ${count}`,
      email: maybe(() => `Customer${count}@example.com`),
      phone: maybe(() => `+1 555 010 ${1000 + count}`),
      notes: maybe(() => text(8)),
      tags: some(['vip', '@home', 'two words']),
      tax_id: maybe(() => 'DE111111125'),
      tax_exempt: flag(),
      accepts_marketing: flag(),
      addresses: Array.from({ length: random.below(3) }, (_, index) => ({
        name: maybe(text),
        address: `${text()} ${index}`,
        address_2: maybe(text),
        city: maybe(() => text(1)),
        province: maybe(() => 'Yucatán'),
        country_code: maybe(() => random.pick(['MX', 'DE'])),
        is_default_billing: flag(),
      })),
    })
  }

  for (let count = 0; count < 6; count++) {
    const type = random.pick(['percentage', 'fixed_amount', 'free_shipping', 'buy_x_get_y'])
    const ids = (list: { id: string }[]) => some(list).map(({ id }) => id)
    await create('/v1/discounts', {
      code: `${random.pick(['-', '', '_'])}CODE${count}`,
      type,
      value: type === 'free_shipping' ? 0 : type === 'fixed_amount' ? money() : 0.5 + random.below(99),
      title: maybe(() => text(1)),
      is_automatic: flag(),
      min_order_amount: money(),
      once_per_customer: flag(),
      customer_group_ids: ids(groups),
      max_uses: random.below(5),
      starts_at: maybe(() => `2026-01-0${1 + random.below(9)}T10:00:00.123Z`),
      expires_at: maybe(() => '2030-02-01T00:00:00+02:00'),
      is_active: flag(),
      ...(flag() ? { applicable_product_ids: ids(products), applicable_category_ids: ids(categories) } : {}),
      ...(type === 'buy_x_get_y'
        ? { buy_quantity: 2, buy_product_ids: ids(products), buy_category_ids: ids(categories) }
        : {}),
      combines_with: some(['product', 'order', 'shipping']),
    })
  }

  for (let count = 0; count < 10; count++) {
    const address = {
      name: maybe(text) ?? null,
      phone: maybe(() => '+49 30 1') ?? null,
      address: text(),
      address_2: maybe(text),
      city: text(1),
      province: maybe(() => text(1)),
      postal_code: maybe(() => '01067'),
      country: random.pick(['DE', 'México', 'US']),
      company: maybe(text),
      notes: maybe(text),
    }
    const payment_status = random.pick(['pending', 'paid', 'paid', 'failed'])
    const { id, items } = await create('/v1/orders', {
      status: random.pick(['pending', 'confirmed', 'in_progress', 'completed']),
      payment_status,
      payment_method: maybe(() => 'bank_transfer'),
      customer_name: maybe(text),
      customer_email: maybe(() => `buyer${random.below(4)}@example.com`),
      customer_phone: maybe(() => '+1 555 010 7777'),
      tax_id: maybe(() => 'DE111111125'),
      discount_amount: maybe(() => 0.5),
      shipping_cost: maybe(money),
      tax_amount: maybe(money),
      locale: maybe(() => 'de'),
      customer_notes: maybe(() => text(6)),
      internal_notes: maybe(() => text(6)),
      shipping_address: maybe(() => address),
      tags: some(['gift', '=1', 'a b']),
      is_archived: flag(),
      custom_fields: maybe(() => [{ label: text(), value: [1, text()] }]),
      items: Array.from({ length: 1 + random.below(3) }, () => ({
        product_name: text(),
        variant_name: maybe(text),
        quantity: 1 + random.below(3),
        unit_price: money(),
      })),
    })
    const change = (body: object) => api.patch(`/v1/orders/${id}`, body).then((answer) => dataOf(answer, 200))
    if (payment_status === 'paid' && flag()) await change({ payment_status: 'refunded' })
    else if (flag()) {
      const whole = items.map((item: any) => ({ item_id: item.id, quantity: item.quantity }))
      await create(`/v1/orders/${id}/fulfillments`, { items: whole })
    }
    if (random.below(4) === 0) await api.patch(`/v1/orders/${id}`, { status: 'cancelled' })
  }
}
