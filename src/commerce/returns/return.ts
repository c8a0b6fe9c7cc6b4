// A return: shipped items of an order that come back, from the request to the refund.
import { list, many, object } from '../../kit/declare/composites.ts'
import { derive, type Create, type Patch } from '../../kit/declare/field.ts'
import { integrationFields, integrationFilters } from '../../kit/declare/metadata.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import { choice, flag, id, integer, money, text, time } from '../../kit/declare/scalars.ts'
import { pick, readonly } from '../../kit/declare/row.ts'
import { createBody, patchBody, type Reader } from '../../kit/declare/shape.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { maxItems, partField } from '../orders/item.ts'
import { refundReason } from '../orders/refunds/refund.ts'
import { conditions, returnReasons, returnStatuses } from './states.ts'

const note = () =>
  text({ min: 1, max: 500 })
    .nullable()
    .personal()
    .example('The zipper is stuck')
    .describe('What the customer says about it')

// prettier-ignore
export const returnItem = resource('return_items', {
  item_id:           id('item').readonly(),
  part:              derive(partField(), sql`nullif(return_items.part, -1)`)
    .nullable()
    .describe('Part of a bundle, counted from 0; null for units of the whole item'),
  quantity:          integer().readonly().example(2).describe('Units to return'),
  reason:            choice(returnReasons).readonly().describe('Why the units are returned'),
  note:              note().readonly(),
  received_quantity: integer().readonly().describe('Units that have arrived'),
  damaged_quantity:  integer().readonly().describe('Received units that were damaged and not restocked'),
}, {}, { noun: 'Return item', parent: { column: 'return_id', order: 'return_items.item_id, return_items.part' } })

export type ReturnItem = NonNullable<typeof returnItem.type>

// prettier-ignore
export const orderReturn = resource('returns', {
  id:             id('ret').readonly(),
  order_id:       id('ord').readonly(),
  order_number:   integer({ max: Number.MAX_SAFE_INTEGER }).readonly().example(1001),
  number:         integer().readonly().describe('Number among the returns of the order, from 1'),
  status:         choice(returnStatuses).readonly().describe('Status of the return'),
  requested_by:   choice(['customer', 'staff']).readonly().describe('Who created the return'),
  instructions:   text({ min: 1, max: 2000 }).nullable().personal().example('Send it to Dock Street 4, with the slip')
    .describe('How to send the items back; included in the email to the customer'),
  decline_reason: text({ min: 1, max: 500 }).nullable().readonly().personal()
    .describe('Why the request was declined; included in the email to the customer'),
  restocking_fee: money().readonly().describe('Amount kept from the refund'),
  refund_id:      id('ref').nullable().readonly().describe('ID of the refund'),
  exchange_order_id: id('ord').nullable().readonly().describe('ID of the order that replaces the items'),
  approved_at:    time().nullable().readonly().describe('Time the return was approved; null until then'),
  declined_at:    time().nullable().readonly().describe('Time the request was declined; null if it was not'),
  received_at:    time().nullable().readonly().describe('Time the items arrived; null until then'),
  closed_at:      time().nullable().readonly().describe('Time the return was closed; null while it is open'),
  cancelled_at:   time().nullable().readonly(),
  ...integrationFields(),
  created_at:     time().readonly().sortable(),
  updated_at:     time().readonly(),
  items:          many<ReturnItem>(returnItem),
}, {
  status:   filter(choice([...returnStatuses, 'all']).default('all'), (status) =>
    (status === 'all' ? null : hasStatus(status))),
  order_id: filter(text({ max: 100 }), (order) => sql`returns.order_id = ${toUuid('ord', order)}::uuid`),
  ...integrationFilters('returns'),
}, { noun: 'Return' })

export type Return = NonNullable<typeof orderReturn.type>

/** A constant lets a statement use the partial index of requests. */
function hasStatus(status: string): Sql {
  return status === 'requested' ? raw(`returns.status = 'requested'`) : sql`returns.status = ${status}`
}

const quantity = () => integer({ min: 1, max: 1_000_000 })

// prettier-ignore
const requestedItem = object({
  item_id:  id('item').required(),
  part:     partField().describe('Part of bundle, from 0'),
  quantity: quantity().required(),
  reason:   choice(returnReasons).required().describe('Why the units are returned'),
  note:     note(),
})

const items = list(requestedItem, { min: 1, max: maxItems }).required().describe('Shipped items to return')

const changes = pick(orderReturn.fields, ['external_id', 'metadata'])

const newFields = {
  status: choice(['requested', 'approved']).default('approved').describe('Whether it waits for approval'),
  instructions: orderReturn.fields.instructions,
  ...changes,
  items,
}

export type NewReturn = Create<typeof newFields>
export const newReturn = createBody(newFields)

/** What can be changed of a return, whatever its status. */
export type ReturnPatch = Patch<typeof changes>
export const returnChanges: Reader<ReturnPatch> = patchBody({ ...readonly(orderReturn.fields), ...changes })

/** The body of a shopper's request. */
export const returnRequest = createBody({ items })
export type ReturnRequest = Pick<NewReturn, 'items'>

const approval = { instructions: orderReturn.fields.instructions }

export type ReturnApproval = Create<typeof approval>
export const returnApproval = createBody(approval)

const refusal = {
  reason: text({ min: 1, max: 500 })
    .nullable()
    .personal()
    .example('The return period is over')
    .describe('Why; included in the email to the customer'),
}

export type ReturnRefusal = Create<typeof refusal>
export const returnRefusal = createBody(refusal)

// prettier-ignore
const receivedItem = object({
  item_id:   id('item').required(),
  part:      partField().describe('Part of bundle, from 0'),
  quantity:  quantity().required(),
  condition: choice(conditions).default('as_new').describe('as_new: restocked. damaged: not restocked'),
})

const receipt = {
  items: list(receivedItem, { min: 1, max: 2 * maxItems }).describe(
    'Units that have arrived; defaults to all of the return, as new',
  ),
}

export type ReturnReceipt = Create<typeof receipt>
export const returnReceipt = createBody(receipt)

const repayment = {
  shipping: money({ exact: true }).describe('Shipping to refund as well; defaults to 0'),
  restocking_fee: money({ exact: true }).describe('Amount to keep from the refund; defaults to 0'),
  reason: refundReason('Thank you for sending it back'),
  by_hand: flag().describe('Whether the refund was made outside the payment provider'),
}

export type ReturnRefund = Create<typeof repayment>
export const returnRefund = createBody(repayment)
