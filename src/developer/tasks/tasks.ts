// The merchant's open tasks. Each is a list with a filter: its count is the number of records that the list
// shows, up to a limit, read from a partial index.
import { order } from '../../commerce/orders/order.ts'
import { orderReturn } from '../../commerce/returns/return.ts'
import { product } from '../../commerce/catalog/product.ts'
import type { Db } from '../../kit/database/database.ts'
import { join, raw, sql, type Sql } from '../../kit/database/sql.ts'
import { countUpTo, type StoreOf } from '../../kit/declare/page.ts'
import { maxCounted, type AnyResource } from '../../kit/declare/resource.ts'
import { webhook } from '../webhooks/webhook.ts'
import { payment } from '../../commerce/payments/payment.ts'
import { countScarce } from '../../money/reports/lowstock.ts'
import { mail } from '../../tenancy/emails/mail.ts'

type Task = {
  scope: string
  /** The list of /v1, and its filters. */
  path: string
  resource: AnyResource
  query: Record<string, string | boolean>
  description: string
  /** A count of the same records that reads fewer rows. */
  count?: (limit: number, storeId: string) => Sql
}

// prettier-ignore
export const tasks = {
  orders_to_fulfill:   { scope: 'read:orders', path: '/orders', resource: order,
    query: { needs_fulfillment: true, is_archived: false },
    description: 'Open orders with items to fulfill that are not archived' },
  payments_to_capture: { scope: 'read:orders', path: '/payments', resource: payment,
    query: { needs_capture: true }, description: 'Authorized payments of orders that wait to be captured' },
  disputes_to_answer:  { scope: 'read:orders', path: '/payments', resource: payment,
    query: { needs_response: true }, description: 'Payments with a dispute that waits for evidence' },
  payments_to_review:  { scope: 'read:orders', path: '/payments', resource: payment,
    query: { needs_review: true, needs_response: false }, description: 'Other payments that need review' },
  returns_to_review:   { scope: 'read:orders', path: '/returns', resource: orderReturn,
    query: { status: 'requested' }, description: 'Requested returns that wait for approval' },
  low_stock:           { scope: 'read:products', path: '/products', resource: product,
    query: { stock_status: 'low_stock' }, count: countScarce(false),
    description: 'Active products that are low on stock' },
  out_of_stock:        { scope: 'read:products', path: '/products', resource: product,
    query: { stock_status: 'out_of_stock' }, count: countScarce(true),
    description: 'Active products that are sold out' },
  failed_emails:       { scope: 'read:orders', path: '/mails', resource: mail,
    query: { status: 'failed' }, description: 'Emails that were not accepted in three days' },
  failing_webhooks:    { scope: 'read:webhooks', path: '/webhooks', resource: webhook,
    query: { is_failing: true }, description: 'Webhooks whose deliveries fail' },
} as const satisfies Record<string, Task>

export type TaskName = keyof typeof tasks

export type TaskCount = {
  count: number
  has_more: boolean
  list: string
  /** Set for disputes; null for others. */
  next_due_at: Date | null
}

export type TaskCounts = Partial<Record<TaskName, TaskCount>>

/** Counts the tasks that these scopes may read, with one statement. */
export async function countTasks(db: Db, store: StoreOf, scopes: ReadonlySet<string>): Promise<TaskCounts> {
  const own = (Object.entries(tasks) as [TaskName, Task][]).filter(([, { scope }]) => scopes.has(scope))
  const counts = own.map(([name, task]) => sql`(${buildTaskCount(task, store)}) as ${raw(name)}`)
  const row = await db.one<Record<string, number> & { next_due_at: Date | null }>(sql`
    select ${join(counts, ', ')}, (
      select min(evidence_due_at)
      from disputes
      where store_id = ${store.id}
        and status = 'needs_response') as next_due_at`)
  const entries = own.map(([name, { path, query }]): [TaskName, TaskCount] => [
    name,
    {
      count: Math.min(row![name]!, maxCounted),
      has_more: row![name]! > maxCounted,
      list: `/v1${path}?${queryText(query)}`,
      next_due_at: name === 'disputes_to_answer' ? row!.next_due_at : null,
    },
  ])
  return Object.fromEntries(entries)
}

function buildTaskCount({ resource, query, count }: Task, store: StoreOf): Sql {
  return count ? count(maxCounted + 1, store.id) : countUpTo(maxCounted + 1, resource, store, query)
}

export function queryText(query: Task['query']): string {
  return Object.entries(query)
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}
