// PostgreSQL through pg: named prepared statements, rows as objects or as arrays of text, and the one way to a
// transaction.
import pg from 'pg'
import type { Clock } from '../values/clock.ts'
import { ApiError, unavailable } from '../values/errors.ts'
import { exchange, timedOut, type Answer, type Column, type Request, type Texts } from './exchange.ts'
import { gatherer, type Gather } from '../declare/gather.ts'
import { compile, type Sql, type Statement } from './sql.ts'

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
  gather?: Gather
}

declare const inTransaction: unique symbol

/** Writes. Only transaction() makes one, so that a change outside a transaction does not compile. */
export type Tx = Db & {
  readonly [inTransaction]: true
  /** As of Db; the refusals say what the client is told when the statement violates a constraint. */
  rows<T>(query: Sql, refusals?: Refusals): Promise<T[]>
  one<T>(query: Sql, refusals?: Refusals): Promise<T | undefined>
  texts(query: Sql, refusals?: Refusals): Promise<Texts[]>
  /** The time of the transaction: everything that it writes carries the same. */
  readonly now: Date
  /** The same transaction at another time, for what tells of the past. */
  at(time: Date): Tx
  /** Sends a statement whose answer nobody needs; its failure fails the commit, with its refusal if there is one. */
  later(query: Sql, refusals?: Refusals): void
  afterCommit(run: () => void): void
}

export type Database = Db & {
  readonly pool: pg.Pool
  transaction<T>(run: (tx: Tx) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Thrown inside a transaction to run it again from the start, e.g. after losing a race for a slug. */
export class Again extends Error {}

const maximumWaiting = 500
const maximumTries = 10
// A little more than statement_timeout: this one is for a database that does not answer at all.
const answerTimeoutMs = 5000
const usualPatienceMs = 5000

export function openDatabase({
  url,
  clock,
  connections = 8,
  baseUrl = '',
  settings = [],
  patienceMs = usualPatienceMs,
}: {
  url: string
  clock: Clock
  connections?: number
  /** What links inside records begin with; SQL reads it as current_setting('stoa.base_url'). */
  baseUrl?: string
  /** Further settings of its sessions, e.g. `enable_seqscan=off`. */
  settings?: string[]
  /** What a caller waits for a read or a whole transaction: for a connection, all answers and what is tried again. */
  patienceMs?: number
}): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: 4000,
    idleTimeoutMillis: 60_000,
    application_name: 'stoa',
    options: [
      'statement_timeout=4500',
      'lock_timeout=2000',
      'idle_in_transaction_session_timeout=10000',
      'plan_cache_mode=force_generic_plan',
      'timezone=UTC',
      'datestyle=ISO',
      'jit=off',
      `stoa.base_url=${baseUrl}`,
      ...settings,
    ]
      .map((setting) => `-c ${setting}`)
      .join(' '),
  } as pg.PoolConfig)
  // A connection that dies is replaced by the pool, and its queries fail; without listeners it would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))

  const ask = (statement: Statement) => patiently(patienceMs, (isLate) => askUntilAnswered(pool, statement, isLate))
  const reads = queries(ask, clock)
  return {
    ...reads,
    gather: gatherer(reads, isDatabaseAway),
    pool,
    transaction: (run) => patiently(patienceMs, (isLate) => transaction(pool, clock, run, isLate)),
    close: () => pool.end(),
  }
}

/** Fails a caller that has waited long enough. What it waited for goes on unheard, and may ask whether it is late. */
function patiently<T>(patienceMs: number, work: (isLate: () => boolean) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let late = false
    const timer = setTimeout(() => {
      late = true
      reject(timedOut(patienceMs))
    }, patienceMs)
    work(() => late)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}

type Ask = (statement: Statement, refusals?: Refusals) => Promise<Answer>

/** A connection that died while idle fails the first query that it gets. A read is then asked of the next one. */
async function askUntilAnswered(pool: pg.Pool, statement: Statement, isLate: () => boolean): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    if (pool.waitingCount >= maximumWaiting) throw unavailable()
    try {
      return await askOnce(pool, statement)
    } catch (error) {
      if (isLate() || tries > pool.options.max || !isConnectionLost(error)) throw error
    }
  }
}

