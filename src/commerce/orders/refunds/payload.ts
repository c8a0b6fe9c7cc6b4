// The body of order.refunded events.
import { complete, list } from '../../../kit/declare/composites.ts'
import { pick } from '../../../kit/declare/row.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { toNumber, type Decimal } from '../../../kit/values/money.ts'
import { declareEvents, type Payload } from '../../../tenancy/events/event.ts'
import { item, maxItems } from '../item.ts'
import { order } from '../order.ts'
import type { TaxLine } from '../../tax/taxline.ts'
import type { PaymentStatus } from '../states.ts'
import { refund, refundItem } from './refund.ts'
import { sampleId, samplePaidOrder, sampleUnits } from '../../samples.ts'

// prettier-ignore
export const refundedBody = declareEvents({ scope: 'read:orders', subjectId: samplePaidOrder.id, fields: {
  order: complete(pick(order.fields, [
    'id', 'order_number', 'payment_status', 'currency', 'total', 'captured_amount', 'refunded_amount',
  ])),
  refund: complete({
    ...pick(refund.fields, [
      'id', 'amount', 'shipping', 'tax_amount', 'shipping_tax_amount', 'tax_lines', 'reason', 'by_hand',
    ]),
    items: list(complete({
      ...pick(refundItem.fields, ['item_id', 'part']),
      ...pick(item.fields, ['product_id', 'product_name', 'variant_name']),
      ...pick(refundItem.fields, ['quantity', 'amount', 'tax_amount']),
    }), { max: maxItems }),
  }).describe('Refund details'),
} }, {
  'order.refunded': {
    when: 'All or part of an order has been refunded ([refunds](refunds.md)).',
    sample: {
      order: { ...samplePaidOrder, captured_amount: 1599.5, refunded_amount: 1500.5 },
      refund: {
        id: sampleId('ref'), amount: 1500.5, shipping: 0, tax_amount: 206.97, shipping_tax_amount: 0,
        tax_lines: [{
          type: 'item', item_id: sampleId('item'), bump_id: null, name: 'IVA', country_code: 'MX', rate: 16,
          reason: 'standard', base: 1293.53, amount: 206.97, included: true, tax_id: null,
        }],
        reason: 'Came back broken', by_hand: false,
        items: [{ item_id: sampleId('item'), part: null, ...sampleUnits, amount: 1500.5, tax_amount: 206.97 }],
      },
    },
  },
})

export type RefundedOrder = {
  order_number: number
  payment_status: PaymentStatus
  currency: string
  total: Decimal
  captured_amount: Decimal
  refunded_amount: Decimal
}

export type RefundedItem = {
  item_id: string
  part: number | null
  product_id: string | null
  product_name: string
  variant_name: string | null
  quantity: number
  amount: Decimal
  /** Null, like the tax of the refund, if the refund is from before taxes were stored. */
  tax_amount: Decimal | null
}

export type RefundFacts = {
  id: string
  order_id: string
  amount: Decimal
  shipping: Decimal
  tax_amount: Decimal | null
  shipping_tax_amount: Decimal | null
  tax_lines: TaxLine[] | null
  reason: string | null
  by_hand: boolean
}

export function refundedPayload(
  refund: RefundFacts,
  totals: RefundedOrder,
  items: readonly RefundedItem[],
): Payload<'order.refunded'> {
  return refundedBody.write({
    order: {
      ...totals,
      id: publicId('ord', refund.order_id),
      total: toNumber(totals.total),
      captured_amount: toNumber(totals.captured_amount),
      refunded_amount: toNumber(totals.refunded_amount),
    },
    refund: {
      ...refund,
      id: publicId('ref', refund.id),
      amount: toNumber(refund.amount),
      shipping: toNumber(refund.shipping),
      tax_amount: toNullableNumber(refund.tax_amount),
      shipping_tax_amount: toNullableNumber(refund.shipping_tax_amount),
      items: items.map((one) => ({
        ...one,
        item_id: publicId('item', one.item_id),
        product_id: one.product_id && publicId('prod', one.product_id),
        amount: toNumber(one.amount),
        tax_amount: toNullableNumber(one.tax_amount),
      })),
    },
  })
}

function toNullableNumber(amount: Decimal | null): number | null {
  return amount && toNumber(amount)
}
