// Each row of the audit log contains a hash of the store's previous row. A job adds the hashes in batches after the
// commit, so that writers do not wait for each other; the order of the chain is the order in which the job found the
// rows.
import { createHash } from 'node:crypto'
import type { Tx } from '../../kit/database/database.ts'
import { records, sql } from '../../kit/database/sql.ts'
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

/** The sequence and the hash of a chain's last row. */
export type ChainLink = { sequence: number; hash: Buffer }

const beginning: ChainLink = { sequence: 0, hash: Buffer.alloc(0) }

export function nextLink({ sequence, hash }: ChainLink, digest: Buffer): ChainLink {
  const next = sequence + 1
  return { sequence: next, hash: createHash('sha256').update(hash).update(`${next}\n`).update(digest).digest() }
}

export function sealJob(): JobWork {
  return { name: 'seal the audit log', run: sealBatch }
}

type UnsealedRow = { store_id: string; id: string; digest: Buffer }

async function sealBatch(tx: Tx): Promise<JobRound> {
  const rows = await tx.rows<UnsealedRow>(sql`
    select store_id, id, ${digestOfRow} as digest
    from audit_log
    where sequence is null
    order by store_id, id
    limit ${batchSize}`)
  if (rows.length > 0) await seal(tx, rows)
  return { more: rows.length === batchSize }
}

async function seal(tx: Tx, rows: UnsealedRow[]): Promise<void> {
  const stores = [...new Set(rows.map(({ store_id }) => store_id))]
  const chains = await tx.rows<ChainLink & { store_id: string }>(sql`
    select store_id, sequence, hash
    from audit_chains
    where store_id = any(${stores})`)
  const ends = new Map<string, ChainLink>(chains.map(({ store_id, ...end }) => [store_id, end]))
  const links = rows.map(({ store_id, id, digest }) => {
    const link = nextLink(ends.get(store_id) ?? beginning, digest)
    ends.set(store_id, link)
    return { store_id, id, ...inHex(link) }
  })
  tx.later(sql`
    update audit_log
    set sequence = sealed.sequence, hash = decode(sealed.hash, 'hex')
    from ${records('sealed', { store_id: 'text', id: 'uuid', sequence: 'bigint', hash: 'text' }, links)}
    where audit_log.store_id = sealed.store_id
      and audit_log.id = sealed.id`)
  const lasts = [...ends].map(([store_id, end]) => ({ store_id, ...inHex(end) }))
  tx.later(sql`
    insert into audit_chains (store_id, sequence, hash)
    select store_id, sequence, decode(hash, 'hex')
    from ${records('lasts', { store_id: 'text', sequence: 'bigint', hash: 'text' }, lasts)}
    on conflict (store_id) do update
    set sequence = excluded.sequence, hash = excluded.hash`)
}

function inHex({ sequence, hash }: ChainLink): { sequence: number; hash: string } {
  return { sequence, hash: hash.toString('hex') }
}
