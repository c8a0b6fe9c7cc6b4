// The data that a shopper downloads: everything that belongs to the email they proved. A phone or an earlier email
// proves nothing, and internal notes of the staff are not included.
import type { Db } from '../../kit/database/database.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import { findRecord } from '../../kit/declare/page.ts'
import { pick } from '../../kit/declare/row.ts'
import { customer } from '../../commerce/customers/customer.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { maxRecords, readExportPart } from './export.ts'
import { addedParts, exportParts, type ExportPart } from './personaldata.ts'
import type { ErasedPerson } from '../../tenancy/tables/person.ts'

// Totals can count orders that are theirs by phone alone.
const ownFields = [
  'id',
  'name',
  'email',
  'phone',
  'tax_id',
  'addresses',
  'accepts_marketing',
  'marketing_changed_at',
  'marketing_consent',
  'created_at',
] as const

const { orders, payments, refunds, fulfillments, returns, checkouts, mails } = exportParts

export async function exportOwnData(
  db: Db,
  store: Store,
  { id, email }: { id: string; email: string },
): Promise<object> {
  const { entity } = await findRecord(db, customer, store.id, id)
  const own = pick(entity, ownFields)
  const listOwnIds = async (table: Sql) => {
    const rows = await db.rows<{ id: string }>(sql`
      select id from ${table}
      where store_id = ${store.id}
        and lower(customer_email) = ${email}
      order by created_at desc
      limit ${maxRecords}`)
    return rows.map((row) => row.id)
  }
  const [orderIds, checkoutIds] = await Promise.all([listOwnIds(sql`orders`), listOwnIds(sql`checkouts`)])
  const emails = [{ value: email, until: null }]
  // Comments and draft orders are the staff's.
  const none = { names: [], phones: [], commentIds: [], draftOrderIds: [], returnIds: [] }
  const subject: ErasedPerson = { id, ids: [id], storeId: store.id, emails, orderIds, checkoutIds, ...none }
  const parts: Record<string, ExportPart> = {
    orders: {
      resource: orders.resource,
      scope: orders.scope,
      isTheirs: () => sql`orders.id = any(${orderIds}::uuid[])`,
      hides: ['internal_notes', 'tags'],
    },
    payments,
    refunds,
    fulfillments,
    returns,
    checkouts,
    // Emails to the merchant can be about the same orders.
    mails: { ...mails, isTheirs: () => sql`lower(mails.recipient) = ${email}` },
    ...addedParts,
  }
  const read = Object.entries(parts).map(async ([name, part]) => {
    const { records } = await readExportPart(db, store, part, subject, maxRecords)
    return [name, records.map(withoutIntegrations)] as const
  })
  return { customer: own, ...Object.fromEntries(await Promise.all(read)) }
}

/** Without what integrations keep on a record and on its items. */
function withoutIntegrations(record: { items?: unknown }): object {
  const { external_id: _, metadata: __, ...own } = record as Record<string, unknown>
  return Array.isArray(own.items) ? { ...own, items: own.items.map(withoutIntegrations) } : own
}
