// What the rest of the house knows of PostgreSQL: reads, writes in a transaction, and whose they are.
import type pg from 'pg'
import type { Cause } from '../values/cause.ts'
import type { Clock } from '../values/clock.ts'
import type { Bus } from './bus.ts'
import type { ConstraintErrors } from './errors.ts'
import type { Texts } from './exchange.ts'
import type { PointRead } from './pointreads.ts'
import type { FairPool } from './fairpool.ts'
import type { Sql } from './sql.ts'

export type { Texts }

/** Reads. Every query names its store. */
export type Db = {
  readonly clock: Clock
  /** Rows as objects: numeric as string, timestamptz as Date, int8 as number, json parsed. */
  rows<T>(query: Sql): Promise<T[]>
  one<T>(query: Sql): Promise<T | undefined>
  /** Rows as arrays of the texts that PostgreSQL sent: the serialiser writes most of them through. */
  texts(query: Sql): Promise<Texts[]>
  /** Point reads that share a round trip; a transaction reads for itself. */
  gather?: PointRead
}

declare const inTransaction: unique symbol

/** Writes. Only transaction() makes one, so that a change outside a transaction does not compile. */
export type Tx = Db & {
  readonly [inTransaction]: true
  /** As of Db; the refusals say what the client is told when the statement violates a constraint. */
  rows<T>(query: Sql, refusals?: ConstraintErrors): Promise<T[]>
  one<T>(query: Sql, refusals?: ConstraintErrors): Promise<T | undefined>
  texts(query: Sql, refusals?: ConstraintErrors): Promise<Texts[]>
  /** Why it is there: the request, who acts, and what it does. */
  readonly cause: Cause
  /** For `afterCommit`. */
  readonly bus: Bus
  /** The time of the transaction: everything that it writes carries the same. */
  readonly now: Date
  /** The same transaction at another time, for what tells of the past. */
  at(time: Date): Tx
  /** Sends a statement whose answer nobody needs; its failure fails the commit, with its refusal if there is one. */
  later(query: Sql, refusals?: ConstraintErrors): void
  /** `told` is what a rehearsal says of it, which never comes to it. */
  afterCommit(run: () => void, told?: object): void
}

/** The last to see what a rehearsal has written; `told` is what would have been done once it was committed. */
export type SnapshotRead<T, L> = (tx: Tx, result: T, told: readonly object[]) => Promise<L>

/** Reads and transactions on behalf of one store: it has a share of the connections, and no more. */
export type StoreDatabase = Db & {
  transaction<T>(run: (tx: Tx) => Promise<T>): Promise<T>
  /** The same, with the same locks, checks and refusals; then nothing of it stays but what `look` has seen. */
  rehearse<T, L>(run: (tx: Tx) => Promise<T>, look: SnapshotRead<T, L>): Promise<L>
}

export type Database = StoreDatabase & {
  readonly pool: pg.Pool
  readonly places: FairPool
  readonly bus: Bus
  ofStore(storeId: string): StoreDatabase
  /** The same, whose transactions have this cause. */
  because(cause: Cause): Database
  close(): Promise<void>
}
