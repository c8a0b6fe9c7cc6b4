// Reads what an operation wrote before its transaction is rolled back, from rows that nobody else ever sees.
import type { Tx } from '../../kit/database/database.ts'
import type { RowChange } from '../auditlog/rowchange.ts'
import { changesView, type ChangeView } from '../auditlog/view.ts'
import { readPendingChanges } from '../../tenancy/audit/journal.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { firstUuidAt, publicId } from '../../kit/values/ids.ts'

/** Each member is a part that requires its own scope. */
export type Rehearsal = {
  /** Each record once, with the fields that would change. */
  changes: ChangeView[]
  stock_movements: {
    product_id: string
    variant_id: string | null
    quantity: number
    stock_after: number
    reason: string
  }[]
  /** Events as receivers would get them. */
  events: { event: string; body: object }[]
  deliveries: { webhook_id: string; event: string }[]
  mails: { kind: string; recipient: string; language: string }[]
  /** Requests to payment providers that a commit would have sent. */
  provider_requests: object[]
}

type RowWrite = Omit<Rehearsal, 'provider_requests' | 'changes'>

/** Must be called last in its transaction, which has one store. */
export async function readWrites(
  tx: Tx,
  storeId: string,
  effects: readonly object[],
): Promise<{ rehearsal: Rehearsal; touched: RowChange[] }> {
  const [write, changes] = await Promise.all([
    tx.one<RowWrite>(buildWritesQuery(tx.now, storeId)),
    readPendingChanges(tx, storeId),
  ])
  const rowWrite = write!
  const rehearsal = {
    changes: changesView(changes),
    stock_movements: rowWrite.stock_movements.map((movement) => ({
      ...movement,
      product_id: publicId('prod', movement.product_id),
    })),
    events: rowWrite.events,
    deliveries: rowWrite.deliveries.map(({ webhook_id, event }) => ({ webhook_id: publicId('wh', webhook_id), event })),
    mails: rowWrite.mails,
    provider_requests: [...effects],
  }
  return { rehearsal, touched: changes }
}

/** Finds rows by their time of creation, through their IDs or an index, excluding those of other transactions. */
function buildWritesQuery(now: Date, storeId: string): Sql {
  const madeNow = sql`store_id = ${storeId}
          and id >= ${firstUuidAt(now)}
          and id < ${firstUuidAt(new Date(now.getTime() + 1))}`
  return sql`
    select
      ${buildJsonRows(sql`
        select product_id, variant_id, quantity, stock_after, reason
        from inventory_transactions
        where ${madeNow}
          and ${isOwnRow}
        order by id`)} as stock_movements,
      ${buildJsonRows(sql`
        select event, body::json as body
        from events
        where ${madeNow}
          and ${isOwnRow}
        order by id`)} as events,
      ${buildJsonRows(sql`
        select webhook_id, event
        from deliveries
        where store_id = ${storeId}
          and webhook_id = any(array(select id from webhooks where store_id = ${storeId}))
          and status = 'pending'
          and urgent = any('{true,false}')
          and run_at = ${now}
          and ${isOwnRow}
        order by id`)} as deliveries,
      ${buildJsonRows(sql`
        select kind, recipient, language
        from mails
        where store_id = ${storeId}
          and created_at = ${now}
          and status = 'queued'
          and ${isOwnRow}
        order by id`)} as mails`
}

/** Rows that this transaction has written. */
const isOwnRow = raw('xmin = pg_current_xact_id_if_assigned()::xid')

function buildJsonRows(query: Sql): Sql {
  return sql`(select coalesce(json_agg(written), '[]') from (${query}) as written)`
}
