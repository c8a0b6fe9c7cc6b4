// PostgreSQL through pg: named prepared statements, rows as objects or as arrays of text, and the one way to a
// transaction.
import { unnamed, type Cause } from '../values/cause.ts'
import type { Clock } from '../values/clock.ts'
import { queries, readTogether, readWithRetry, type Queries, type SendStatement } from './queries.ts'
import { openConnections, type Connections } from './connections.ts'
import { openBus, type Bus } from './bus.ts'
import type { Database, ReadWitness, StoreDatabase } from './database.ts'
import { TimedOut } from './errors.ts'
import { openPointReads, type PointRead } from './pointreads.ts'
import { openReach, type Reach } from './reach.ts'
import { openReplicas, type ReplicaOptions, type Replicas } from './replicas.ts'
import { chooseSettings, type Settings } from './settings.ts'
import type { Addresses, Sql, Statement } from './sql.ts'
import { witnessedClock, witnessedPointRead, witnessedSend } from './witness.ts'
import { dryRun, transaction, type Closing } from './transaction.ts'

type DatabaseOptions = {
  url: string
  clock: Clock
  connections?: number
  /** The base of links inside records. */
  baseUrl?: string
  /** The address of an online store, with * for its slug; by default below the base of links. */
  shopUrl?: string
  /** Further settings of its sessions, e.g. `enable_seqscan=off`. */
  settings?: string[]
  /** The longest time that a caller waits for a read or a whole transaction, with its connection and its retries. */
  patienceMs?: number
  /** Its sessions are under row-level security: queries of one store see no row of another. */
  hasRowSecurity?: boolean
  /** Its rows are on several servers: settings travel with each transaction, as only those reach the others. */
  isDistributed?: boolean
  /** Called with the servers of a distributed database that are away, when these change. */
  onServers?: (away: readonly string[]) => void
  /** Records the changes of each transaction, as the triggers note them. */
  journal?: Closing
  /** The bus of another database of the same app. */
  bus?: Bus
  replicas?: ReplicaOptions | undefined
}

export function openDatabase({
  url,
  clock,
  connections: count = 8,
  baseUrl = '',
  shopUrl,
  settings = [],
  patienceMs = 5000,
  hasRowSecurity = false,
  isDistributed = false,
  journal,
  onServers = () => {},
  bus = openBus(),
  replicas: replicaOptions,
}: DatabaseOptions): Database {
  const ownSettings = chooseSettings({ hasRowSecurity, isDistributed, isAudited: journal !== undefined })
  const poolOptions = { count, settings: [...ownSettings.session, ...settings] }
  const connections = openConnections({ url, ...poolOptions })
  const replicas = replicaOptions && openReplicas(replicaOptions, { ...poolOptions, clock })
  const { before, after } = ownSettings.aroundReads()
  const read = async (statements: readonly Statement[]) => {
    const all = [...before, ...statements, ...after]
    const results = await readWithRetry(connections, { kind: 'read' }, all, () => false)
    return results.slice(before.length, before.length + statements.length)
  }
  const options = {
    connections,
    reach: isDistributed ? openReach({ read, clock, onChange: onServers }) : undefined,
    replicas,
    clock,
    addresses: { baseUrl, shopUrl: shopUrl ?? `${baseUrl}/s/*` },
    patienceMs,
    journal,
    bus,
    settings: ownSettings,
    isDistributed,
    cause: unnamed,
  }
  const everybody = accessFor(options)
  const gather = openPointReads(everybody)
  const whole = (cause: Cause): Database => ({
    ...accessFor({ ...options, cause }),
    gather,
    pool: connections.pool,
    places: connections.places,
    bus,
    replicas: replicas?.list ?? [],
    // Reads of several stores share a statement, which no policy of one store can guard.
    ofStore: (storeId, witness) =>
      accessFor({ ...options, cause }, { storeId, witness, ...(hasRowSecurity ? {} : { gather }) }),
    because: whole,
    close: async () => void (await Promise.all([connections.pool.end(), replicas?.close()])),
  })
  return whole(unnamed)
}

