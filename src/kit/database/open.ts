// PostgreSQL through pg: named prepared statements, rows as objects or as arrays of text, and the one way to a
// transaction.
import { unnamed, type Cause } from '../values/cause.ts'
import type { Clock } from '../values/clock.ts'
import { queries, readTogether, readWithRetry, type SendStatement } from './queries.ts'
import { openConnections, type Connections } from './connections.ts'
import { openBus, type Bus } from './bus.ts'
import type { Database, ReadWitness, StoreDatabase } from './database.ts'
import { TimedOut } from './errors.ts'
import { openPointReads, type PointRead } from './pointreads.ts'
import type { Statement } from './sql.ts'
import { witnessedClock, witnessedPointRead, witnessedSend } from './witness.ts'
import { dryRun, transaction, type Closing } from './transaction.ts'

type DatabaseOptions = {
  url: string
  clock: Clock
  connections?: number
  /** The base of links inside records; SQL reads it as current_setting('stoa.base_url'). */
  baseUrl?: string
  /** Further settings of its sessions, e.g. `enable_seqscan=off`. */
  settings?: string[]
  /** The longest time that a caller waits for a read or a whole transaction, with its connection and its retries. */
  patienceMs?: number
  /** Its sessions are under row-level security: queries of one store see no row of another. */
  hasRowSecurity?: boolean
  /** Records the changes of each transaction, as the triggers note them. */
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
}: DatabaseOptions): Database {
  const allSettings = [`stoa.base_url=${baseUrl}`, ...(journal ? ['stoa.journal=on'] : []), ...settings]
  const connections = openConnections({ url, count, settings: allSettings, hasRowSecurity })
  const options = { connections, clock, patienceMs, journal, bus, cause: unnamed }
  const everybody = accessFor(options)
  const gather = openPointReads(everybody)
  const whole = (cause: Cause): Database => ({
    ...accessFor({ ...options, cause }),
    gather,
    pool: connections.pool,
    places: connections.places,
    bus,
    // Reads of several stores share a statement, which no policy of one store can guard.
    ofStore: (storeId, witness) =>
      accessFor(
        { ...options, cause },
        { storeId, witness, ...(hasRowSecurity ? { before: [storeSetting(storeId)] } : { gather }) },
      ),
    because: whole,
    close: () => connections.pool.end(),
  })
  return whole(unnamed)
}

type AccessOptions = {
  connections: Connections
  clock: Clock
  patienceMs: number
  journal: Closing | undefined
  bus: Bus
  cause: Cause
}

function accessFor(
  { connections, clock, patienceMs, journal, bus, cause }: AccessOptions,
  own: { storeId?: string; gather?: PointRead; before?: Statement[]; witness?: ReadWitness | undefined } = {},
): StoreDatabase {
  const { gather, before = [], witness, ...store } = own
  const reading = { kind: 'read', ...store } as const
  const writing = { kind: 'write', ...store } as const
  const trying = { kind: 'dry run', ...store } as const
  // At most two of a store at a time in all processes together; each process also limits its own to two.
  const turns = store.storeId === undefined ? [] : [dryRunTurn(store.storeId)]
  const read = async (statements: Statement[]) => {
    const results = await withTimeout(patienceMs, (isLate) =>
      readWithRetry(connections, reading, [...before, ...statements], isLate),
    )
    return results.slice(before.length)
  }
  // Each request has a handle of its store of its own; the one for everybody serves unrelated requests.
  const send: SendStatement =
    store.storeId === undefined ? async (statement) => (await read([statement]))[0]! : readTogether(read)
  const now = () => clock.now()
  return {
    ...(witness
      ? queries(witnessedSend(send, witness), witnessedClock(clock, witness), now, store.storeId)
      : queries(send, clock, now, store.storeId)),
    ...(gather ? { gather: witness ? witnessedPointRead(gather, witness) : gather } : {}),
    transaction: (run) =>
      withTimeout(patienceMs, (isLate) =>
        transaction(run, { connections, clock, bus, cause, purpose: writing, before, closing: journal, isLate }),
      ),
    dryRun: (run, look) =>
      withTimeout(patienceMs, (isLate) =>
        dryRun(run, look, { connections, clock, bus, cause, purpose: trying, before: [...before, ...turns], isLate }),
      ),
  }
}

/** Lasts to the end of the transaction, or of the exchange outside of one. */
function storeSetting(storeId: string): Statement {
  return { name: 'within', text: `select set_config('stoa.store_id', $1, true)`, values: [storeId] }
}

/** Waits, as long as for any lock, while two others are dry-run for the store. */
function dryRunTurn(storeId: string): Statement {
  return {
    name: 'dry run turn',
    text: `
  select case
    when not pg_try_advisory_xact_lock(hashtextextended($1, 1))
    then pg_advisory_xact_lock(hashtextextended($1, 2))
  end`,
    values: [`dry run ${storeId}`],
  }
}

/** Fails a caller that has waited long enough. Its work goes on unheard, and may ask whether it is late. */
function withTimeout<T>(patienceMs: number, work: (isLate: () => boolean) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let hasTimedOut = false
    const timer = setTimeout(() => {
      hasTimedOut = true
      reject(new TimedOut(patienceMs))
    }, patienceMs)
    work(() => hasTimedOut)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}
