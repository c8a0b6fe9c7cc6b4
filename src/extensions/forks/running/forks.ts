// The forks that this process has open: opened by their first request, closed when they are no longer used.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { rm } from 'node:fs/promises'
import { sql } from '../../../kit/database/sql.ts'
import { conflict, notFound, unavailable } from '../../../kit/values/errors.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { addressBlock } from '../../../platform/ratelimit/addressblock.ts'
import { requireQuota } from '../../../platform/ratelimit/ratelimit.ts'
import { forkDeleted, type ForkDeps } from '../deps.ts'
import { fork } from '../fork.ts'
import { buildNow, sweepForks } from '../job.ts'
import type { EnterFork } from './server.ts'
import { getForkFolder, openFork, type ForkParts, type ForkRow, type OpenFork } from './openfork.ts'

export type Forks = ForkDeps['forks'] & { enter: EnterFork; close(): Promise<void> }

/** Each has about eight connections to PostgreSQL. */
const maxOpen = 5
/** Requests of an address to forks that do not exist, in a minute. */
const maxUnknown = 60
const idleMs = 10 * 60_000
const workEveryMs = 5000

type ForkEntry = { opening: Promise<OpenFork>; usedMs: number; requests: number; hasWritten: boolean }

export function openForks(deps: ForkParts): Forks {
  const { db, installation, log, isEager } = deps
  const visits = openVisits(deps)
  const workOn = async (id: string, own: ForkEntry) => {
    const row = await findFork(deps, id)
    if (!row) return visits.forget(id)
    if (own.requests === 0 && performance.now() - own.usedMs > idleMs) return visits.close(id)
    const open = await own.opening
    if (!open.isMoving()) open.clock.setAhead(row.ahead_ms)
    const { hasWritten } = own
    own.hasWritten = false
    await open.work(hasWritten)
  }
  const tell = (id: string, what: string) => (error: unknown) =>
    log.error({ err: error, fork: publicId('fork', id) }, what)
  const timer = setInterval(() => {
    for (const [id, own] of visits.all()) void workOn(id, own).catch(tell(id, 'the work of a fork failed'))
  }, workEveryMs).unref()
  const build = (id: string) =>
    buildNow(db, id, installation).catch(tell(id, 'a fork could not be made; the job tries again'))
  const unsubscribe = db.bus.subscribe(forkDeleted, ({ id }) => void visits.forget(id))
  return {
    clock: null,
    ...(isEager ? { build } : {}),
    sweep: () => sweepForks(db, installation),
    async enter(id, ip, request, response) {
      const row = await findGuarded(deps, id, ip)
      if (row.status !== 'ready') throw conflict(`The fork is not ready: its status is ${row.status}`)
      const own = await visits.visit(row)
      countRequest(own, request, response)
      const open = await own.opening
      if (!open.isMoving()) open.clock.setAhead(row.ahead_ms)
      open.server.routing(request, response)
    },
    async close() {
      clearInterval(timer)
      unsubscribe()
      await Promise.all([...visits.all()].map(([id]) => visits.close(id)))
    },
  }
}

function openVisits(deps: ForkParts) {
  const entries = new Map<string, ForkEntry>()
  const close = async (id: string) => {
    const own = entries.get(id)
    entries.delete(id)
    const open = await own?.opening.catch(() => null)
    await open?.close()
  }
  /** Closes the least recently used fork if all places are taken. */
  const makeRoom = async () => {
    if (entries.size < maxOpen) return
    const idle = [...entries].filter(([, { requests }]) => requests === 0)
    const [oldest] = idle.sort(([, one], [, other]) => one.usedMs - other.usedMs)
    if (!oldest) throw unavailable()
    await close(oldest[0])
  }
  return {
    all: () => [...entries],
    close,
    /** Also deletes its images. */
    async forget(id: string) {
      await close(id)
      await rm(getForkFolder(deps, id), { recursive: true, force: true })
    },
    async visit(row: ForkRow): Promise<ForkEntry> {
      const existing = entries.get(row.id)
      if (existing) return existing
      await makeRoom()
      const own = entries.get(row.id) ?? { opening: openFork(deps, row), usedMs: 0, requests: 0, hasWritten: true }
      entries.set(row.id, own)
      own.opening.catch(() => entries.delete(row.id))
      return own
    },
  }
}

/** Stays open while it answers. */
function countRequest(own: ForkEntry, { method }: IncomingMessage, response: ServerResponse): void {
  own.requests++
  if (method !== 'GET' && method !== 'HEAD') own.hasWritten = true
  response.once('close', () => {
    own.requests--
    own.usedMs = performance.now()
  })
}

/** Refuses an address with too many wrong guesses before it asks the database. */
async function findGuarded(deps: ForkParts, id: string, ip: string): Promise<ForkRow> {
  const { db, limiter } = deps
  const guesses = `forks:${addressBlock(ip)}`
  requireQuota(await limiter.hit(guesses, maxUnknown, { cost: 0 }), db.clock.now())
  const row = await findFork(deps, id)
  if (row) return row
  await limiter.hit(guesses, maxUnknown)
  throw notFound(fork.noun)
}

async function findFork({ db }: ForkParts, id: string): Promise<ForkRow | undefined> {
  return db.one<ForkRow>(sql`
    select store_id, id, status, ahead_ms, worked_until, expires_at
    from forks
    where id = ${id}
      and expires_at > ${db.clock.now()}`)
}
