// The partitions of the log of requests: one a day, made ahead and dropped whole.
import { raw, sql } from '../../kit/database/sql.ts'
import type { Tx } from '../../kit/database/database.ts'
import { advisoryLock } from '../../kit/database/advisorylock.ts'
import { firstUuidAt } from '../../kit/values/ids.ts'
import type { JobWork } from '../../platform/process/jobs.ts'

const keptDays = 7
const aheadDays = 2
const dayMs = 86_400_000

export function daysJob(): JobWork {
  return { name: 'turn the log of requests', run: turnDays }
}

/**
 * Makes the days from yesterday on, of which there may still be requests to write. Returns the beginning of the first
 * of those days.
 */
export async function makeDays(tx: Tx): Promise<Date> {
  await prepareDays(tx)
  return toUtcMidnight(tx.now, -1)
}

async function turnDays(tx: Tx): Promise<void> {
  const names = await prepareDays(tx)
  const oldest = buildPartitionName(toUtcMidnight(tx.now, -keptDays))
  for (const name of names) if (name < oldest) tx.later(raw(`drop table ${name}`))
}

/** Returns the names of the days that there were before. */
async function prepareDays(tx: Tx): Promise<Set<string>> {
  // With row-level security, sessions use a role that owns no tables.
  tx.later(sql`set local role none`)
  advisoryLock(tx, 'days of the log of requests')
  const days = await tx.rows<{ name: string }>(sql`
    select relname as name
    from pg_inherits
    join pg_class on pg_class.oid = inhrelid
    where inhparent = 'requests'::regclass`)
  const names = new Set(days.map(({ name }) => name))
  for (let day = -1; day <= aheadDays; day++) {
    const at = toUtcMidnight(tx.now, day)
    if (!names.has(buildPartitionName(at))) make(tx, at)
  }
  return names
}

function make(tx: Tx, day: Date): void {
  const bounds = [day, toUtcMidnight(day, 1)].map((at) => `('${firstUuidAt(at)}')`)
  tx.later(raw(`create table ${buildPartitionName(day)} partition of requests for values from ${bounds.join(' to ')}`))
}

/** Midnight UTC of the day that is this many days later. */
function toUtcMidnight(time: Date, days: number): Date {
  return new Date((Math.floor(time.getTime() / dayMs) + days) * dayMs)
}

/** `requests_20261122`: in the order of time. */
function buildPartitionName(day: Date): string {
  return `requests_${day.toISOString().slice(0, 10).replaceAll('-', '')}`
}
