// PostgreSQL through pg: named prepared statements, rows as objects or as arrays of text, and the one way to a
// transaction.
import { unnamed, type Cause } from '../values/cause.ts'
import type { Clock } from '../values/clock.ts'
import { readWithRetry, queries } from './queries.ts'
import { openConnections, type Connections } from './connections.ts'
import { openBus, type Bus } from './bus.ts'
import type { Database, StoreDatabase } from './database.ts'
import { TimedOut } from './errors.ts'
import { openPointReads, type PointRead } from './pointreads.ts'
import type { Statement } from './sql.ts'
import { rehearse, transaction, type Closing } from './transaction.ts'

type Opening = {
  url: string
  clock: Clock
  connections?: number
  /** What links inside records begin with; SQL reads it as current_setting('stoa.base_url'). */
  baseUrl?: string
  /** Further settings of its sessions, e.g. `enable_seqscan=off`. */
  settings?: string[]
  /** What a caller waits for a read or a whole transaction: for a connection, all answers and what is tried again. */
  patienceMs?: number
  /** Row-level security holds for its sessions: what is asked for one store sees no row of another. */
  hasRowSecurity?: boolean
  /** Writes down what each of its transactions has changed, which triggers note for it. */
  journal?: Closing
  /** The bus of another database of the same app. */
  bus?: Bus
}

export function openDatabase({
  url,
  clock,
  connections: count = 8,
  baseUrl = '',
  settings = [],
  patienceMs = 5000,
  hasRowSecurity = false,
  journal,
  bus = openBus(),
}: Opening): Database {
  const allSettings = [`stoa.base_url=${baseUrl}`, ...(journal ? ['stoa.journal=on'] : []), ...settings]
  const connections = openConnections({ url, count, settings: allSettings, hasRowSecurity })
  const reach = { connections, clock, patienceMs, journal, bus, cause: unnamed }
  const everybody = accessFor(reach)
  const gather = openPointReads(everybody)
  const whole = (cause: Cause): Database => ({
    ...accessFor({ ...reach, cause }),
    gather,
    pool: connections.pool,
    places: connections.places,
    bus,
    // Reads of several stores share a statement, which no policy of one store can guard.
    ofStore: (storeId) =>
      accessFor({ ...reach, cause }, hasRowSecurity ? { storeId, before: [within(storeId)] } : { storeId, gather }),
    because: whole,
    close: () => connections.pool.end(),
  })
  return whole(unnamed)
}

type Reach = {
  connections: Connections
  clock: Clock
  patienceMs: number
  journal: Closing | undefined
  bus: Bus
  cause: Cause
}

function accessFor(
  { connections, clock, patienceMs, journal, bus, cause }: Reach,
  own: { storeId?: string; gather?: PointRead; before?: Statement[] } = {},
): StoreDatabase {
  const { gather, before = [], ...store } = own
  const reading = { kind: 'read', ...store } as const
  const writing = { kind: 'write', ...store } as const
  const rehearsing = { kind: 'rehearsal', ...store } as const
  // Two at a time for all processes together, each of which lets two of its own ask.
  const turns = store.storeId === undefined ? [] : [rehearsalTurn(store.storeId)]
  return {
    ...queries(
      (statement) =>
        patiently(patienceMs, (isLate) => readWithRetry(connections, reading, [...before, statement], isLate)),
      clock,
    ),
    ...(gather ? { gather } : {}),
    transaction: (run) =>
      patiently(patienceMs, (isLate) =>
        transaction(run, { connections, clock, bus, cause, purpose: writing, before, closing: journal, isLate }),
      ),
    rehearse: (run, look) =>
      patiently(patienceMs, (isLate) =>
        rehearse(run, look, {
          connections,
          clock,
          bus,
          cause,
          purpose: rehearsing,
          before: [...before, ...turns],
          isLate,
        }),
      ),
  }
}

/** To the end of the transaction, or of the exchange where there is none. */
function within(storeId: string): Statement {
  return { name: 'within', text: `select set_config('stoa.store_id', $1, true)`, values: [storeId] }
}

/** Waits, as long as for any lock, while two others rehearse for the store. */
function rehearsalTurn(storeId: string): Statement {
  return {
    name: 'rehearsal turn',
    text: `
  select case
    when not pg_try_advisory_xact_lock(hashtextextended($1, 1))
    then pg_advisory_xact_lock(hashtextextended($1, 2))
  end`,
    values: [`rehearsal ${storeId}`],
  }
}

/** Fails a caller that has waited long enough. What it waited for goes on unheard, and may ask whether it is late. */
function patiently<T>(patienceMs: number, work: (isLate: () => boolean) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let late = false
    const timer = setTimeout(() => {
      late = true
      reject(new TimedOut(patienceMs))
    }, patienceMs)
    work(() => late)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}
