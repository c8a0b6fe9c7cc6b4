// Emails those who wait for what can be bought again. The request is deleted in the transaction that queues its email,
// so that each email is sent once, whichever node runs the job.
import { expiryRounds } from '../../kit/database/batches.ts'
import { byStore } from '../../kit/database/bystore.ts'
import type { Tx } from '../../kit/database/database.ts'
import { inReach, raw, sql } from '../../kit/database/sql.ts'
import type { Language } from '../../kit/values/language.ts'
import { isItemPurchasable } from '../../commerce/inventory/availability.ts'
import type { Job } from '../../platform/process/jobs.ts'
import { queueExtensionMails } from '../../tenancy/emails/queue.ts'
import { markEmail } from './operations.ts'

const batchSize = 200

const isWaiting = sql`requests.confirmed_at is not null`

export function buildBackInStockJobs(): Job[] {
  return [
    { name: 'backinstock: email', everySeconds: 60, run: emailWaiting },
    {
      name: 'backinstock: drop old requests',
      everySeconds: 3600,
      run: expiryRounds(500, {
        table: 'backinstock_requests',
        key: { store_id: 'text', id: 'uuid' },
        hasEnded: (now) => sql`expires_at <= ${now}`,
      }),
    },
  ]
}

type Due = { store_id: string; id: string }

async function emailWaiting(tx: Tx): Promise<{ more: boolean }> {
  // Each item is tested once, however many wait for it.
  const due = await tx.rows<Due>(sql`
    select requests.store_id, requests.id
    from (
      select distinct store_id, product_id, variant_id
      from backinstock_requests as requests
      where ${isWaiting}
        and ${inReach('requests.store_id')}
    ) as wanted
    join products on products.store_id = wanted.store_id
      and products.id = wanted.product_id
    left join variants on variants.store_id = wanted.store_id
      and variants.id = wanted.variant_id
    join backinstock_requests as requests on requests.store_id = wanted.store_id
      and requests.product_id = wanted.product_id
      and requests.variant_id is not distinct from wanted.variant_id
    where ${isWaiting}
      and ${isItemPurchasable}
    limit ${raw(String(batchSize))}`)
  for (const [storeId, own] of byStore(due))
    await emailOfStore(
      tx,
      storeId,
      own.map(({ id }) => id),
    )
  return { more: due.length === batchSize }
}

type Sent = { product_id: string; variant_id: string | null; email: string; language: Language }

async function emailOfStore(tx: Tx, storeId: string, ids: readonly string[]): Promise<void> {
  const sent = await tx.rows<Sent>(sql`
    delete from backinstock_requests as requests
    where requests.store_id = ${storeId}
      and requests.id = any(${ids}::uuid[])
      and ${isWaiting}
    returning product_id, variant_id, email, language`)
  const mails = sent.map(({ product_id, variant_id, email, language }) => ({
    recipient: email,
    language,
    values: {
      extension: 'backinstock',
      letter: 'available',
      product_id,
      ...(variant_id ? { variant_id } : {}),
      mark: markEmail(email),
    },
  }))
  queueExtensionMails(tx, storeId, mails)
}
