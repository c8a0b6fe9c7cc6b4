// A program over the generated client: that it compiles is half of the test.
import { client } from './client/client.gen.js'
import { createOrder, createProduct, createWebhook, getProduct, listEvents, listProducts } from './client/index.js'
import type { Event, OrderCreatedPayload, Product } from './client/index.js'

export async function use(baseUrl: string, key: string): Promise<object> {
  client.setConfig({ baseUrl, auth: (scheme) => (scheme.type === 'apiKey' ? key : undefined) })
  const made = await createProduct({
    headers: { 'Idempotency-Key': 'usage-1' },
    body: {
      name: 'Shirt',
      price: 20,
      gallery: ['https://images.example/front.jpg', { url: 'https://images.example/back.jpg', alt_text: 'Back' }],
      variants: [{ option_values: [{ option_title: 'Size', value: 'M' }], stock_quantity: 5 }],
    },
  })
  if (made.error) throw new Error(made.error.error.message)
  const product: Product = made.data.data
  const [front] = product.gallery
  const image: { id: string; url: string; position: number } | undefined = front
  const positions: number[] = product.options.map((option) => option.position)
  const { data: list } = await listProducts({ query: { 'price[gte]': 10, sort: 'price', per_page: 5 } })
  const refused = await createProduct({ body: { name: 'Free', price: 0 } })
  const unknown = await getProduct({ path: { id: 'prod_none' } })
  const variant_id = product.variants[0]!.id
  const placed = await createOrder({ body: { items: [{ product_id: product.id, variant_id, quantity: 2 }] } })
  const webhook = await createWebhook({ body: { url: 'http://insecure.example', events: ['order.created'] } })
  const { data: events } = await listEvents({ query: { types: 'product.created,order.created' } })
  return {
    image,
    positions,
    total: list?.pagination.total,
    refused: refused.error && faultsOf(refused.error.error),
    unknown: unknown.error?.error.code,
    order_total: placed.data?.data.total,
    webhook: webhook.error && 'code' in webhook.error.error ? webhook.error.error.code : null,
    events: events?.data.map(describe),
  }
}

function faultsOf(error: { code: string; details?: unknown }): unknown {
  return { code: error.code, details: error.details }
}

/** The union by `event` narrows its body. */
function describe({ sequence, ...event }: Event): string {
  switch (event.event) {
    case 'product.created':
      return event.body ? `${event.body.product.name} costs ${event.body.product.price.toFixed(2)}` : 'hidden'
    case 'order.created':
      return event.body ? totalOf(event.body) : 'hidden'
    case 'order.updated':
      return `${sequence}: ${event.body?.order.status ?? 'unchanged'}`
    default:
      return event.event
  }
}

function totalOf({ order, customer }: OrderCreatedPayload): string {
  const [line] = order.items
  return `${order.order_number}: ${line?.quantity} × ${line?.unit_price} for ${customer.name ?? 'nobody'}`
}
