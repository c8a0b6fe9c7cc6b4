// What the items of a paid order grant, and what staff and buyers do with it.
import type { Db, StoreDatabase, Tx } from '../../kit/database/database.ts'
import { currentTime, inStore, sql, type Sql } from '../../kit/database/sql.ts'
import { findRecord } from '../../kit/declare/page.ts'
import type { RecordOf } from '../../kit/declare/resource.ts'
import { conflict } from '../../kit/values/errors.ts'
import { publicId, toUuid } from '../../kit/values/ids.ts'
import type { EventSubject } from '../../tenancy/events/followers.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { defaults, grant, isRevoked, isUndone, type Grant, type Renewal } from './download.ts'
import { handOutOfOrders } from './keys.ts'
import { readSettings } from './settings.ts'

const dayMs = 24 * 60 * 60 * 1000

type OrderPart = { payment_status?: string; status?: string }

/**
 * Grants what the items of these orders have, once they are paid. Only events of orders that may be paid reach the
 * database; what an order has already is left as it is.
 */
export function grantOrders(tx: Tx, { id: storeId }: { id: string }, subjects: readonly EventSubject[]): void {
  const paid = subjects.filter(({ payload }) => {
    const { payment_status, status } = (payload as { order?: OrderPart }).order ?? {}
    return payment_status === 'paid' || (payment_status === undefined && status === undefined)
  })
  if (paid.length === 0) return
  const orderIds = paid.map(({ id }) => toUuid('ord', id))
  tx.later(insertGrants(tx.now, storeId, orderIds))
  handOutOfOrders(tx, storeId, orderIds)
}

/** An edit that adds units grants keys for these too. */
function insertGrants(now: Date, storeId: string, orderIds: readonly (string | null)[]): Sql {
  const [maxDownloads, days] = [sql`${defaults.max_downloads}::int`, sql`${defaults.days}::int`]
  return sql`
    insert into downloads_grants (store_id, id, order_id, item_id, product_id, variant_id, file_id, units,
      max_downloads, expires_at, due_at, created_at)
    select ${storeId}, gen_random_uuid(), sold.order_id, sold.item_id, sold.product_id, sold.variant_id,
      granted.file_id, sold.units,
      case when granted.file_id is not null then least(
        case when settings.store_id is null then ${maxDownloads} else settings.max_downloads end * sold.units::bigint,
        1000000)::int end,
      case when granted.file_id is not null then ${now}::timestamptz + make_interval(days =>
        case when settings.store_id is null then ${days} else settings.days end) end,
      ${now}::timestamptz, ${now}::timestamptz
    from (
      select order_items.order_id, order_items.id as item_id, part.product_id, part.variant_id,
        least(sum(order_items.quantity * part.quantity), 1000000)::int as units
      from orders
      join order_items on order_items.store_id = ${storeId}
        and order_items.order_id = orders.id
      cross join lateral (
        select order_items.product_id, order_items.variant_id, 1 as quantity
        union all
        select product_id, variant_id, quantity
        from jsonb_to_recordset(order_items.parts) as parts (product_id uuid, variant_id uuid, quantity int)
      ) as part
      where orders.store_id = ${storeId}
        and orders.id = any(${orderIds}::uuid[])
        and orders.payment_status = 'paid'
        and orders.status not in ('cancelled', 'returned')
        and part.product_id is not null
      group by order_items.order_id, order_items.id, part.product_id, part.variant_id
    ) as sold
    left join downloads_settings as settings on settings.store_id = ${storeId}
    cross join lateral (
      select downloads_files.id as file_id
      from downloads_files
      where downloads_files.store_id = ${storeId}
        and downloads_files.product_id = sold.product_id
        and (downloads_files.variant_id is null or downloads_files.variant_id = sold.variant_id)
      union all
      select null::uuid
      where sold.product_id = any(settings.key_product_ids)
        or exists (
          select from downloads_keys
          where downloads_keys.store_id = ${storeId}
            and downloads_keys.product_id = sold.product_id
            and (downloads_keys.variant_id is null or downloads_keys.variant_id = sold.variant_id))
    ) as granted
    on conflict (store_id, order_id, item_id, product_id, variant_id, file_id) do update
    set units = excluded.units, due_at = excluded.due_at
    where downloads_grants.file_id is null
      and excluded.units > downloads_grants.units`
}

