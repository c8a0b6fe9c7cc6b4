// The interface to PostgreSQL: reads, writes in a transaction, and the store that they belong to.
import type pg from 'pg'
import type { Cause } from '../values/cause.ts'
import type { Clock } from '../values/clock.ts'
import type { Bus } from './bus.ts'
import type { ConstraintErrors } from './errors.ts'
import type { RowTexts } from './exchange.ts'
import type { PointRead } from './pointreads.ts'
import type { FairPool } from './fairpool.ts'
import type { Replica } from './replica.ts'
import type { Sql, Statement } from './sql.ts'

export type { RowTexts }

/** Reads. Every query names its store. */
export type Db = {
  readonly clock: Clock
  /** True if rows are on several servers: a statement then names its store by a constant. */
  readonly isDistributed?: boolean
  /** Rows as objects: numeric as string, timestamptz as Date, int8 as number, json parsed. */
  rows<T>(query: Sql): Promise<T[]>
  one<T>(query: Sql): Promise<T | undefined>
  /** Rows as arrays of the texts that PostgreSQL sent: the serialiser writes most of them through. */
  texts(query: Sql): Promise<RowTexts[]>
  /** Point reads that share a round trip; a transaction reads for itself. */
  gather?: PointRead
}

declare const inTransaction: unique symbol

/** Writes. Only transaction() makes one, so that a change outside a transaction does not compile. */
export type Tx = Db & {
  readonly [inTransaction]: true
  /** Like Db; `refusals` maps violated constraints to the errors for the client. */
  rows<T>(query: Sql, refusals?: ConstraintErrors): Promise<T[]>
  one<T>(query: Sql, refusals?: ConstraintErrors): Promise<T | undefined>
  texts(query: Sql, refusals?: ConstraintErrors): Promise<RowTexts[]>
  /** The request, the actor and the operation behind the transaction. */
  readonly cause: Cause
  /** For `afterCommit`. */
  readonly bus: Bus
  /** The time of the transaction, which everything that it writes carries. */
  readonly now: Date
  /** The same transaction at another time, for records of the past. */
  at(time: Date): Tx
  /**
   * Sends a statement whose result nobody needs. Its failure fails the commit, with its error from `refusals` if there
   * is one.
   */
  later(query: Sql, refusals?: ConstraintErrors): void
  /** Runs before the commit, whose exchange carries its statements: their locks are short. */
  beforeCommit(run: () => void): void
  /** Runs now what waits for the commit: it does not see what is written after this. */
  runWaiting(): void
  /** Runs after the commit. A dry run never commits: it reports `effect` instead. */
  afterCommit(run: () => void, effect?: object): void
}

/** Reads what a dry run has written before it is undone; `effects` are the follow-ups that a commit would have run. */
export type SnapshotRead<T, L> = (tx: Tx, result: T, effects: readonly object[]) => Promise<L>

/** Observes the reads of a handle, to learn what an answer depends on. */
export type ReadWitness = {
  sawStatement(statement: Statement): void
  /** Records a dependency that is not data: the clock, or the caller. */
  markUncacheable(): void
}

/** Reads and transactions on behalf of one store, which may use only its share of the connections. */
export type StoreDatabase = Db & {
  transaction<T>(run: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Runs a transaction with the same locks, checks and errors, and then undoes it. Only the result of `look` remains.
   */
  dryRun<T, L>(run: (tx: Tx) => Promise<T>, look: SnapshotRead<T, L>): Promise<L>
  /**
   * For large reads: reads from a replica that has replayed all writes so far, if there is one. Reads after a
   * transaction of this handle go to the primary.
   */
  fromReplica(): StoreDatabase
}

export type Database = StoreDatabase & {
  readonly pool: pg.Pool
  readonly places: FairPool
  readonly bus: Bus
  /** Empty without DATABASE_REPLICA_URL. */
  readonly replicas: readonly Replica[]
  ofStore(storeId: string, witness?: ReadWitness): StoreDatabase
  /** The same database, whose transactions have this cause. */
  because(cause: Cause): Database
  close(): Promise<void>
}
