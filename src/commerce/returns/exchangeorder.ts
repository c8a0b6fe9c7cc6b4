// The body of an exchange, and the order that replaces what was returned: its price less the price of those units.
import type { Tx } from '../../kit/database/database.ts'
import type { Create } from '../../kit/declare/field.ts'
import { flag, money } from '../../kit/declare/scalars.ts'
import { createBody } from '../../kit/declare/shape.ts'
import { Decimal, round, sum, toNumber } from '../../kit/values/money.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { LockedOrder } from '../orders/changes.ts'
import { lineInput } from '../orders/item.ts'
import type { NewOrder } from '../orders/order.ts'
import { quoteNewOrder } from '../orders/quote.ts'
import type { RefundAccount } from '../orders/refunds/account.ts'
import { refundReason } from '../orders/refunds/refund.ts'
import { unitsAfter } from '../orders/refunds/claim.ts'
import { shareOfUnits, type RefundedUnits } from '../orders/refunds/costs.ts'
import { discountOfUnits, settledPrice } from '../orders/settled.ts'
import type { ReceivedPiece } from './refund.ts'

const exchange = {
  items: lineInput().required().describe('Items to send instead'),
  shipping_cost: money().describe('Shipping cost of the new order; defaults to 0'),
  refund: flag().default(true).describe('Whether to refund what the new items cost less'),
  reason: refundReason('The smaller size costs less'),
}

export type NewExchange = Create<typeof exchange>
export const newExchange = createBody(exchange)

/** `goods`: before added tax, which the new order calculates for itself. `paid`: with it. */
export type ExchangeCredit = { goods: Decimal; paid: Decimal }

/** The price of the received units, as far as it was not refunded by an amount without items. */
export function computeExchangeCredit(account: RefundAccount, pieces: readonly ReceivedPiece[]): ExchangeCredit {
  const { currency, total, refunded_amount, refunding_amount, refunded_overpayment, refunding_overpayment } = account
  const cost = sum(pieces.map(({ amount }) => amount))
  const goods = sum(
    pieces.map((piece) => {
      const index = account.items.findIndex(({ id }) => id === piece.item_id)
      const { quantity, parts, ...item } = account.items[index]!
      const price = discountOfUnits(item).plus(item.total_price)
      const amount = settledPrice(item.settled, new Decimal(item.total_price).dividedBy(quantity))
      const settlement = item.settled ? { quantity: item.settled.quantity, amount } : undefined
      const shares = account.costs.parts[index]?.map(({ goods: own }, part) => {
        return { amount: own, quantity: parts![part]!.quantity }
      })
      const sale = { quantity, currency, settled: settlement }
      const upTo = (units: RefundedUnits) => shareOfUnits(price, units, sale, shares ?? [])
      return upTo(unitsAfter(piece)).minus(upTo(piece.from))
    }),
  )
  const returnedAmount = refunded_amount.minus(refunded_overpayment).plus(refunding_amount).minus(refunding_overpayment)
  const paidAmount = Decimal.max(0, Decimal.min(cost, total.minus(returnedAmount)))
  return { goods: cost.isZero() ? cost : round(goods.times(paidAmount).dividedBy(cost), currency), paid: paidAmount }
}

/** The new order, and the part of the credit that it does not use, in what was paid. */
export async function buildExchangeOrder(
  tx: Tx,
  store: Store,
  { order, tax_id }: { order: LockedOrder; tax_id: string | null },
  { items, shipping_cost = 0 }: NewExchange,
  credit: ExchangeCredit,
): Promise<{ input: NewOrder; unused: Decimal }> {
  const input = { ...toExchangeBuyer(order), tax_id, items, shipping_cost } as NewOrder
  // A quote for an unknown customer would create one.
  const { customer_id, customer_email, customer_phone, ...anonymous } = input
  const { quote } = await quoteNewOrder(tx, store, customer_id ? input : anonymous)
  const usedCredit = Decimal.min(credit.goods, quote.price.subtotal)
  const isFree = usedCredit.equals(quote.price.subtotal) && shipping_cost === 0
  const unusedCredit = credit.goods.isZero()
    ? credit.goods
    : round(credit.paid.times(credit.goods.minus(usedCredit)).dividedBy(credit.goods), store.currency)
  return {
    input: { ...input, discount_amount: toNumber(usedCredit), payment_status: isFree ? 'paid' : 'pending' },
    unused: unusedCredit,
  }
}

function toExchangeBuyer(order: LockedOrder) {
  const {
    customer_id,
    customer_name,
    customer_email,
    customer_phone,
    shipping_address,
    billing_address,
    country_code,
  } = order
  const { locale, notify_customer } = order
  // The contacts of a customer who was erased would make a new one.
  const contact = customer_id === null ? {} : { customer_email, customer_phone }
  return {
    status: 'confirmed',
    customer_id,
    customer_name,
    ...contact,
    shipping_address,
    billing_address,
    country_code,
    locale,
    notify_customer,
  }
}
