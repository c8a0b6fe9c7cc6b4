// Emails buyers what they were granted, and tells the merchant when license keys are missing.
import type { Tx } from '../../kit/database/database.ts'
import { findDue } from '../../kit/database/due.ts'
import { inStore, sql } from '../../kit/database/sql.ts'
import type { Language } from '../../kit/values/language.ts'
import type { Job } from '../../platform/process/jobs.ts'
import { queueExtensionMails, queueExtensionNotice } from '../../tenancy/emails/queue.ts'
import { ownLanguage } from '../../tenancy/stores/language.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { buildLeftoversJob, type FileDeps } from './files.ts'
import { handOutMissing } from './keys.ts'

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

type Told = { order_id: string; product_id: string; missing_keys: number }

async function emailOfStore(tx: Tx, storeId: string, ids: readonly string[]): Promise<void> {
  await handOutMissing(tx, storeId, sql`downloads_grants.id = any(${ids}::uuid[])`)
  const told = await tx.rows<Told>(sql`
    update downloads_grants
    set due_at = null
    where store_id = ${storeId}
      and id = any(${ids}::uuid[])
      and due_at is not null
    returning order_id, product_id, missing_keys`)
  const store = await tx.one<MailingStore>(sql`
    select id, country_code, default_language
    from stores
    where id = ${storeId}`)
  await emailBuyers(tx, store!, [...new Set(told.map(({ order_id }) => order_id))])
  const missing = told.filter(({ missing_keys }) => missing_keys > 0)
  for (const product_id of new Set(missing.map((one) => one.product_id)))
    queueExtensionNotice(tx, store!, { extension: 'downloads', letter: 'keys_missing', product_id })
}

type MailingStore = Pick<Store, 'id' | 'country_code' | 'default_language'>
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
