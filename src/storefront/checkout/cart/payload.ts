// Event bodies of checkouts.
import { complete, list } from '../../../kit/declare/composites.ts'
import { toEntity, pick } from '../../../kit/declare/row.ts'
import { flag, time, url } from '../../../kit/declare/scalars.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { sum, toNumber } from '../../../kit/values/money.ts'
import { declareEvents, type Payload } from '../../../tenancy/events/event.ts'
import { customerFields } from '../../../commerce/customers/payload.ts'
import { completeAddress } from '../../../commerce/orders/address.ts'
import { order, type Order } from '../../../commerce/orders/order.ts'
import { addressField, lineFields } from '../../../commerce/orders/payload.ts'
import { checkout, toCheckoutCustomer, maxItems, type CheckoutRow, type ChosenBump } from '../checkout.ts'
import { countryName } from '../offers/names.ts'
import {
  sampleAddress,
  sampleAmounts,
  sampleContact,
  sampleId,
  sampleLine,
  sampleOrder,
  sampleTime,
} from '../../../commerce/samples.ts'

const { fields } = checkout

// prettier-ignore
const checkoutFields = {
  ...pick(fields, ['id', 'status', 'total', 'subtotal', 'shipping', 'discount', 'currency']),
  recovery_url:     url().nullable().describe("Recovery link for the shopper; null once the shopper's data is erased"),
  ...pick(fields, ['created_at', 'abandoned_at']),
  shipping_address: addressField(),
  items:            list(complete(lineFields), { max: maxItems }),
  order_bumps:      order.fields.order_bumps.describe('Order bumps that are not products; omitted if there are none'),
}
// prettier-ignore
const completionFields = {
  completed_at: time(),
  recovered:    flag().describe('Whether the checkout was abandoned before it was completed'),
  recovered_checkout_id: fields.id.nullable()
    .describe('ID of the abandoned checkout, if it was completed in another browser; otherwise null'),
}
const optionalFields = ['order_bumps'] as const
const { name, email, phone } = customerFields

const marks = { scope: 'read:checkout_drafts', namesStore: true, subjectId: sampleId('chk') }
const sample = {
  id: marks.subjectId,
  ...sampleAmounts,
  currency: 'MXN',
  recovery_url: 'https://example.com/s/shop/recover/token',
  created_at: sampleTime,
  shipping_address: sampleAddress,
  items: [sampleLine],
}

// prettier-ignore
export const abandonedBody = declareEvents({ ...marks, feature: 'abandoned_checkouts', fields: {
  checkout: complete(checkoutFields, { optional: optionalFields }),
  customer: complete({ name: name.nullable(), email, phone }),
} }, {
  'checkout.abandoned': {
    when: 'A checkout with contact information is abandoned; requires a plan with abandoned checkouts.',
    sample: { checkout: { ...sample, status: 'abandoned', abandoned_at: sampleTime }, customer: sampleContact },
  },
})

// prettier-ignore
export const completedBody = declareEvents({ ...marks, fields: {
  checkout: complete({ ...checkoutFields, ...completionFields }, { optional: optionalFields }),
  order: complete(pick(order.fields, ['id', 'order_number'])),
  customer: complete({ ...customerFields, id: order.fields.customer_id }),
} }, {
  'checkout.completed': {
    when: 'A shopper places an order through the checkout.',
    sample: {
      checkout: {
        ...sample, status: 'completed', abandoned_at: null, completed_at: sampleTime, recovered: false,
        recovered_checkout_id: null,
      },
      order: sampleOrder,
      customer: { id: sampleId('cus'), ...sampleContact },
    },
  },
})

export function abandonedPayload(row: CheckoutRow, url: string): Payload<'checkout.abandoned'> {
  return abandonedBody.write({ checkout: toCheckoutPayload(row, url), customer: toCheckoutCustomer(row) })
}

type CompletionFacts = {
  order: Order
  completedAt: Date
  isRecovered: boolean
  /** The uuid of the abandoned checkout that was recovered in another browser; otherwise null. */
  recoveredId: string | null
}

export function completedPayload(
  row: CheckoutRow,
  url: string,
  { order, completedAt, isRecovered, recoveredId }: CompletionFacts,
): Payload<'checkout.completed'> {
  return completedBody.write({
    checkout: {
      ...toCheckoutPayload(row, url),
      completed_at: completedAt,
      recovered: isRecovered,
      recovered_checkout_id: recoveredId && publicId('chk', recoveredId),
    },
    order,
    customer: { id: order.customer_id, ...toCheckoutCustomer(row) },
  })
}

const amounts = pick(fields, ['total', 'subtotal', 'shipping', 'discount'])

function toCheckoutPayload(row: CheckoutRow, recovery_url: string) {
  const { country_code, ...address } = row.shipping_address ?? {}
  const country = address.country ?? countryName(country_code, row.locale)
  const { order_bumps, ...rest } = row
  return {
    ...rest,
    id: publicId('chk', row.id),
    ...toEntity(amounts, row),
    recovery_url,
    shipping_address: completeAddress(
      { ...address, country },
      { name: row.customer_name, phone: row.customer_phone },
      country_code ?? null,
    ),
    ...(order_bumps.length > 0 ? { order_bumps: toBumpsPayload(order_bumps) } : {}),
  }
}

function toBumpsPayload(items: ChosenBump[]) {
  return { total: toNumber(sum(items.map(({ price }) => price))), items }
}
