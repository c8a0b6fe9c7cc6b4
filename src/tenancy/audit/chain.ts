// Each entry of the audit log has a hash over it and the hash of the store's previous entry. A job seals entries after
// their commit, so that writers do not wait for each other: a row of audit_seals has the hashes of new entries of a
// store, and no entry is rewritten. The order of the chain is the order in which the job found the entries.
import { createHash } from 'node:crypto'
import type { Tx } from '../../kit/database/database.ts'
import { inReach, raw, records, sql } from '../../kit/database/sql.ts'
import type { JobWork, JobRound } from '../../platform/process/jobs.ts'
import { digestOfEntry } from './erase.ts'

const batchSize = 500

const request = sql`
        case when request_uuid is null then to_json(request_id) else json_build_array(request_id, request_uuid) end`

const operation = sql`
        case when proposal_id is null then to_json(operation)
             else json_build_array(operation, proposal_id, proposed_by) end`

/** Covers the whole row. Personal values are covered by their digests, which remain when the values are erased. */
export const digestOfRow = sql`
      sha256(convert_to(json_build_array(store_id, id, ${request}, actor_kind, actor_id, actor_user, ${operation},
        records, changes::text, array(select ${digestOfEntry} from json_array_elements(personal) as entry),
        (extract(epoch from created_at) * 1000)::bigint)::text, 'UTF8'))`

/** The sequence and the hash of an entry in its chain. */
export type ChainLink = { sequence: number; hash: Buffer }

const beginning: ChainLink = { sequence: 0, hash: Buffer.alloc(0) }

export function nextLink({ sequence, hash }: ChainLink, digest: Buffer): ChainLink {
  const next = sequence + 1
  return { sequence: next, hash: createHash('sha256').update(hash).update(`${next}\n`).update(digest).digest() }
}

export function sealJob(): JobWork {
  return { name: 'seal the audit log', run: sealBatch }
}

type UnsealedRow = { store_id: string; id: string; records: string[]; digest: Buffer }

async function sealBatch(tx: Tx): Promise<JobRound> {
  const entries = await tx.rows<{ store_id: string; id: string }>(sql`
    select store_id, entry_id as id
    from audit_unsealed
    where ${inReach('store_id')}
    order by store_id, entry_id
    limit ${raw(String(batchSize))}`)
  if (entries.length === 0) return {}
  const entriesToSeal = sql`unnest(${entries.map(({ store_id }) => store_id)}::text[],
      ${entries.map(({ id }) => id)}::uuid[]) as found (store_id, id)`
  tx.later(sql`
    delete from audit_unsealed
    using ${entriesToSeal}
    where audit_unsealed.store_id = found.store_id
      and audit_unsealed.entry_id = found.id
      and ${inReach('audit_unsealed.store_id')}`)
  const rows = await tx.rows<UnsealedRow>(sql`
    select store_id, id, records, ${digestOfRow} as digest
    from audit_log
    where (store_id, id) in (select found.store_id, found.id from ${entriesToSeal})
      and ${inReach('store_id')}
    order by store_id, id`)
  if (rows.length > 0) await seal(tx, rows)
  return { more: entries.length === batchSize }
}

async function seal(tx: Tx, rows: UnsealedRow[]): Promise<void> {
  const byStore = Map.groupBy(rows, ({ store_id }) => store_id)
  const chains = await tx.rows<ChainLink & { store_id: string }>(sql`
    select store_id, sequence, hash
    from audit_chains
    where store_id = any(${[...byStore.keys()]})`)
  const ends = new Map<string, ChainLink>(chains.map(({ store_id, ...end }) => [store_id, end]))
  const seals = [...byStore].map(([store_id, entries]) => buildSeal(store_id, ends.get(store_id) ?? beginning, entries))
  const recordEntries = rows.flatMap(({ store_id, id, records: own }) =>
    [...new Set(own)].map((record_id) => ({ store_id, record_id, id })),
  )
  tx.later(sql`
    insert into audit_records (store_id, record_id, entry_id)
    select store_id, record_id, id
    from ${records('indexed', { store_id: 'text', record_id: 'uuid', id: 'uuid' }, recordEntries)}`)
  const types = { store_id: 'text', sequence: 'bigint', last_entry: 'uuid', entries: 'uuid[]', hashes: 'bytea[]' }
  tx.later(sql`
    insert into audit_seals (store_id, sequence, last_entry, entries, hashes)
    select store_id, sequence, last_entry, entries, hashes
    from ${records('seals', types, seals)}`)
  tx.later(sql`
    insert into audit_chains (store_id, sequence, hash)
    select store_id, sequence + cardinality(hashes) - 1, hashes[cardinality(hashes)]
    from ${records('seals', types, seals)}
    on conflict (store_id) do update
    set sequence = excluded.sequence, hash = excluded.hash`)
}

/** The entries of a store are in the order of their ids. Arrays are in PostgreSQL's form. */
function buildSeal(store_id: string, end: ChainLink, entries: UnsealedRow[]) {
  let link = end
  const hashes = entries.map(({ digest }) => {
    link = nextLink(link, digest)
    return `"\\\\x${link.hash.toString('hex')}"`
  })
  return {
    store_id,
    sequence: end.sequence + 1,
    last_entry: entries.at(-1)!.id,
    entries: `{${entries.map(({ id }) => id).join(',')}}`,
    hashes: `{${hashes.join(',')}}`,
  }
}
