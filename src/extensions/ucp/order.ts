// An order for the agent that placed it: items, shipments and adjustments.
import { findRecord } from '../../kit/declare/page.ts'
import { notFound } from '../../kit/values/errors.ts'
import { toUuid } from '../../kit/values/ids.ts'
import type { Fulfillment } from '../../commerce/fulfillments/fulfillment.ts'
import { findActiveFulfillments } from '../../commerce/fulfillments/operations.ts'
import { orderOfLink } from '../../commerce/orders/link.ts'
import { order as orders, type Order } from '../../commerce/orders/order.ts'
import { wasPlacedElsewhere } from '../../storefront/checkout/cart/copies.ts'
import { findCheckout } from '../../storefront/checkout/cart/operations.ts'
import type { Checkout } from '../../storefront/checkout/cart/view.ts'
import { findOffer } from '../../storefront/checkout/offers/offer.ts'
import { minorUnits } from './amounts.ts'
import { firstAndLast } from './checkout/buyer.ts'
import { toUcpItemId, toUcpLines as checkoutLines, type UcpLine } from './checkout/lines.ts'
import { throwRefusal } from './checkout/operations.ts'
import { checkoutToken, envelope, buildOrderReference } from './checkout/view.ts'
import type { Visit } from './visit.ts'

type OrderSight = Pick<Visit, 'db' | 'store' | 'agent'> & { deps: Pick<Visit['deps'], 'vault'> }

/** `id`: the order's link, known only to its agent and its buyer, with its checkout. */
export async function getOrder(visit: Visit, id: string): Promise<string> {
  const { store, deps } = visit
  const [, link = '', checkout = ''] = /^([^.]*\.[^.]*)\.([^.]*)$/.exec(id) ?? []
  const uuid = orderOfLink(deps.vault, store.id, link)
  if (!uuid || !toUuid('chk', checkout)) return throwRefusal(notFound('Order'))
  return orderJson(visit, uuid, checkout).catch(throwRefusal)
}

export async function orderJson(sight: OrderSight, uuid: string, checkout: string): Promise<string> {
  const { db, store } = sight
  const token = checkoutToken(sight, checkout)
  const [{ entity: order }, parcels, offer, boughtLines, isElsewhere] = await Promise.all([
    findRecord(db, orders, store.id, uuid),
    findActiveFulfillments(db, store, uuid),
    findOffer(db, store),
    findCheckout(db, store, token).then(listBoughtLines, () => []),
    wasPlacedElsewhere(db, store.id, toUuid('chk', checkout)!),
  ])
  return JSON.stringify({
    ucp: envelope(sight, 'dev.ucp.shopping.order'),
    ...buildOrderReference(sight, offer, { order: order.id, checkout, isElsewhere }),
    label: `#${order.order_number}`,
    checkout_id: token,
    line_items: toUcpOrderLines(order, boughtLines),
    fulfillment: {
      expectations: buildExpectations(order, isElsewhere),
      events: parcels.flatMap(buildFulfillmentEvents),
    },
    adjustments: buildOrderAdjustments(order),
    currency: order.currency,
    totals: toUcpOrderTotals(order),
  })
}

/** The lines of its checkout. */
function listBoughtLines(checkout: Checkout): UcpLine[] {
  return checkoutLines({ ...checkout, order_bumps: [] })
}

/** Keeps lines whose items were removed by an edit. */
function toUcpOrderLines({ items, currency }: Order, boughtLines: readonly UcpLine[]): object[] {
  const ids = items.map(knownItem)
  const removedLines = boughtLines.filter(({ item }) => !ids.includes(item.id))
  return [...items.map((item) => toUcpOrderLine(item, currency, boughtLines)), ...removedLines.map(removedLine)]
}

function removedLine({ id, item, quantity }: UcpLine): object {
  return {
    id,
    item,
    quantity: { original: quantity, total: 0, fulfilled: 0 },
    totals: [
      { type: 'subtotal', amount: 0 },
      { type: 'total', amount: 0 },
    ],
    status: 'removed',
  }
}

type BoughtItem = Order['items'][number]

