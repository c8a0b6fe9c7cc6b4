// The only way to a Tx: begin, run the operation, commit, and repeat everything after a lost race. A dry run rolls
// back instead of committing.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cause } from '../values/cause.ts'
import type { Clock } from '../values/clock.ts'
import { collided } from '../values/errors.ts'
import { queries, type Queries } from './queries.ts'
import type { Bus } from './bus.ts'
import type { Connections } from './connections.ts'
import { openPipeline, type Pipeline } from './pipeline.ts'
import type { SnapshotRead, Tx } from './database.ts'
import { RetryTransaction, hasLostRace, isConnectionLost, type ConstraintErrors } from './errors.ts'
import type { Purpose } from './fairpool.ts'
import type { Reach } from './reach.ts'
import { compile, sql, type Addresses, type Sql, type Statement } from './sql.ts'
import { writtenBy, type WrittenRows } from './writes.ts'

/** The last statement of a transaction, sent with its commit. It can read what the others have done. */
export type Closing = (transaction: {
  cause: Cause
  now: Date
  storeId?: string | undefined
  isDistributed: boolean
  /** Rows written; only if distributed. */
  written: readonly WrittenRows[]
}) => Sql

type TransactionOptions = {
  connections: Connections
  reach: Reach | undefined
  clock: Clock
  addresses: Addresses
  bus: Bus
  isDistributed: boolean
  cause: Cause
  purpose: Purpose
  /** The statements behind BEGIN. */
  before: readonly Statement[]
  closing?: Closing | undefined
  isLate: () => boolean
}

const maxTries = 10
const pauseMs = 10

export function transaction<T>(run: (tx: Tx) => Promise<T>, options: TransactionOptions): Promise<T> {
  return retryLostRaces(run, thenCommit, options)
}

/** Runs all checks of a commit, and then rolls back. */
export function dryRun<T, L>(
  run: (tx: Tx) => Promise<T>,
  look: SnapshotRead<T, L>,
  options: TransactionOptions,
): Promise<L> {
  return retryLostRaces(run, thenRollBack(look), options)
}

/** Runs the work again after a lost race. Each try first waits a random moment, without a connection. */
async function retryLostRaces<T, E>(
  run: (tx: Tx) => Promise<T>,
  end: EndTransaction<T, E>,
  options: TransactionOptions,
): Promise<E> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryTransaction(run, end, options)
    } catch (error) {
      if (options.isLate() || !hasLostRace(error)) throw error
      if (attempt >= maxTries) throw collided({ cause: error })
    }
    if (attempt > 1) await sleep(Math.random() * pauseMs * attempt)
  }
}

/** A transaction whose operation has run. */
type OpenTransaction<T> = Pipeline & {
  tx: Tx
  result: T
  hooks: readonly { run: () => void; effect?: object | undefined }[]
  endings: readonly (() => void)[]
  /** The statement before COMMIT. */
  last: Sql | undefined
}

type EndTransaction<T, E> = (open: OpenTransaction<T>, commits: () => void) => Promise<E>

async function thenCommit<T>(open: OpenTransaction<T>, commits: () => void): Promise<T> {
  const { tx, commit, result, hooks, endings, last } = open
  endings.forEach((run) => run())
  if (last) tx.later(last)
  commits()
  if ((await commit()).command !== 'COMMIT') throw new Error('the transaction was rolled back')
  hooks.forEach(({ run }) => run())
  return result
}

function thenRollBack<T, L>(look: SnapshotRead<T, L>): EndTransaction<T, L> {
  return async ({ tx, result, hooks, endings, settle, rollback }) => {
    endings.forEach((run) => run())
    tx.later(sql`set constraints all immediate`)
    const snapshot = look(
      tx,
      result,
      hooks.flatMap(({ effect }) => effect ?? []),
    )
    snapshot.catch(() => {})
    await settle()
    const answer = await snapshot
    const error = await rollback()
    if (error) throw error
    return answer
  }
}

async function tryTransaction<T, E>(
  run: (tx: Tx) => Promise<T>,
  end: EndTransaction<T, E>,
  options: TransactionOptions,
): Promise<E> {
  const { connections, reach, clock, addresses, bus, isDistributed, cause, purpose, before, closing, isLate } = options
  const { client, release } = await connections.connect(purpose)
  const talk = openPipeline(client, cause.trace)
  const { rollback } = talk
  const writes: WrittenRows[] = []
  const notesWrites = isDistributed && purpose.storeId === undefined && closing !== undefined
  const ask: Pipeline['ask'] = (statement, refusals) => {
    if (notesWrites) writes.push(...writtenBy(statement))
    return talk.ask(statement, refusals)
  }
  const storesInReach = reach?.storeIds()
  const hooks: { run: () => void; effect?: object | undefined }[] = []
  const endings: (() => void)[] = []
  let hasBegun = false
  let mayBeDone = false
  let lostError: Error | undefined
  const at = (now: Date): Tx => {
    const bindings = { now, ...addresses, storeId: purpose.storeId, reach: storesInReach, isDistributed }
    return {
      ...withFailuresHandled(queries(ask, clock, () => bindings)),
      isDistributed,
      cause,
      bus,
      now,
      at,
      later: (query: Sql, refusals?: ConstraintErrors) => void ask(compile(query, bindings), refusals).catch(() => {}),
      beforeCommit: (run: () => void) => void endings.push(run),
      runWaiting: () => endings.splice(0).forEach((run) => run()),
      afterCommit: (run: () => void, effect?: object) => void hooks.push({ run, effect }),
    } as Tx
  }
  try {
    // Not awaited: BEGIN travels with the first statement, COMMIT with the last.
    ask(closing && !isDistributed ? beginClosed : begin).then(
      () => {
        hasBegun = true
      },
      () => {},
    )
    before.forEach((statement) => void ask(statement).catch(() => {}))
    const tx = at(clock.now())
    const result = await run(tx)
    if (isLate()) throw new Error('too late: the caller has been told that it failed')
    const last = closing?.({ cause, now: tx.now, storeId: purpose.storeId, isDistributed, written: writes })
    return await end({ ...talk, tx, result, hooks, endings, last }, () => {
      mayBeDone = true
    })
  } catch (error) {
    lostError = await rollback()
    // The connection had died while it was idle: nothing has happened yet.
    throw !hasBegun && !mayBeDone && isConnectionLost(error) ? new RetryTransaction() : error
  } finally {
    release(lostError)
  }
}

const begin: Statement = { name: 'begin', text: 'begin', values: [] }

/**
 * Tells triggers that a closing statement follows, to which they may leave work (migrations/0110_versions_once.sql). On
 * transactions that write, DEFERRABLE has no other effect.
 */
const beginClosed: Statement = { name: 'begin closed', text: 'begin deferrable', values: [] }

/**
 * A failure fails the commit even if nobody awaits it: while an operation still waits for another result, or after it
 * failed, an unheard rejection would end the process.
 */
function withFailuresHandled({ clock, rows, one, texts }: Queries): Queries {
  const hear = <T>(answer: Promise<T>): Promise<T> => {
    answer.catch(() => {})
    return answer
  }
  return {
    clock,
    rows: <T>(query: Sql, refusals?: ConstraintErrors) => hear(rows<T>(query, refusals)),
    one: <T>(query: Sql, refusals?: ConstraintErrors) => hear(one<T>(query, refusals)),
    texts: (query: Sql, refusals?: ConstraintErrors) => hear(texts(query, refusals)),
  }
}
