// A job that follows a time in a column declares it; a fork whose clock moves would otherwise run it too late.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from '../../test/world.ts'
import type { Database, Tx } from '../kit/database/database.ts'
import { isSql, type Sql } from '../kit/database/sql.ts'
import type { Job } from '../platform/process/jobs.ts'

const { app } = await openWorld()

/** Nobody sees when these are gone. */
const cleanedUp = new Set(['media_leftovers.due_at', 'downloads_leftovers.due_at', 'store_slugs.until'])

/** Texts and values by turns. */
function partsOf(query: Sql): unknown[] {
  return query.strings.flatMap((text, index) => {
    if (index === query.values.length) return [text]
    const value = query.values[index]
    return [text, ...(isSql(value) ? partsOf(value) : [{ value }])]
  })
}

/** The columns that a statement compares with the time, each with its table. */
function timesIn(query: Sql, now: Date): string[] {
  const parts = partsOf(query).map((part) => (typeof part === 'string' ? part : isNow(part, now) ? '{now}' : '{}'))
  const text = parts.join('')
  const table = /\b(?:from|update) (\w+)/.exec(text)?.[1]
  return [...text.matchAll(/(\w+) <= \{now\}/g)].map(([, column]) => `${table}.${column}`)
}

const isNow = (part: unknown, now: Date) => {
  const { value } = part as { value: unknown }
  return value instanceof Date && value.getTime() === now.getTime()
}

/** The times that a run of the job looks for and that it does not declare. */
async function undeclaredTimes(db: Database, job: Job): Promise<string[]> {
  const times = new Set<string>()
  await db.transaction(async (tx) => {
    const watched = new Proxy(tx, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown
        if (typeof value !== 'function') return value
        return (...values: unknown[]) => {
          for (const query of values.filter(isSql)) timesIn(query, tx.now).forEach((time) => times.add(time))
          return Reflect.apply(value, target, values) as unknown
        }
      },
    }) as Tx
    await job.run(watched)
  })
  const declared = (job.due ?? []).map(({ table, due }) => `${table}.${due}`)
  const isRemoval = (time: string) => time.endsWith('.expires_at') || cleanedUp.has(time)
  return [...times].filter((time) => !declared.includes(time) && !isRemoval(time))
}

test('every job declares the times that its rows wait for', async () => {
  const missing: Record<string, string[]> = {}
  for (const job of app.jobs.list) {
    const times = await undeclaredTimes(app.db, job)
    if (times.length > 0) missing[job.name] = times
  }
  assert.deepEqual(missing, {})
})

test('a job that does not declare one is found', async () => {
  const found: Record<string, string[]> = {}
  for (const { due, ...job } of app.jobs.list.filter((one) => one.due?.some(({ delayMs = 0 }) => delayMs === 0)))
    found[job.name] = await undeclaredTimes(app.db, { ...job })
  assert.deepEqual(found, {
    'sweep checkouts': ['listed_checkouts.due_at'],
    'tell agents of orders': ['agent_orders.due_at'],
    import: ['imports.due_at'],
    'publish products': ['products.publish_at', 'products.unpublish_at'],
    'ask for refunds': ['refunds.ask_at'],
    'ask for captures': ['payment_sessions.ask_at'],
    'look at payments': ['payment_sessions.look_at'],
    'recheck payments': ['payment_sessions.recheck_at'],
    'email summaries': ['notification_settings.mail_due_at'],
    'keep forks': ['forks.due_at'],
    'downloads: email': ['downloads_grants.due_at'],
  })
})
