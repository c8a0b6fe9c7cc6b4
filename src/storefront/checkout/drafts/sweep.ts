// Takes each due checkout one step further. Others cost nothing, since an index sorts them by due time
// (`node bench/checkout.ts`).
import type { Tx } from '../../../kit/database/database.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { byStore } from '../../../kit/database/bystore.ts'
import { findDue } from '../../../kit/database/due.ts'
import { inReach, inStore, sql, bindStore, type Sql } from '../../../kit/database/sql.ts'
import { emit } from '../../../tenancy/events/emit.ts'
import type { JobWork } from '../../../platform/process/jobs.ts'
import type { Feature } from '../../../tenancy/plans/plan.ts'
import { checkout, type CheckoutRow, type CheckoutDeps } from '../checkout.ts'
import { storefrontUrl } from '../../../tenancy/stores/store.ts'
import { openToken, recoveryUrl } from '../link.ts'
import { abandonedPayload } from '../cart/payload.ts'
import { withoutPersonal } from '../../../kit/declare/row.ts'
import { queueRecovery } from './recovery.ts'
import { decideNextStep, type DraftStep } from '../states.ts'

const batchSize = 500

export function sweepJob(deps: CheckoutDeps): JobWork {
  return {
    name: 'sweep checkouts',
    due: [{ table: 'listed_checkouts', due: 'due_at' }],
    run: async (tx) => ({ more: (await sweepCheckouts(tx, deps)) === batchSize }),
  }
}

/** Returns how many were due. */
export async function sweepCheckouts(tx: Tx, deps: CheckoutDeps): Promise<number> {
  const due = await takeDue(tx)
  const { abandonAfterSeconds, expireAfterSeconds } = deps.checkout
  const steps = due.map((one) => ({
    ...one,
    ...decideNextStep(one, {
      now: tx.now,
      abandonAfterSeconds: one.abandon_after_minutes === null ? abandonAfterSeconds : one.abandon_after_minutes * 60,
      expireAfterSeconds,
    }),
  }))
  for (const [step, change] of Object.entries(changes)) {
    const drafts = steps.filter((one) => one.step === step)
    if (drafts.length > 0) tx.later(change(drafts, tx.now))
  }
  const abandoned = steps.filter(({ step }) => step === 'abandon')
  abandoned.forEach((one) => announce(tx, one, deps))
  await Promise.all(byStore(abandoned).map(([storeId, own]) => queueRecovery(tx, storeId, own)))
  return due.length
}

type DueDraft = CheckoutRow & {
  store_id: string
  store_name: string
  storefront_url: string
  timezone: string
  features: Feature[]
  abandon_after_minutes: number | null
  has_ordered: boolean
}

type SteppedDraft = DueDraft & { due_at: Date | null }

async function takeDue(tx: Tx): Promise<DueDraft[]> {
  const { stores } = await findDue(tx, { table: 'listed_checkouts' }, batchSize)
  const drafts = stores.map(([storeId, ids]) => tx.rows<DueDraft>(inStore(storeId, lockDue(tx.now, storeId, ids))))
  return (await Promise.all(drafts)).flat()
}

/** Locks the drafts until each has taken its step, which sets its next due time. */
function lockDue(now: Date, storeId: string, ids: readonly string[]): Sql {
  return sql`
    select ${checkout.row.columns},
      checkouts.store_id, stores.name as store_name, ${storefrontUrl} as storefront_url, stores.timezone,
      plans.features, stores.checkout_abandon_after_minutes as abandon_after_minutes,
      checkouts.status = 'active' and checkouts.draft_since is not null and ${hasOrdered} as has_ordered
    from checkouts
    join stores on stores.id = ${storeId}
    join plans on plans.id = stores.plan_id
    where checkouts.store_id = ${storeId}
      and checkouts.id = any(${ids}::uuid[])
      and due_at <= ${now}
    for update of checkouts skip locked`
}

// The last eight digits are the same with and without a country code.
const hasOrdered = sql`(
  exists (
    select from orders
    where orders.store_id = ${bindStore('checkouts.store_id')}
      and lower(orders.customer_email) = lower(checkouts.customer_email)
      and orders.created_at >= checkouts.draft_since)
  or exists (
    select from orders
    where orders.store_id = ${bindStore('checkouts.store_id')}
      and right(orders.phone_digits, 8) = right(regexp_replace(checkouts.customer_phone, '\\D', '', 'g'), 8)
      and orders.created_at >= checkouts.draft_since))`

const changes: Record<DraftStep, (drafts: SteppedDraft[], now: Date) => Sql> = {
  abandon: (drafts, now) =>
    update(
      drafts,
      sql`
    status = 'abandoned',
    abandoned_at = ${now},
    updated_at = ${now},
    recovery_mail = 'withheld',
    due_at = taken.due_at`,
    ),
  spare: (drafts) => update(drafts, sql`due_at = taken.due_at`),
  expire: (drafts, now) =>
    update(
      drafts,
      sql`
    status = 'expired',
    updated_at = ${now},
    due_at = taken.due_at`,
    ),
  purge: (drafts) =>
    update(
      drafts,
      sql`
    ${withoutPersonal(checkout.fields)},
    due_at = null`,
    ),
  delete: (drafts) => sql`
    delete from checkouts
    using ${buildDraftRows(drafts)}
    where checkouts.store_id = taken.store_id
      and checkouts.id = taken.id
      and ${inReach('checkouts.store_id')}`,
}

function update(drafts: SteppedDraft[], set: Sql): Sql {
  return sql`
    update checkouts
    set ${set}
    from ${buildDraftRows(drafts)}
    where checkouts.store_id = taken.store_id
      and checkouts.id = taken.id
      and ${inReach('checkouts.store_id')}`
}

function buildDraftRows(drafts: SteppedDraft[]): Sql {
  return sql`unnest(${drafts.map(({ store_id }) => store_id)}::text[], ${drafts.map(({ id }) => id)}::uuid[],
    ${drafts.map(({ due_at }) => due_at)}::timestamptz[]) as taken (store_id, id, due_at)`
}

/** Emitted once per draft: an abandoned one never becomes active again. */
function announce(tx: Tx, draft: DueDraft, { vault }: CheckoutDeps): void {
  const id = publicId('chk', draft.id)
  const store = { id: draft.store_id, name: draft.store_name, timezone: draft.timezone }
  const token = openToken(vault, store.id, id, draft.token)
  if (!token || !draft.features.includes('abandoned_checkouts')) return
  const url = recoveryUrl(draft, token)
  const newRow: CheckoutRow = { ...draft, status: 'abandoned', abandoned_at: tx.now }
  emit(tx, store, 'checkout.abandoned', id, abandonedPayload(newRow, url))
}
