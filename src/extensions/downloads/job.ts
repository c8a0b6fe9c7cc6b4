// Emails buyers what they were granted, fulfills it, and tells the merchant, or the app that makes them, which license
// keys are missing.
import type { Tx } from '../../kit/database/database.ts'
import { findDue } from '../../kit/database/due.ts'
import { inStore, sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import type { Language } from '../../kit/values/language.ts'
import type { Job } from '../../platform/process/jobs.ts'
import { queueExtensionMails, queueExtensionNotice } from '../../tenancy/emails/queue.ts'
import { emit, type EventStore } from '../../tenancy/events/emit.ts'
import { ownLanguage } from '../../tenancy/stores/language.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { buildLeftoversJob, type FileDeps } from './files.ts'
import { keysMissing } from './events.ts'
import { fulfillGranted } from './fulfill.ts'
import { handOutMissing } from './keys.ts'
import { readSettings } from './settings.ts'

export type DownloadJobParts = { deps: FileDeps }

const batchSize = 200

export function buildDownloadJobs({ deps }: DownloadJobParts): Job[] {
  return [
    { name: 'downloads: email', everySeconds: 5, due: [{ table: 'downloads_grants', due: 'due_at' }], run: emailDue },
    buildLeftoversJob(deps.media.storage),
  ]
}

async function emailDue(tx: Tx): Promise<{ more: boolean }> {
  const { stores, isFull } = await findDue(tx, { table: 'downloads_grants' }, batchSize)
  for (const [storeId, ids] of stores) await emailOfStore(tx, storeId, ids)
  return { more: isFull }
}

type Told = {
  id: string
  order_id: string
  item_id: string
  product_id: string
  variant_id: string | null
  missing_keys: number
}

async function emailOfStore(tx: Tx, storeId: string, ids: readonly string[]): Promise<void> {
  await handOutMissing(tx, storeId, sql`downloads_grants.id = any(${ids}::uuid[])`)
  const told = await tx.rows<Told>(sql`
    update downloads_grants
    set due_at = null
    where store_id = ${storeId}
      and id = any(${ids}::uuid[])
      and due_at is not null
    returning id, order_id, item_id, product_id, variant_id, missing_keys`)
  const store = await tx.one<MailingStore>(sql`
    select id, name, timezone, country_code, default_language
    from stores
    where id = ${storeId}`)
  const orderIds = [...new Set(told.map(({ order_id }) => order_id))]
  await emailBuyers(tx, store!, orderIds)
  await fulfillGranted(tx, storeId, orderIds)
  const missing = told.filter(({ missing_keys }) => missing_keys > 0)
  if (missing.length === 0) return
  const { key_product_ids: ofApp } = await readSettings(tx, storeId)
  for (const one of missing) if (ofApp.includes(one.product_id)) tellApp(tx, store!, one)
  for (const product_id of new Set(missing.map((one) => one.product_id).filter((id) => !ofApp.includes(id))))
    queueExtensionNotice(tx, store!, { extension: 'downloads', letter: 'keys_missing', product_id })
}

function tellApp(tx: Tx, store: EventStore, { order_id, ...grant }: Told): void {
  const orderId = publicId('ord', order_id)
  const payload = keysMissing.write({
    order: { id: orderId },
    grant: {
      ...grant,
      id: publicId('dlg', grant.id),
      item_id: publicId('item', grant.item_id),
      product_id: publicId('prod', grant.product_id),
    },
  })
  emit(tx, store, 'downloads.keys_missing', orderId, payload)
}

type MailingStore = Pick<Store, 'id' | 'name' | 'timezone' | 'country_code' | 'default_language'>
type MailedBuyer = { id: string; customer_email: string; locale: Language | null }

/** Like all emails about an order: not to customers who get none about it, or who were erased. */
async function emailBuyers(tx: Tx, store: MailingStore, orderIds: readonly string[]): Promise<void> {
  const buyers = await tx.rows<MailedBuyer>(
    inStore(
      store.id,
      sql`
    select id, customer_email, locale
    from orders
    where store_id = ${store.id}
      and id = any(${orderIds}::uuid[])
      and notify_customer
      and customer_email is not null
      and customer_id is not null`,
    ),
  )
  const mails = buyers.map(({ id, customer_email, locale }) => ({
    recipient: customer_email,
    language: locale ?? ownLanguage(store),
    values: { extension: 'downloads', letter: 'granted', order_id: id },
    order_id: id,
  }))
  queueExtensionMails(tx, store.id, mails)
}
