// Statements that travel to PostgreSQL together: one write, one Sync, one read. pg sends a Sync with every statement,
// and each costs both sides a system call and a wake-up: two exchanges instead of five halve the time
// (bench/RESULTS.md, "create product"). It uses pg's Submittable, as pg-cursor does.
import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { prepareValue } from 'pg/lib/utils.js'
import { Decimal } from '../values/money.ts'
import { ConnectionLost, isFromServer, TimedOut } from './errors.ts'
import type { Statement } from './sql.ts'

export type RowTexts = (string | null)[]
export type ColumnFormat = { name: string; dataTypeID: number }
export type StatementResult = { rows: RowTexts[]; columns: ColumnFormat[]; command: string }

type Parameter = string | Buffer | null

/**
 * The part of pg's connection that a Submittable uses. https://www.postgresql.org/docs/18/protocol-flow.html §54.2.3
 */
type Wire = {
  stream: { cork(): void; uncork(): void; destroy(reason: Error): void }
  parse(message: { name: string; text: string }): void
  bind(message: { portal: string; statement: string; values: Parameter[] }): void
  describe(message: { type: 'P'; name: string }): void
  execute(message: object): void
  close(message: { type: 'S'; name: string }): void
  sync(): void
}

export type StatementRequest = {
  statement: Statement
  resolve: (answer: StatementResult) => void
  reject: (error: Error) => void
  /**
   * The error for the caller. Statements behind a failed one fail with the same error, as any of them may be read
   * first.
   */
  refusalOf?: (error: Error) => Error
}

/** The statements that a connection has prepared, in order of use; `unsure` after an error that hides the result. */
type Prepared = Map<string, 'ready' | 'unsure'>
const preparedNames = new WeakMap<Wire, Prepared>()
// Each prepared statement costs a backend tens of kilobytes. Beyond the limit the least recently used is closed.
const maxPrepared = 400
// A name identifies one text in this process, so its columns are described once.
const columnsByStatement = new LRUCache<string, ColumnFormat[]>({ max: 2 * maxPrepared })

/**
 * Runs the requests in order; after the first failure the rest do not run and fail with it. When all are done,
 * resolves with the reason why the connection is unusable, if it is.
 */
export function exchange(
  client: pg.ClientBase,
  requests: StatementRequest[],
  timeoutMs: number,
): Promise<Error | undefined> {
  let values: Parameter[][]
  try {
    values = requests.map(({ statement }) => statement.values.map(parameter))
  } catch (error) {
    requests.forEach(({ reject }) => reject(error as Error))
    return Promise.resolve(undefined)
  }
  return new Promise((done) => {
    const { connection } = client as unknown as { connection: Wire }
    const timer = setTimeout(() => connection.stream.destroy(new TimedOut(timeoutMs)), timeoutMs)
    const submittable = new Exchange(requests, values, (error) => {
      clearTimeout(timer)
      done(error)
    })
    client.query(submittable as unknown as pg.Submittable)
  })
}

class Exchange {
  // pg's names: it reads `callback` and `name` of everything that it runs.
  callback: () => void = () => {}
  name = ''
  readonly requests: StatementRequest[]
  readonly values: Parameter[][]
  readonly done: (error?: Error) => void
  at = 0
  rows: RowTexts[] = []
  columns: ColumnFormat[] | undefined
  /** The columns of each request; undefined if they were requested. */
  columnsBefore: (ColumnFormat[] | undefined)[] = []
  last: StatementResult | undefined
  failure: Error | undefined
  connection: Wire | undefined

  constructor(requests: StatementRequest[], values: Parameter[][], done: (error?: Error) => void) {
    this.requests = requests
    this.values = values
    this.done = done
  }

