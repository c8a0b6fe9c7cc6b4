// Deletes the oldest entries of the audit log, a seal at a time once all of its entries are old. The sequence and hash
// of the last deleted entry become the new beginning of the chain, so that the rest can still be verified.
import type { Tx } from '../../kit/database/database.ts'
import { byStore } from '../../kit/database/bystore.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import { firstUuidAt } from '../../kit/values/ids.ts'
import type { JobWork } from '../../platform/process/jobs.ts'
import { overdueStores } from '../../kit/database/overdue.ts'

const storesAtOnce = 20
const sealsAtOnce = 20
const dayMs = 24 * 3600_000

export function auditRetentionJob(keptDays: number): JobWork {
  return {
    name: 'drop old audit entries',
    async run(tx) {
      const until = firstUuidAt(new Date(tx.now.getTime() - keptDays * dayMs))
      const fronts = await nextFronts(tx, until)
      const old = fronts.find(({ is_old }) => is_old)
      if (old) await dropFront(tx, old, until)
      return { more: fronts.length > 0 }
    },
  }
}

type Front = { store_id: string; first_sequence: number; is_old: boolean }

/** Looks at the oldest seals of the next stores. A store whose oldest seal stays is revisited once that is old. */
async function nextFronts(tx: Tx, until: string): Promise<Front[]> {
  const overdue = await tx.rows<{ store_id: string }>(overdueStores('audit_chains', until, tx.now, storesAtOnce))
  const fronts = byStore(overdue).map(([storeId]) => findFront(tx, storeId, until))
  return (await Promise.all(fronts)).flat()
}

async function findFront(tx: Tx, store_id: string, until: string): Promise<Front[]> {
  const chain = await tx.one<{ first_sequence: number }>(sql`
    select first_sequence
    from audit_chains
    where store_id = ${store_id}
    for update skip locked`)
  if (!chain) return []
  const now = firstUuidAt(tx.now)
  const seal = await tx.one<{ oldest: string }>(sql`
    select least(last_entry, ${now}::uuid) as oldest
    from audit_seals
    where store_id = ${store_id}
      and sequence = ${chain.first_sequence + 1}`)
  const oldest = seal?.oldest ?? now
  const is_old = oldest < until
  if (!is_old)
    tx.later(sql`
    update audit_chains
    set oldest = ${oldest}
    where store_id = ${store_id}`)
  return [{ store_id, first_sequence: chain.first_sequence, is_old }]
}

async function dropFront(tx: Tx, { store_id, first_sequence }: Front, oldest: string): Promise<void> {
  const seals = await tx.rows<{ sequence: number; hash: Buffer; entries: string[]; is_old: boolean }>(sql`
    select sequence + cardinality(entries) - 1 as sequence, hashes[cardinality(hashes)] as hash, entries,
      last_entry < ${oldest} as is_old
    from audit_seals
    where store_id = ${store_id}
      and sequence > ${first_sequence}
    order by audit_seals.sequence
    limit ${raw(String(sealsAtOnce))}`)
  const firstKept = seals.findIndex(({ is_old }) => !is_old)
  const old = firstKept < 0 ? seals : seals.slice(0, firstKept)
  const last = old.at(-1)!
  const entries = sql`any(${old.flatMap((seal) => seal.entries)}::uuid[])`
  tx.later(sql`
    delete from audit_records
    using audit_log
    where audit_log.store_id = ${store_id}
      and audit_log.id = ${entries}
      and audit_records.store_id = ${store_id}
      and audit_records.record_id = any(audit_log.records)
      and audit_records.entry_id = audit_log.id`)
  tx.later(sql`
    delete from audit_log
    where store_id = ${store_id}
      and id = ${entries}`)
  tx.later(sql`
    delete from audit_seals
    where store_id = ${store_id}
      and sequence <= ${last.sequence}`)
  tx.later(sql`
    update audit_chains
    set first_sequence = ${last.sequence}, first_hash = ${last.hash}
    where store_id = ${store_id}`)
}
