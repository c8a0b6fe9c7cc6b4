// What a load leaves behind in the database: bytes by table, and work that still waits.
import type pg from 'pg'
import { table } from '../report.ts'

/** Bytes by table, with indexes. Partitions count as their table. */
export type TableBytes = Map<string, number>

export async function readTableBytes(client: pg.Client): Promise<TableBytes> {
  const { rows } = await client.query<{ name: string; bytes: string }>(`
    select coalesce(parent.relname, own.relname) as name, sum(pg_total_relation_size(own.oid)) as bytes
    from pg_class as own
    left join pg_inherits on inhrelid = own.oid
    left join pg_class as parent on parent.oid = inhparent
    where own.relnamespace = 'public'::regnamespace
      and own.relkind = 'r'
    group by 1`)
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]))
}

// prettier-ignore
const waitingRows = {
  'audit entries without a seal': 'audit_unsealed',
  'events without a number':      'unnumbered_events',
  'orders without a sum':         'unsummed',
  'past days without a sum':      'unsummed_days where day < $1',
  'pending deliveries':           `deliveries where status = 'pending'`,
  'queued emails':                `mails where status = 'queued'`,
}

/** By name; without those that are 0. Reports sum today themselves. */
export async function readBacklog(client: pg.Client): Promise<Record<string, number>> {
  const counts = Object.entries(waitingRows).map(([name, rows]) => `(select count(*)::int from ${rows}) as "${name}"`)
  const today = new Date().toISOString().slice(0, 10)
  const { rows } = await client.query<Record<string, number>>(`select ${counts.join(', ')}`, [today])
  return Object.fromEntries(Object.entries(rows[0]!).filter(([, count]) => count > 0))
}

/** A table of KB per 1,000 requests; those below 1 KB share a row. */
export function growthTable(before: TableBytes, after: TableBytes, requests: number): string {
  const growth = [...after].map(([name, bytes]) => [name, (bytes - (before.get(name) ?? 0)) / requests] as const)
  const large = growth.filter(([, kilobytes]) => kilobytes >= 1).toSorted(([, one], [, other]) => other - one)
  const sum = (some: typeof growth) => some.reduce((total, [, kilobytes]) => total + kilobytes, 0)
  const rows = [...large, ['all others', sum(growth) - sum(large)] as const, ['together', sum(growth)] as const]
  return table(
    ['Table, with its indexes', 'KB per 1,000 requests'],
    rows.map(([name, kilobytes]) => [name, kilobytes.toFixed(0)]),
  )
}
