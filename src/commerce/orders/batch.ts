// Changes many orders in one call. Each is named once and reported as done or with its error. An order that cannot be
// changed does not hold up the others.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { list, object } from '../../kit/declare/composites.ts'
import type { Fields, JsonSchema } from '../../kit/declare/field.ts'
import { json } from '../../kit/declare/route.ts'
import type { Json } from '../../kit/declare/resource.ts'
import { id } from '../../kit/declare/scalars.ts'
import { createBody, type Reader } from '../../kit/declare/shape.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults, reason, formatReason, type Fault } from '../../kit/values/faults.ts'
import { publicId } from '../../kit/values/ids.ts'
import { withDecimals } from '../../kit/values/money.ts'
import { amounts, internalColumns, lockedColumns, type LockedOrder } from './changes.ts'
import { orderFaults } from './errors.ts'

/** `{ orders: [{ id, … }] }` with at most `max` orders, each with these fields. */
export function batchBody<T extends { id: string }>(fields: Fields, max: number): Reader<{ orders: T[] }> {
  const orders = list(object({ id: id('ord').required(), ...fields }), { min: 1, max })
    .rule((rows) => (new Set(rows.map((row) => row.id)).size < rows.length ? reason(orderFaults.named_twice) : null))
    .required()
    .describe('Orders, each at most once')
  return createBody({ orders }) as Reader<any>
}

export type BatchOrder = LockedOrder & { id: string; order_number: number }

/** Locks the orders by ID, as every batch does, to prevent deadlocks. */
export async function lockOrders(
  tx: Tx,
  storeId: string,
  requestedRows: readonly { id: string }[],
): Promise<Map<string, BatchOrder>> {
  const rows = await tx.rows<BatchOrder>(sql`
    select ${lockedColumns.columns}, ${internalColumns}, orders.id, orders.order_number
    from orders
    where store_id = ${storeId}
      and id = any(${requestedRows.map((one) => one.id)}::uuid[])
    order by id
    for update`)
  const orders = new Map(rows.map((row) => [row.id, withDecimals(row, amounts)]))
  const faults = requestedRows.flatMap(({ id: uuid }, index) =>
    orders.has(uuid) ? [] : [fault(`orders.${index}.id`, generalFaults.does_not_exist)],
  )
  if (faults.length > 0) throw invalid(...faults)
  return orders
}

type OrderOutcome = { id: string; order_number: number; result: 'done' | 'unchanged' | 'failed'; fault: Fault | null }

/** The outcome of each order, in the order of the request. */
export class BatchReport {
  readonly #outcomes: OrderOutcome[]

  /** `faultOf`: the reason why an order cannot be changed. `isSame`: true if it is already as requested. */
  constructor(
    rows: readonly { id: string }[],
    orders: ReadonlyMap<string, BatchOrder>,
    faultOf: (order: BatchOrder) => Fault | null,
    isSame: (order: BatchOrder) => boolean = () => false,
  ) {
    this.#outcomes = rows.map(({ id: uuid }) => {
      const order = orders.get(uuid)!
      const wrong = faultOf(order)
      const result = wrong ? 'failed' : isSame(order) ? 'unchanged' : 'done'
      return { id: uuid, order_number: order.order_number, result, fault: wrong }
    })
  }

  /** The ids of the orders that change. */
  get done(): Set<string> {
    return new Set(this.#outcomes.filter(({ result }) => result === 'done').map((one) => one.id))
  }

  get json(): Json<unknown> {
    const count = (result: string) => this.#outcomes.filter((one) => one.result === result).length
    return json({
      done: count('done'),
      unchanged: count('unchanged'),
      failed: count('failed'),
      orders: this.#outcomes.map(({ id: uuid, order_number, result, fault: wrong }) => ({
        id: publicId('ord', uuid),
        order_number,
        result,
        error: wrong ? { field: wrong.field, code: wrong.code, message: formatReason(wrong) } : null,
      })),
    })
  }
}

const countField = (words: string) => ({ type: 'integer', minimum: 0, description: words })

export const batchReport: JsonSchema = {
  title: 'Batch report',
  type: 'object',
  properties: {
    done: countField('Number of orders that changed'),
    unchanged: countField('Number of orders that were like this already'),
    failed: countField('Number of orders with an error'),
    orders: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string', description: 'ID of the order', examples: ['ord_01jd0000000000000000000000'] },
          order_number: { type: 'integer', description: 'Number of the order', examples: [1001] },
          result: {
            type: 'string',
            enum: ['done', 'unchanged', 'failed'],
            description: 'What became of the order; unchanged if there was nothing to do',
          },
          error: {
            type: ['object', 'null'],
            description: 'Why the order failed',
            properties: {
              field: { type: 'string', description: 'The field that is in the way', examples: ['status'] },
              code: { type: 'string', description: 'Code of the error', examples: ['nothing_left'] },
              message: {
                type: 'string',
                description: 'Completes "<field> …"',
                examples: ['has nothing left to fulfill'],
              },
            },
            required: ['field', 'code', 'message'],
          },
        },
        required: ['id', 'order_number', 'result', 'error'],
      },
    },
  },
  required: ['done', 'unchanged', 'failed', 'orders'],
}
