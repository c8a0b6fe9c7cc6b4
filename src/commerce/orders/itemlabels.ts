// What integrations keep on the items of an order, which are otherwise changed by edits alone.
import type { Tx } from '../../kit/database/database.ts'
import { records, sql } from '../../kit/database/sql.ts'
import { list, object } from '../../kit/declare/composites.ts'
import { integrationFields } from '../../kit/declare/metadata.ts'
import { readonly } from '../../kit/declare/row.ts'
import { text } from '../../kit/declare/scalars.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { item, maxItems } from './item.ts'

/** Items as they are read: their other fields are ignored. The ID stays as it is, to be compared with a record's. */
const labels = object({ ...readonly(item.fields), id: text({ max: 64 }), ...integrationFields() })

type ItemLabels = NonNullable<(typeof labels)['type']>['value']

export const itemLabels = () =>
  list(labels, { max: maxItems }).describe('Items to change, by their `id`: `external_id` and `metadata`')

/** True if any of them has changed. */
export async function labelItems(
  tx: Tx,
  storeId: string,
  orderId: string,
  inputs: readonly ItemLabels[],
): Promise<boolean> {
  const rows = inputs.flatMap(({ id, external_id, metadata }, index) =>
    id === undefined
      ? []
      : [{ index, id: toUuid('item', id), is_named: external_id !== undefined, external_id, metadata }],
  )
  if (rows.length === 0) return false
  const types = { id: 'uuid', is_named: 'boolean', external_id: 'text', metadata: 'jsonb' }
  const [existing, changes] = await Promise.all([
    tx.rows<{ id: string }>(sql`
      select id
      from order_items
      where store_id = ${storeId}
        and order_id = ${orderId}`),
    tx.rows(sql`
      update order_items
      set external_id = case when label.is_named then label.external_id else order_items.external_id end,
          metadata = coalesce(label.metadata, order_items.metadata)
      from ${records('label', types, rows)}
      where order_items.store_id = ${storeId}
        and order_items.order_id = ${orderId}
        and order_items.id = label.id
        and (label.is_named and order_items.external_id is distinct from label.external_id
          or label.metadata <> order_items.metadata)
      returning order_items.id`),
  ])
  const ids = new Set(existing.map(({ id }) => id))
  const unknown = rows.filter(({ id }) => id === null || !ids.has(id))
  if (unknown.length > 0)
    throw invalid(...unknown.map(({ index }) => fault(`items.${index}.id`, generalFaults.does_not_exist)))
  return changes.length > 0
}
