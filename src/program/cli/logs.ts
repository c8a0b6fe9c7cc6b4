// stoa logs: the requests to a store and the deliveries of its webhooks, as they happen.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { firstUuidAt } from '../../kit/values/ids.ts'
import { limitIn } from './options.ts'
import { print } from '../../platform/process/terminal.ts'
import type { CommandActions } from './output.ts'
import { requireStore } from '../../tenancy/stores/store.ts'

export function logsCommand(program: Command, { read }: CommandActions): void {
  program
    .command('logs')
    .description("Print a store's latest requests and webhook deliveries")
    .requiredOption('--store <id>', 'ID of the store')
    .option('--limit <count>', 'how many of them, at most 100', '20')
    .option('-f, --follow', 'go on until Ctrl-C')
    .action(
      read(async ({ db }, { store: storeId, limit, follow }) => {
        const store = await requireStore({ db }, storeId!)
        const log = openLog(db, store.id)
        const count = limitIn(limit!, 100)
        const lines = (await log.latest(count)).slice(-count)
        if (!follow) return { json: { entries: lines }, text: lines.map(formatLogLine).join('\n') || 'No requests yet' }
        lines.forEach(printEntry)
        const printedAt = await followLog(log)
        return { json: { printed: printedAt + lines.length }, text: `Printed ${printedAt + lines.length} entries` }
      }),
    )
}

type RequestLine = {
  id: string
  at: Date
  method: string
  path: string
  query: string | null
  status: number
  code: string | null
  duration_ms: string
  credential: string | null
}
type DeliveryLine = {
  id: string
  at: Date | null
  event: string
  status: string
  attempts: number
  status_code: number | null
  error: string | null
  url: string | null
}
type LogLine = Omit<RequestLine, 'id'> | Omit<DeliveryLine, 'id'>

const pollMs = 300
/** Requests are written in batches, some seconds after their responses. */
const lateMs = 30_000
const maxAtOnce = 500

type LogReader = { latest(limit: number): Promise<LogLine[]>; news(): Promise<LogLine[]> }

/** Remembers what it has returned. */
function openLog(db: Db, storeId: string): LogReader {
  const printedUntil = new Map<string, Date>()
  const pending = new Map<string, number>()
  let newest = firstUuidAt(new Date(0))

  const listNewRequests = (rows: RequestLine[]): LogLine[] =>
    rows.flatMap(({ id, ...entry }) => {
      if (printedUntil.has(id)) return []
      printedUntil.set(id, entry.at)
      return [entry]
    })

  const listAttempts = (rows: DeliveryLine[]): LogLine[] =>
    rows.flatMap(({ id, ...entry }) => {
      if (id > newest) newest = id
      const isNew = entry.attempts > (pending.get(id) ?? 0)
      if (entry.status === 'pending') pending.set(id, entry.attempts)
      else pending.delete(id)
      return isNew ? [entry] : []
    })

  const read = async (from: string, limit: number): Promise<LogLine[]> => {
    const [requests, deliveries] = await Promise.all([
      requestsSince(db, storeId, from, limit),
      deliveriesAfter(db, storeId, newest, [...pending.keys()], limit),
    ])
    return [...listNewRequests(requests), ...listAttempts(deliveries)].sort((a, b) => Number(a.at) - Number(b.at))
  }

  return {
    latest: (limit) => read(firstUuidAt(new Date(0)), limit),
    async news() {
      const since = new Date(Date.now() - lateMs)
      for (const [id, at] of printedUntil) if (at < since) printedUntil.delete(id)
      return read(firstUuidAt(since), maxAtOnce)
    },
  }
}

function requestsSince(db: Db, storeId: string, from: string, limit: number) {
  return db.rows<RequestLine>(sql`
    select id, created_at as at, method, path, query, status, code, duration_ms, credential
    from requests
    where store_id = ${storeId}
      and id >= ${from}
    order by id desc
    limit ${limit}`)
}

/** Those that are newer, and those with these ids, which were pending. */
function deliveriesAfter(db: Db, storeId: string, newest: string, pending: readonly string[], limit: number) {
  return db.rows<DeliveryLine>(sql`
    select recent.id, attempted_at as at, recent.event, recent.status, attempts, status_code, error,
      coalesce(recent.url, webhooks.url) as url
    from webhooks
    cross join lateral (
      (select * from deliveries
      where store_id = ${storeId}
        and webhook_id = webhooks.id
        and id > ${newest}
      order by id desc
      limit ${limit})
      union
      select * from deliveries
      where store_id = ${storeId}
        and webhook_id = webhooks.id
        and id = any(${pending}::uuid[])) as recent
    where webhooks.store_id = ${storeId}`)
}

async function followLog(log: LogReader): Promise<number> {
  let isOver = false
  let count = 0
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => (isOver = true))
  while (!isOver) {
    const entries = await log.news()
    entries.forEach(printEntry)
    count += entries.length
    await sleep(pollMs)
  }
  return count
}

function printEntry(entry: LogLine): void {
  print(process.argv.includes('--json'), entry, formatLogLine(entry))
}

function formatLogLine(entry: LogLine): string {
  const time = entry.at?.toISOString().slice(11, 23) ?? ''
  if ('method' in entry) {
    const { method, path, query, status, code, duration_ms, credential } = entry
    const caller = credential ?? 'a shopper'
    const address = query ? `${path}?${query}` : path
    return `${time}  ${method} ${address} → ${code ? `${status} ${code}` : status} in ${duration_ms} ms, by ${caller}`
  }
  const { event, url, status_code, error, attempts } = entry
  return `${time}  ${event} → ${status_code ?? error ?? ''} ${url}${attempts > 1 ? `, attempt ${attempts}` : ''}`
}