async function askOnce(pool: pg.Pool, statement: Statement): Promise<Answer> {
  const client = await pool.connect()
  return new Promise((resolve, reject) => {
    exchange(client, [{ statement, resolve, reject }], answerTimeoutMs).then((lost) => client.release(lost))
  })
}

type Queries = Pick<Tx, 'clock' | 'rows' | 'one' | 'texts'>

function queries(ask: Ask, clock: Clock, now = () => clock.now()): Queries {
  const rows = async <T>(query: Sql, refusals?: Refusals): Promise<T[]> => {
    const answer = await ask(compile(query, now()), refusals)
    return answer.rows.map((row) => valuesOf(row, answer.columns)) as T[]
  }
  return {
    clock,
    rows,
    one: async <T>(query: Sql, refusals?: Refusals) => (await rows<T>(query, refusals))[0],
    texts: async (query: Sql, refusals?: Refusals) => (await ask(compile(query, now()), refusals)).rows,
  }
}

async function transaction<T>(
  pool: pg.Pool,
  clock: Clock,
  run: (tx: Tx) => Promise<T>,
  isLate: () => boolean,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryTransaction(pool, clock, run, isLate)
    } catch (error) {
      if (isLate() || attempt >= maximumTries || !hasLostRace(error)) throw error
    }
  }
}

async function tryTransaction<T>(
  pool: pg.Pool,
  clock: Clock,
  run: (tx: Tx) => Promise<T>,
  isLate: () => boolean,
): Promise<T> {
  if (pool.waitingCount >= maximumWaiting) throw unavailable()
  const client = await pool.connect()
  const afterwards: (() => void)[] = []
  const { ask, commit, rollback } = conversation(client)
  let hasBegun = false
  let mayBeDone = false
  let lost: Error | undefined
  const at = (now: Date) =>
    ({
      ...overheard(queries(ask, clock, () => now)),
      now,
      at,
      later: (query: Sql, refusals?: Refusals) => void ask(compile(query, now), refusals).catch(() => {}),
      afterCommit: (hook: () => void) => void afterwards.push(hook),
    }) as Tx
  try {
    // Not awaited: BEGIN travels with the first statement, COMMIT with the last.
    ask(begin).then(
      () => {
        hasBegun = true
      },
      () => {},
    )
    const result = await run(at(clock.now()))
    if (isLate()) throw new Error('too late: the caller has been told that it failed')
    mayBeDone = true
    if ((await commit()).command !== 'COMMIT') throw new Error('the transaction was rolled back')
    afterwards.forEach((hook) => hook())
    return result
  } catch (error) {
    lost = await rollback()
    // The connection had died while it was idle: nothing has happened yet.
    throw !hasBegun && !mayBeDone && isConnectionLost(error) ? new Again() : error
  } finally {
    client.release(lost)
  }
}

/**
 * A failure fails the commit, whoever waits for it: while an operation still waits for one answer, or has ended with
 * another failure, nobody may be listening, and an unheard rejection would end the process.
 */
function overheard({ clock, rows, one, texts }: Queries): Queries {
  const hear = <T>(answer: Promise<T>): Promise<T> => {
    answer.catch(() => {})
    return answer
  }
  return {
    clock,
    rows: <T>(query: Sql, refusals?: Refusals) => hear(rows<T>(query, refusals)),
    one: <T>(query: Sql, refusals?: Refusals) => hear(one<T>(query, refusals)),
    texts: (query: Sql, refusals?: Refusals) => hear(texts(query, refusals)),
  }
}

const begin: Statement = { name: 'begin', text: 'begin', values: [] }
const commitment: Statement = { name: 'commit', text: 'commit', values: [] }
const undoing: Statement = { name: 'rollback', text: 'rollback', values: [] }

type Conversation = {
  ask: Ask
  /** Fails with the first statement that failed, whether or not anybody waited for it. */
  commit(): Promise<Answer>
  /** Answers why the connection is of no further use, if it is. */
  rollback(): Promise<Error | undefined>
}