  submit(connection: Wire): null {
    this.connection = connection
    const states: Prepared = preparedNames.get(connection) ?? new Map()
    preparedNames.set(connection, states)
    connection.stream.cork()
    closeOldest(connection, states)
    const parsedNames = new Set<string>()
    this.columnsBefore = this.requests.map(({ statement }, index) => {
      const columns = statement.name ? columnsByStatement.get(statement.name) : undefined
      send(connection, states, parsedNames, statement, {
        values: this.values[index]!,
        describes: columns === undefined,
      })
      return columns
    })
    connection.sync()
    connection.stream.uncork()
    return null
  }

  handleRowDescription({ fields }: { fields: ColumnFormat[] }): void {
    this.columns = fields.map(({ name, dataTypeID }) => ({ name, dataTypeID }))
  }

  handleDataRow({ fields }: { fields: RowTexts }): void {
    this.rows.push(fields)
  }

  handleCommandComplete({ text }: { text: string }): void {
    const { statement, resolve } = this.requests[this.at]!
    if (statement.name) {
      const states = preparedNames.get(this.connection!)!
      states.delete(statement.name)
      states.set(statement.name, 'ready')
    }
    const columns = this.columns ?? this.columnsBefore[this.at] ?? []
    if (statement.name && !columnsByStatement.has(statement.name)) columnsByStatement.set(statement.name, columns)
    const answer = { rows: this.rows, columns, command: text.split(' ', 1)[0]! }
    this.rows = []
    this.columns = undefined
    if (this.at + 1 === this.requests.length) {
      this.last = answer
      return
    }
    resolve(answer)
    this.at++
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  /** After an error the server skips what is left up to the Sync. A lost connection ends here too. */
  handleError(cause: Error): void {
    if (this.failure) return
    const error = isFromServer(cause) || cause instanceof TimedOut ? cause : lostBy(cause)
    this.failure = error
    const states = this.connection && preparedNames.get(this.connection)
    const reason = this.requests[this.at]?.refusalOf?.(error) ?? error
    this.requests.slice(this.at).forEach(({ statement: { name }, reject }, index) => {
      const isOutdated = index === 0 && outdatedCodes.has((error as pg.DatabaseError).code ?? '')
      if (name && (isOutdated || states?.get(name) !== 'ready')) states?.set(name, 'unsure')
      if (name && isOutdated) columnsByStatement.delete(name)
      reject(reason)
    })
    this.done(isFatal(error) ? error : undefined)
  }

  /** The Sync commits statements outside a transaction block: a write is not answered before. */
  handleReadyForQuery(): void {
    if (this.failure) return
    this.requests[this.at]!.resolve(this.last!)
    this.done()
  }
}

// invalid_sql_statement_name: the server has dropped it. feature_not_supported: its table has other columns now.
const outdatedCodes = new Set(['26000', '0A000'])

function lostBy(cause: Error): Error {
  return new ConnectionLost(cause.message, { cause })
}

/** True if the connection ends with the error: it is not a message of the server, or a fatal one. */
function isFatal(error: Error): boolean {
  const { severity } = error as pg.DatabaseError
  return severity === undefined || severity === 'FATAL' || severity === 'PANIC'
}

function closeOldest(connection: Wire, states: Prepared): void {
  for (const name of states.keys()) {
    if (states.size <= maxPrepared) return
    connection.close({ type: 'S', name })
    states.delete(name)
  }
}

/** `parsed`: the names that this exchange has prepared already. */
function send(
  connection: Wire,
  states: Prepared,
  parsedNames: Set<string>,
  { name = '', text }: Statement,
  { values, describes }: { values: Parameter[]; describes: boolean },
): void {
  const state = states.get(name)
  if (name === '' || (state !== 'ready' && !parsedNames.has(name))) {
    if (state === 'unsure') connection.close({ type: 'S', name })
    connection.parse({ name, text })
    parsedNames.add(name)
  }
  connection.bind({ portal: '', statement: name, values })
  if (describes) connection.describe({ type: 'P', name: '' })
  connection.execute({})
}

function parameter(value: unknown): Parameter {
  if (typeof value === 'string') return value
  if (value instanceof Decimal) return value.toFixed()
  return value instanceof Date ? value.toISOString() : prepareValue(value)
}
