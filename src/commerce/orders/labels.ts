// Tags and archives many orders: one statement for all.
import type { Tx } from '../../kit/database/database.ts'
import { arrayLiteral, records, sql } from '../../kit/database/sql.ts'
import { set } from '../../kit/declare/composites.ts'
import type { Json } from '../../kit/declare/resource.ts'
import { flag } from '../../kit/declare/scalars.ts'
import { maxTags, tag } from '../../kit/declare/tags.ts'
import { fault, generalFaults, type Fault } from '../../kit/values/faults.ts'
import { publicId } from '../../kit/values/ids.ts'
import { emitAll } from '../../tenancy/events/emit.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { batchBody, BatchReport, lockOrders, type BatchOrder } from './batch.ts'
import { countArchived } from './operations.ts'
import { updatedPayload } from './payload.ts'

export const maxLabelled = 1000

type LabelRow = { id: string; add_tags?: string[]; remove_tags?: string[]; is_archived?: boolean }

const someTags = () => set(tag(), { max: maxTags, unique: true })

// prettier-ignore
export const labelBatch = batchBody<LabelRow>({
  add_tags:    someTags().describe('Tags to add'),
  remove_tags: someTags().describe('Tags to remove, whatever their case'),
  is_archived: flag().describe('Whether the dashboard leaves it out of its lists'),
}, maxLabelled)

type LabelChange = { id: string; tags: string[]; is_archived: boolean }

export async function labelOrders(tx: Tx, store: Store, rows: readonly LabelRow[]): Promise<Json<unknown>> {
  const orders = await lockOrders(tx, store.id, rows)
  const after = new Map(rows.map((row) => [row.id, buildLabelChange(orders.get(row.id)!, row)]))
  const report = new BatchReport(
    rows,
    orders,
    ({ id }) => tooMany(after.get(id)!),
    (order) => isSame(order, after.get(order.id)!),
  )
  const { done } = report
  const changes = [...after.values()].filter(({ id }) => done.has(id))
  if (changes.length === 0) return report.json
  write(tx, store.id, changes)
  const archivedCount = changes.reduce(
    (sum, { id, is_archived }) => sum + Number(is_archived) - Number(orders.get(id)!.is_archived),
    0,
  )
  countArchived(tx, store.id, archivedCount)
  const ids = changes.map(({ id }) => publicId('ord', id))
  emitAll(
    tx,
    store,
    'order.updated',
    ids.map((id) => ({ id, payload: updatedPayload(id) })),
  )
  return report.json
}

/** Keeps an existing tag that differs only in case. */
function buildLabelChange(order: BatchOrder, { add_tags = [], remove_tags = [], is_archived }: LabelRow): LabelChange {
  const tagsToRemove = new Set(remove_tags.map((one) => one.toLowerCase()))
  const remainingTags = order.tags.filter((one) => !tagsToRemove.has(one.toLowerCase()))
  const lowercase = new Set(remainingTags.map((one) => one.toLowerCase()))
  const newTags = add_tags.filter((one) => !lowercase.has(one.toLowerCase()) && lowercase.add(one.toLowerCase()))
  return { id: order.id, tags: [...remainingTags, ...newTags], is_archived: is_archived ?? order.is_archived }
}

function tooMany({ tags }: LabelChange): Fault | null {
  return tags.length > maxTags ? fault('add_tags', generalFaults.too_many_elements, { limit: maxTags }) : null
}

function isSame(before: BatchOrder, { tags, is_archived }: LabelChange): boolean {
  return is_archived === before.is_archived && tags.join() === before.tags.join()
}

function write(tx: Tx, storeId: string, changes: readonly LabelChange[]): void {
  const rows = changes.map(({ tags, ...change }) => ({ ...change, tags: arrayLiteral(tags) }))
  tx.later(sql`
    update orders
    set tags = change.tags, is_archived = change.is_archived, updated_at = ${tx.now},
        archived_at = case
          when change.is_archived = orders.is_archived then orders.archived_at
          when change.is_archived then ${tx.now}::timestamptz end
    from ${records('change', { id: 'uuid', tags: 'text[]', is_archived: 'boolean' }, rows)}
    where orders.store_id = ${storeId}
      and orders.id = change.id`)
}
