// Deletes the oldest entries of the audit log, a seal at a time once all of its entries are old. The sequence and hash
// of the last deleted entry become the new beginning of the chain, so that the rest can still be verified.
import type { Tx } from '../../kit/database/database.ts'
import { byStore } from '../../kit/database/bystore.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
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
  const fronts = byStore(overdue).map(([storeId]) =>
    tx.rows<Front>(buildChainFront(storeId, until, firstUuidAt(tx.now))),
  )
  return (await Promise.all(fronts)).flat()
}

function buildChainFront(storeId: string, until: string, now: string): Sql {
  return sql`
    with chain as materialized (
      select first_sequence
      from audit_chains
      where store_id = ${storeId}
      for update skip locked
    ), front as materialized (
      select first_sequence, coalesce((
        select least(last_entry, ${now}::uuid)
        from audit_seals
        where store_id = ${storeId}
          and sequence = first_sequence + 1), ${now}::uuid) as oldest
      from chain
    ), kept as (
      update audit_chains
      set oldest = front.oldest
      from front
      where audit_chains.store_id = ${storeId}
        and front.oldest >= ${until}
    )
    select ${storeId}::text as store_id, first_sequence, oldest < ${until} as is_old
    from front`
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
