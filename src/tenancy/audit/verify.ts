// Verifies the chains of the audit log. A row that was changed, removed or moved breaks its store's chain, and one that
// was inserted is in none.
import type { Db } from '../../kit/database/database.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import { digestOfRow, nextLink, type ChainLink } from './chain.ts'

export type ChainCheck = {
  store_id: string
  /**
   * The number of verified rows and the hash of the last one. A copy stored elsewhere can later prove that the chain
   * was not rewritten.
   */
  rows: number
  sequence: number
  hash: string
  /** The first row that does not match, if any. */
  broken: { sequence: number; reason: string } | null
}

type Chain = { store_id: string; sequence: number; hash: Buffer; first_sequence: number; first_hash: Buffer }

export async function verifyAudit(db: Db, storeId?: string): Promise<ChainCheck[]> {
  const chains = await db.rows<Chain>(sql`
    select store_id, sequence, hash, first_sequence, first_hash
    from audit_chains
    where ${storeId ?? null}::text is null or store_id = ${storeId ?? null}
    order by store_id`)
  const checks: ChainCheck[] = []
  for (const chain of chains) checks.push(await verifyChain(db, chain))
  return checks
}

const sealsAtOnce = 20

/** `digest`: null if the entry is missing. */
type SealedRow = { sequence: number; hash: Buffer; digest: Buffer | null }

async function verifyChain(db: Db, chain: Chain): Promise<ChainCheck> {
  let link: ChainLink = { sequence: chain.first_sequence, hash: chain.first_hash }
  const check = (reason: string | null): ChainCheck => ({
    store_id: chain.store_id,
    rows: link.sequence - chain.first_sequence,
    sequence: link.sequence,
    hash: link.hash.toString('hex'),
    broken: reason === null ? null : { sequence: link.sequence + 1, reason },
  })
  for (;;) {
    const rows = await slice(db, chain, link.sequence)
    for (const row of rows) {
      if (row.sequence !== link.sequence + 1 || row.digest === null) return check('a row is missing')
      const next = nextLink(link, row.digest)
      if (!next.hash.equals(row.hash)) return check('the row was changed')
      link = next
    }
    if (rows.length === 0) break
  }
  if (link.sequence < chain.sequence) return check('a row is missing')
  if (link.sequence > chain.sequence || !link.hash.equals(chain.hash))
    return check('the end of the chain does not match')
  return check((await hasOthers(db, chain.store_id)) ? 'a row was inserted' : null)
}

/** True if the store has entries that are neither in its chain nor about to be sealed. */
async function hasOthers(db: Db, storeId: string): Promise<boolean> {
  const row = await db.one<{ has_others: boolean }>(sql`
    select sequence - first_sequence < (
        select count(*)
        from audit_log
        where store_id = ${storeId}
      ) - (
        select count(*)
        from audit_unsealed
        where store_id = ${storeId}
      ) as has_others
    from audit_chains
    where store_id = ${storeId}`)
  return row!.has_others
}

/** The entries of the next seals, in the order of the chain. Seals made since the chain was read are left out. */
function slice(db: Db, { store_id, sequence }: Chain, after: number): Promise<SealedRow[]> {
  return db.rows<SealedRow>(sql`
    select seals.sequence + entry.position - 1 as sequence, entry.hash, (
      select ${digestOfRow}
      from audit_log
      where store_id = ${store_id}
        and id = entry.id) as digest
    from (
      select sequence, entries, hashes
      from audit_seals
      where store_id = ${store_id}
        and sequence between ${after + 1} and ${sequence}
      order by sequence
      limit ${raw(String(sealsAtOnce))}) as seals
    cross join unnest(seals.entries, seals.hashes) with ordinality as entry (id, hash, position)
    order by seals.sequence, entry.position`)
}
