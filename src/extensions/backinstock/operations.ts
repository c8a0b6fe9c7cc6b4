// Asking for the email, confirming the address, and stopping.
import { countAtMost } from '../../kit/database/counts.ts'
import type { Db, Tx } from '../../kit/database/database.ts'
import { inStore, sql } from '../../kit/database/sql.ts'
import { json } from '../../kit/declare/route.ts'
import type { Json, RecordOf } from '../../kit/declare/resource.ts'
import { remove } from '../../kit/declare/remove.ts'
import { conflict, invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { newUuid, publicId } from '../../kit/values/ids.ts'
import { hashSecret } from '../../kit/values/secrets.ts'
import { queueExtensionMails } from '../../tenancy/emails/queue.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { request, type BackInStockRequest, type NewRequest } from './request.ts'

const hours = 60 * 60 * 1000
/** A request whose address is not confirmed by then is deleted. */
const confirmHours = 48
const waitDays = 90
/** Of one address in a store. */
const maxPerEmail = 20
const maxPerStore = 100_000

/**
 * Queues an email with the link that confirms the address, unless the address waits already or for too many things. A
 * page shows the same then, so that nobody learns who waits.
 */
export async function requestEmail(
  tx: Tx,
  store: Store,
  { product_id, variant_id = null, email, language }: NewRequest,
): Promise<RecordOf<BackInStockRequest> | null> {
  const id = newUuid()
  const ofStore = sql`backinstock_requests where store_id = ${store.id}`
  const expiresAt = new Date(tx.now.getTime() + confirmHours * hours)
  const [row] = await tx.texts(
    sql`
    insert into backinstock_requests (store_id, id, product_id, variant_id, email, language, created_at, expires_at)
    select ${store.id}, ${id}::uuid, ${product_id}::uuid, ${variant_id}::uuid, ${email}::text, ${language}::text,
      ${tx.now}::timestamptz, ${expiresAt}::timestamptz
    where (${countAtMost(maxPerEmail, sql`${ofStore} and lower(email) = lower(${email})`)}) < ${maxPerEmail}
      and (${countAtMost(maxPerStore, ofStore)}) < ${maxPerStore}
    on conflict do nothing
    returning ${request.columns}`,
    {
      backinstock_requests_product: () => missing('product_id'),
      backinstock_requests_variant: () => missing('variant_id'),
    },
  )
  if (!row) return null
  const values = { extension: 'backinstock', letter: 'confirm', id }
  queueExtensionMails(tx, store.id, [{ recipient: email, language, values }])
  return request.record(row)
}

const missing = (field: string) => invalid(fault(field, generalFaults.does_not_exist))

/** For a shop with pages of its own: it learns why there is no new request. */
export async function createRequest(tx: Tx, store: Store, body: NewRequest): Promise<RecordOf<BackInStockRequest>> {
  const created = await requestEmail(tx, store, body)
  if (created) return created
  throw conflict(`${body.email} waits for it already, or for ${maxPerEmail} things`)
}

export type OwnRequest = {
  email: string
  confirmed_at: Date | null
  slug: string
  name: string
  variant: string | null
}

/** The request of a link; `id` is a uuid. */
export function findOwnRequest(db: Db, storeId: string, id: string): Promise<OwnRequest | undefined> {
  return db.one<OwnRequest>(sql`
    select requests.email, requests.confirmed_at, products.slug, products.name, variants.title as variant
    from backinstock_requests as requests
    join products on products.store_id = ${storeId}
      and products.id = requests.product_id
    left join variants on variants.store_id = ${storeId}
      and variants.id = requests.variant_id
    where requests.store_id = ${storeId}
      and requests.id = ${id}`)
}

/** A second confirmation changes nothing. */
export function confirmRequest(tx: Tx, storeId: string, id: string): void {
  tx.later(sql`
    update backinstock_requests
    set confirmed_at = ${tx.now}, expires_at = ${new Date(tx.now.getTime() + waitDays * 24 * hours)}
    where store_id = ${storeId}
      and id = ${id}
      and confirmed_at is null`)
}

export function stopRequest(tx: Tx, storeId: string, id: string): void {
  tx.later(sql`
    delete from backinstock_requests
    where store_id = ${storeId}
      and id = ${id}`)
}

/** Stands for an address in a link that outlives its request. */
export function markEmail(email: string): string {
  return hashSecret(email.toLowerCase()).toString('hex')
}

/** Ends all that an address waits for. */
export function stopAll(tx: Tx, storeId: string, mark: string): void {
  tx.later(sql`
    delete from backinstock_requests
    where store_id = ${storeId}
      and encode(sha256(convert_to(lower(email), 'UTF8')), 'hex') = ${mark}`)
}

export async function deleteRequest(tx: Tx, store: Store, id: string): Promise<void> {
  await remove(tx, request, store.id, id)
}

type AwaitedRow = {
  product_id: string
  variant_id: string | null
  product_name: string
  variant_name: string | null
  waiting: string
  since: Date
}

const maxItems = 100

export type AwaitedItem = Omit<AwaitedRow, 'waiting'> & { waiting: number }

/** The items that most shoppers wait for. */
export async function listAwaited(db: Db, store: Store): Promise<AwaitedItem[]> {
  const rows = await db.rows<AwaitedRow>(
    inStore(
      store.id,
      sql`
    select requests.product_id, requests.variant_id, products.name as product_name, variants.title as variant_name,
      count(*) as waiting, min(requests.confirmed_at) as since
    from backinstock_requests as requests
    join products on products.store_id = ${store.id}
      and products.id = requests.product_id
    left join variants on variants.store_id = ${store.id}
      and variants.id = requests.variant_id
    where requests.store_id = ${store.id}
      and requests.confirmed_at is not null
    group by requests.product_id, requests.variant_id, products.name, variants.title
    order by waiting desc, since
    limit ${maxItems}`,
    ),
  )
  return rows.map((row) => ({ ...row, product_id: publicId('prod', row.product_id), waiting: Number(row.waiting) }))
}

export async function isActive(db: Db, storeId: string): Promise<boolean> {
  const row = await db.one<{ is_active: boolean }>(sql`
    select is_active
    from backinstock_settings
    where store_id = ${storeId}`)
  return row?.is_active ?? true
}

export async function findSettings(db: Db, store: Store): Promise<Json<object>> {
  return json({ is_active: await isActive(db, store.id) })
}

export async function saveSettings(
  tx: Tx,
  store: Store,
  { is_active }: { is_active?: boolean | undefined },
): Promise<Json<object>> {
  if (is_active === undefined) return findSettings(tx, store)
  tx.later(sql`
    insert into backinstock_settings (store_id, is_active)
    values (${store.id}, ${is_active})
    on conflict (store_id) do update set is_active = excluded.is_active`)
  return json({ is_active })
}

/** Without a row, the emails are offered. */
export async function resetSettings(tx: Tx, store: Store): Promise<void> {
  tx.later(sql`delete from backinstock_settings where store_id = ${store.id}`)
}