type AccessOptions = {
  connections: Connections
  reach: Reach | undefined
  replicas: Replicas | undefined
  clock: Clock
  addresses: Addresses
  patienceMs: number
  journal: Closing | undefined
  bus: Bus
  settings: Settings
  isDistributed: boolean
  cause: Cause
}

type OwnAccess = {
  storeId?: string
  gather?: PointRead
  witness?: ReadWitness | undefined
  /** Reads come from a replica if one is fresh. */
  isReplicated?: boolean
}

function accessFor(options: AccessOptions, own: OwnAccess = {}): StoreDatabase {
  const { connections, replicas, clock, addresses, patienceMs, journal, bus, settings, cause } = options
  const { gather, witness, isReplicated = false, ...store } = own
  const reading = { kind: 'read', ...store } as const
  const writing = { kind: 'write', ...store } as const
  const trying = { kind: 'dry run', ...store } as const
  // At most two of a store at a time in all processes together; each process also limits its own to two.
  const turns = store.storeId === undefined ? [] : [dryRunTurn(store.storeId)]
  const { before, after } = settings.aroundReads(store.storeId)
  // What concerns one store waits for its server.
  const reach = store.storeId === undefined ? options.reach : undefined
  const inTime = <T>(work: (isLate: () => boolean) => Promise<T>) => withTimeout(patienceMs, work)
  const readPrimary = (statements: Statement[]) =>
    inTime((isLate) => readWithRetry(connections, reading, statements, isLate))
  const replica = isReplicated ? replicas?.reader(readPrimary, reading) : undefined
  const readAll = replica?.read ?? readPrimary
  const read = async (statements: Statement[]) => {
    const results = await readAll([...before, ...statements, ...after])
    return results.slice(before.length, before.length + statements.length)
  }
  // Each request has a handle of its store of its own; the one for everybody serves unrelated requests.
  const send: SendStatement =
    store.storeId === undefined ? async (statement) => (await read([statement]))[0]! : readTogether(read)
  const { isDistributed } = options
  const bindings = () => ({
    now: clock.now(),
    ...addresses,
    storeId: store.storeId,
    reach: reach?.storeIds(),
    isDistributed,
  })
  const behindBegin = settings.ofTransaction(store.storeId)
  const transactions = { connections, reach, clock, addresses, bus, isDistributed, cause }
  const inReach = reach?.run ?? (<T>(work: () => Promise<T>) => work())
  const access: StoreDatabase = {
    isDistributed,
    ...(witness
      ? queries(witnessedSend(send, witness), witnessedClock(clock, witness), bindings)
      : withinReach(queries(send, clock, bindings), reach)),
    ...(gather ? { gather: witness ? witnessedPointRead(gather, witness) : gather } : {}),
    transaction(run) {
      replica?.leave()
      return inReach(() =>
        inTime((isLate) =>
          transaction(run, { ...transactions, purpose: writing, before: behindBegin, closing: journal, isLate }),
        ),
      )
    },
    dryRun: (run, look) =>
      inTime((isLate) =>
        dryRun(run, look, { ...transactions, purpose: trying, before: [...behindBegin, ...turns], isLate }),
      ),
    // Point reads are shared with callers who may know of later writes.
    fromReplica: () => (replicas ? accessFor(options, { ...store, witness, isReplicated: true }) : access),
  }
  return access
}

function withinReach(every: Queries, reach: Reach | undefined): Queries {
  if (!reach) return every
  return {
    clock: every.clock,
    rows: <T>(query: Sql) => reach.run(() => every.rows<T>(query)),
    one: <T>(query: Sql) => reach.run(() => every.one<T>(query)),
    texts: (query) => reach.run(() => every.texts(query)),
  }
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