function knownItem({ id, product_id, variant_id }: BoughtItem): string {
  return product_id ? toUcpItemId({ product_id, variant_id }) : id
}

function toUcpOrderLine(item: BoughtItem, currency: string, boughtLines: readonly UcpLine[]): object {
  const { fulfilled_quantity: fulfilledQuantity } = item
  const id = knownItem(item)
  const original = boughtLines.find((line) => line.item.id === id)?.quantity ?? item.quantity
  const total = countExpectedUnits(item)
  const amount = minorUnits(item.total_price, currency)
  return {
    id: item.id,
    item: {
      id,
      title: item.variant_name ? `${item.product_name}, ${item.variant_name}` : item.product_name,
      price: minorUnits(item.unit_price, currency),
    },
    quantity: { original, total, fulfilled: fulfilledQuantity },
    totals: [
      { type: 'subtotal', amount },
      { type: 'total', amount },
    ],
    status:
      total === 0
        ? 'removed'
        : fulfilledQuantity === total
          ? 'fulfilled'
          : fulfilledQuantity > 0
            ? 'partial'
            : 'processing',
  }
}

/** Units refunded before shipping are not expected anymore. */
function countExpectedUnits({ fulfilled_quantity: sent, fulfillable_quantity: left }: BoughtItem): number {
  return sent + left
}

/** Only its buyer sees the destination of an order placed elsewhere. */
function buildExpectations(order: Order, isElsewhere: boolean): object[] {
  const lines = order.items
    .map((item) => ({ id: item.id, quantity: countExpectedUnits(item) }))
    .filter(({ quantity }) => quantity > 0)
  const { shipping_address: place, country_code, status } = order
  if (lines.length === 0 || ['cancelled', 'returned'].includes(status)) return []
  const parts = Object.entries({
    ...firstAndLast(place?.name ?? order.customer_name),
    street_address: place?.address,
    extended_address: place?.address_2,
    address_locality: place?.city,
    address_region: place?.province,
    address_country: country_code,
    postal_code: place?.postal_code,
  }).filter(([, part]) => part)
  const method_type = place?.address ? 'shipping' : 'pickup'
  const destination = isElsewhere ? {} : Object.fromEntries(parts)
  return [{ id: 'delivery', line_items: lines, method_type, destination }]
}

function buildFulfillmentEvents(parcel: Fulfillment): object[] {
  const { tracking_number, tracking_url, carrier } = parcel
  const own = Object.entries({ tracking_number, tracking_url, carrier }).filter(([, value]) => value !== null)
  const event = (type: string, occurred_at: unknown) => ({
    id: `${parcel.id}:${type}`,
    type,
    occurred_at,
    line_items: parcel.items.map(({ item_id, quantity }) => ({ id: item_id, quantity })),
    ...Object.fromEntries(own),
  })
  return [
    event('shipped', parcel.shipped_at),
    ...(parcel.delivered_at === null ? [] : [event('delivered', parcel.delivered_at)]),
  ]
}

function buildOrderAdjustments({ refunded_amount, currency, updated_at, cancelled_at }: Order): object[] {
  const refund = {
    id: 'refund',
    type: 'refund',
    occurred_at: updated_at,
    status: 'completed',
    totals: [{ type: 'total', amount: -minorUnits(refunded_amount, currency) }],
  }
  const cancellation = { id: 'cancellation', type: 'cancellation', occurred_at: cancelled_at, status: 'completed' }
  return [...(refunded_amount > 0 ? [refund] : []), ...(cancelled_at === null ? [] : [cancellation])]
}

function toUcpOrderTotals({ subtotal, discount_amount, shipping_cost, tax_amount, total, currency }: Order): object[] {
  const units = (amount: number) => minorUnits(amount, currency)
  return [
    { type: 'subtotal', amount: units(subtotal) },
    ...(discount_amount > 0 ? [{ type: 'discount', amount: -units(discount_amount) }] : []),
    { type: 'fulfillment', amount: units(shipping_cost) },
    ...(tax_amount > 0 ? [{ type: 'tax', amount: units(tax_amount) }] : []),
    { type: 'total', amount: units(total) },
  ]
}