/** One connection's transaction: what is asked in one turn, or while an answer is on its way, travels together. */
function conversation(client: pg.PoolClient): Conversation {
  const asked: Promise<Answer>[] = []
  let waiting: Request[] = []
  let isUnderWay = false
  let hasEnded = false

  const send = async () => {
    const requests = waiting
    waiting = []
    await exchange(client, requests, answerTimeoutMs)
    isUnderWay = false
    schedule()
  }
  const schedule = () => {
    if (isUnderWay || waiting.length === 0) return
    isUnderWay = true
    process.nextTick(send)
  }
  const put = (statement: Statement, refusals?: Refusals) => {
    const answer = new Promise<Answer>((resolve, reject) => {
      waiting.push({ statement, resolve, reject, ...(refusals ? { refusalOf: refusalBy(refusals) } : {}) })
    })
    answer.catch(() => {})
    asked.push(answer)
    schedule()
    return answer
  }
  return {
    // What a part of the operation still asks after another part failed: the connection may serve others by now.
    ask: (statement, refusals) => (hasEnded ? Promise.reject(ended()) : put(statement, refusals)),
    async commit() {
      hasEnded = true
      const answer = put(commitment)
      await Promise.all(asked)
      return answer
    },
    async rollback() {
      hasEnded = true
      waiting.splice(0).forEach(({ reject }) => reject(ended()))
      return put(undoing).then(
        () => undefined,
        (lost: Error) => lost,
      )
    },
  }
}

function ended(): Error {
  return new Error('the transaction has ended')
}

/**
 * Whether the transaction lost to others that ran beside it: run again from the start, it sees what they left, and its
 * own checks say what is wrong with it. So too where it violates a key for which its statement names no refusal.
 */
export function hasLostRace(error: unknown): boolean {
  return error instanceof Again || lostRaces.has((error as { code?: string }).code ?? '')
}

// serialization_failure, deadlock_detected, foreign_key_violation, unique_violation
const lostRaces = new Set(['40001', '40P01', '23503', '23505'])

/** By the name of the constraint that is violated: the error for the client. */
export type Refusals = Record<string, () => Error>

function refusalBy(refusals: Refusals): (error: Error) => Error {
  return (error) => refusals[(error as { constraint?: string }).constraint ?? '']?.() ?? error
}

function isConnectionLost(error: unknown): boolean {
  const { code = '', message } = error as { code?: string; message: string }
  return (
    ['57P01', 'ECONNRESET', 'EPIPE'].includes(code) ||
    (/Connection terminated|not queryable/.test(message) && !message.includes('timeout'))
  )
}

/** Whether the database itself could not answer: away, starting, out of connections, or too slow. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof ApiError || !(error instanceof Error)) return false
  const code = (error as { code?: string }).code ?? ''
  return (
    /^(08|57P|53|55P03|57014|25P03|ECONN|ENOENT|EPIPE|ETIMEDOUT)/.test(code) ||
    /timeout|Connection terminated|not queryable|connection error/i.test(error.message)
  )
}

const int8 = 20,
  int4 = 23,
  int2 = 21,
  bool = 16,
  float8 = 701,
  json = 114,
  jsonb = 3802,
  timestamptz = 1184
const bytea = 17
// pg knows more array types than its typings do.
const arrayParser = (oid: number) => pg.types.getTypeParser(oid as never) as (text: string) => unknown
const textArray = 1009,
  uuidArray = 2951

const parsers = new Map<number, (text: string) => unknown>([
  [int8, Number],
  [int4, Number],
  [int2, Number],
  [float8, Number],
  [bool, (text) => text === 't'],
  [json, JSON.parse],
  [jsonb, JSON.parse],
  [timestamptz, (text) => new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)],
  [textArray, arrayParser(textArray)],
  [uuidArray, arrayParser(uuidArray)],
  [bytea, arrayParser(bytea)],
])

function valuesOf(row: Texts, columns: Column[]): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (let index = 0; index < columns.length; index++) {
    const { name, dataTypeID } = columns[index]!
    const text = row[index]!
    const parse = parsers.get(dataTypeID)
    values[name] = text === null || !parse ? text : parse(text)
  }
  return values
}
