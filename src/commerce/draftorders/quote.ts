// Prices a draft order as if it were placed now, by the rules of orders.
import type { Db } from '../../kit/database/database.ts'
import { fault, type Fault } from '../../kit/values/faults.ts'
import { publicId } from '../../kit/values/ids.ts'
import { toNumber } from '../../kit/values/money.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { findProspect } from '../orders/buyer.ts'
import { orderFaults } from '../orders/errors.ts'
import type { OrderLine } from '../orders/lines.ts'
import { quoteFor, type OrderQuote } from '../orders/quote.ts'
import { findCurrentRate, type OrderRate } from '../orders/rate.ts'
import { toOrderInput, type DraftContent } from './content.ts'
import type { DraftItem } from './draftorder.ts'
import { draftOrderFaults } from './errors.ts'

export type DraftQuote = OrderQuote & {
  items: DraftItem[]
  /** Everything that prevents the order. */
  faults: Fault[]
}

/** `existing`: the items as last priced, from which those that cannot be sold keep their names and prices. */
export async function quoteDraft(
  db: Db,
  store: Store,
  content: DraftContent,
  { now, existing = [] }: { now: Date; existing?: readonly DraftItem[] },
): Promise<DraftQuote> {
  const ownFaults = discountFaults(content)
  const input = toOrderInput(ownFaults.length > 0 ? { ...content, ...noDiscount } : content)
  const [result, rate] = await Promise.all([
    quoteFor(db, store, input, { buyer: findProspect(db, store, input), now }),
    findCurrentRate(db, store.id, content.shipping_method),
  ])
  const items = content.items.map((line, index) => {
    const existingItem = existing.find(
      (one) => one.product_id === toPublicProductId(line.product_id) && one.product_id !== null,
    )
    return buildDraftItem(line, result.allLines[index] ?? null, existingItem)
  })
  return {
    ...result.quote,
    items,
    faults: [...ownFaults, ...result.faults.map(ownFault), ...addressFaults(content, rate)],
  }
}

const noDiscount = { discount_codes: [], discount_type: null, discount_value: null }

function buildDraftItem(
  { product_id, variant_id = null, quantity, ...own }: DraftContent['items'][number],
  line: OrderLine | null,
  existingItem: DraftItem | undefined,
): DraftItem {
  return {
    product_id: toPublicProductId(product_id),
    variant_id,
    product_name: line?.product_name ?? existingItem?.product_name ?? own.product_name ?? null,
    variant_name: line?.variant_name ?? existingItem?.variant_name ?? own.variant_name ?? null,
    sku: line?.sku ?? existingItem?.sku ?? null,
    quantity,
    unit_price: own.unit_price ?? null,
    metadata: own.metadata ?? {},
    price: line ? toNumber(line.unit_price) : 0,
    total_price: line ? toNumber(line.total) : 0,
    available_on: line?.available_on ?? null,
  }
}

function toPublicProductId(product_id: string | null | undefined): string | null {
  return product_id ? publicId('prod', product_id) : null
}

function discountFaults({ discount_codes, discount_type, discount_value }: DraftContent): Fault[] {
  if (discount_type === null && discount_value === null) return []
  if (discount_codes.length > 0) return [fault('discount_type', draftOrderFaults.one_discount)]
  if (discount_type === null) return [fault('discount_type', draftOrderFaults.type_required)]
  if (discount_value === null) return [fault('discount_value', draftOrderFaults.discount_incomplete)]
  if (discount_type === 'percentage') {
    const isShare = discount_value > 0 && discount_value <= 100
    return isShare ? [] : [fault('discount_value', draftOrderFaults.percentage_above)]
  }
  return discount_value > 0 ? [] : [fault('discount_value', draftOrderFaults.amount_zero)]
}

/** An own discount has other fields than that of an order. */
function ownFault(one: Fault): Fault {
  return one.field === 'discount_amount' ? { ...one, field: 'discount_value' } : one
}

function addressFaults({ shipping_address }: DraftContent, rate: OrderRate | null): Fault[] {
  const isMissing = rate?.requires_address && !shipping_address?.address?.trim()
  return isMissing ? [fault('shipping_address', draftOrderFaults.address_required)] : []
}

// A draft may wait for stock and an address; an order may not.
const savableFaultCodes: readonly string[] = [
  orderFaults.sold_out.code,
  orderFaults.only_left.code,
  orderFaults.left_with_others.code,
  draftOrderFaults.address_required.code,
]

/** The faults that refuse even saving a draft. */
export function savingFaults(faults: readonly Fault[]): Fault[] {
  return faults.filter(({ code }) => !savableFaultCodes.includes(code))
}
