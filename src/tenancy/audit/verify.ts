// Verifies the chains of the audit log. A row that was changed, removed, inserted or moved breaks its store's chain.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
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

const sliceSize = 1000

type SealedRow = { sequence: number; hash: Buffer; digest: Buffer }

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
    const rows = await slice(db, chain.store_id, link.sequence)
    for (const row of rows) {
      if (row.sequence !== link.sequence + 1) return check('a row is missing')
      const next = nextLink(link, row.digest)
      if (!next.hash.equals(row.hash)) return check('the row was changed')
      link = next
    }
    if (rows.length < sliceSize) break
  }
  if (link.sequence < chain.sequence) return check('a row is missing')
  if (link.sequence > chain.sequence || !link.hash.equals(chain.hash))
    return check('the end of the chain does not match')
  return check(null)
}

/** The rows after this one, and any row with the same sequence. */
function slice(db: Db, storeId: string, after: number): Promise<SealedRow[]> {
  return db.rows<SealedRow>(sql`
    select sequence, hash, ${digestOfRow} as digest
    from audit_log
    where store_id = ${storeId}
      and sequence > ${after}
    order by sequence
    limit ${sliceSize}`)
}
