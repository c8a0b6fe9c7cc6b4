import { sql } from '../../kit/database/sql.ts'
import { withoutPersonal } from '../../kit/declare/row.ts'
import { type Erase, table, undoBy } from '../../tenancy/tables/table.ts'
import { draftOrder } from './draftorder.ts'
import { updateDraftOrder, deleteDraftOrder } from './operations.ts'

/** Ends their links: no one is left to pay them. */
const eraseDraftOrders: Erase = (tx, storeId, { draftOrderIds }) =>
  tx.later(sql`
    update draft_orders
    set ${withoutPersonal(draftOrder.fields)},
        customer_id = null, search_text = '', checkout_id = null, link_expires_at = null
    where store_id = ${storeId}
      and id = any(${draftOrderIds}::uuid[])`)

// An undo keeps the link and the order, and does not restore personal data.
export const draftOrders = table(draftOrder, {
  merge: 'follow',
  rules: [
    {
      name: 'numbers of drafts are at most the counter',
      broken: sql`
        select store_id, max(number)::text as wrong
        from (
          select store_id, substr(draft_number, 2)::bigint as number, null as counter from draft_orders
          union all
          select store_id, null, draft_number from store_counters
        ) as numbers
        group by store_id
        having max(number) > max(counter)`,
    },
  ],
  erasure: eraseDraftOrders,
  replaced: ({ buyer, nameOrNull, email, searchText }) => ({
    ...buyer,
    internal_notes: 'null',
    metadata: `'{}'`,
    search_text: searchText(nameOrNull('customer_name'), email('customer_email')),
    checkout_id: 'null',
    link_expires_at: 'null',
  }),
  audit: {
    noun: 'draft_order',
    scope: 'orders',
    undo: {
      ...undoBy(draftOrder, { update: updateDraftOrder, remove: deleteDraftOrder }),
      follows: [
        ...['item_count', 'subtotal', 'discount_amount', 'shipping_cost', 'tax_amount', 'included_tax', 'total'],
        ...['checkout_id', 'link_sent_at', 'link_expires_at', 'blocked_at', 'order_id', 'completed_at'],
      ],
    },
  },
})