type GrantRecord = RecordOf<Grant>

/** Further downloads and days from now, also after staff revoked it. */
export async function renewGrant(tx: Tx, store: Store, id: string, body: Renewal): Promise<GrantRecord> {
  const settings = await readSettings(tx, store.id)
  const { max_downloads = settings.max_downloads, days = settings.days } = body
  const expiresAt = days === null ? null : new Date(tx.now.getTime() + days * dayMs)
  tx.later(sql`
    update downloads_grants
    set revoked_at = null,
        max_downloads = case when file_id is not null then downloads + ${max_downloads}::int end,
        expires_at = case when file_id is not null then ${expiresAt}::timestamptz end
    where store_id = ${store.id}
      and id = ${id}`)
  const record = await findRecord(tx, grant, store.id, id)
  if (record.entity.status === 'revoked')
    throw conflict('The order was canceled or refunded, so what it granted cannot be renewed')
  return record
}

/** The buyer cannot download it any more. Revoking it again changes nothing. */
export async function revokeGrant(tx: Tx, store: Store, id: string): Promise<GrantRecord> {
  tx.later(sql`
    update downloads_grants
    set revoked_at = ${tx.now}
    where store_id = ${store.id}
      and id = ${id}
      and revoked_at is null`)
  return findRecord(tx, grant, store.id, id)
}

/** The grants of an order with what a page shows of each. `orderId` is a uuid. */
export async function listOrderGrants(db: Db, storeId: string, orderId: string): Promise<Grant[]> {
  const rows = await db.texts(
    inStore(
      storeId,
      sql`
    select ${grant.columns}
    from downloads_grants
    where downloads_grants.store_id = ${storeId}
      and downloads_grants.order_id = ${orderId}
    order by downloads_grants.created_at, downloads_grants.item_id, downloads_grants.file_id is null,
      downloads_grants.id
    limit 500`,
    ),
  )
  return rows.map((row) => grant.read(row))
}

/** IDs of the grants of an order that a refund or the cancellation has ended, so that they cannot be renewed. */
export async function listUndoneGrants(db: Db, storeId: string, orderId: string): Promise<Set<string>> {
  const rows = await db.rows<{ id: string }>(
    inStore(
      storeId,
      sql`
    select downloads_grants.id
    from downloads_grants
    where downloads_grants.store_id = ${storeId}
      and downloads_grants.order_id = ${orderId}
      and ${isUndone}`,
    ),
  )
  return new Set(rows.map(({ id }) => publicId('dlg', id)))
}

export async function findGrant(db: Db, storeId: string, id: string): Promise<Grant> {
  return (await findRecord(db, grant, storeId, id)).entity
}

type CountedDownload = { name: string; content_type: string; bytes: number }

/** Counts a download exactly, whatever happens at once. Returns null if the buyer has none left. */
export async function countDownload(db: StoreDatabase, storeId: string, id: string): Promise<CountedDownload | null> {
  return db.transaction(async (tx) => {
    const row = await tx.one<CountedDownload>(
      inStore(
        storeId,
        sql`
      update downloads_grants
      set downloads = downloads + 1, last_at = ${currentTime}
      from downloads_files
      where downloads_grants.store_id = ${storeId}
        and downloads_grants.id = ${id}
        and downloads_files.store_id = ${storeId}
        and downloads_files.id = downloads_grants.file_id
        and (max_downloads is null or downloads < max_downloads)
        and (expires_at is null or expires_at > ${currentTime})
        and not ${isRevoked}
      returning downloads_files.name, downloads_files.content_type, downloads_files.bytes`,
      ),
    )
    return row ?? null
  })
}
