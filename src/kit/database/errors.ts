// Failures between this process and PostgreSQL, by class and SQLSTATE.
import pg from 'pg'
import { ApiError, conflict } from '../values/errors.ts'

/** Thrown inside a transaction to run it again from the start, e.g. after losing a race for a slug. */
export class RetryTransaction extends Error {}

/** The connection broke, or none could be made. It is unknown whether the statement ran. */
export class ConnectionLost extends Error {}

/** The database did not answer in time. */
export class TimedOut extends Error {
  readonly code = 'ETIMEDOUT'

  constructor(timeoutMs: number) {
    super(`timeout: the database did not answer within ${timeoutMs} ms`)
  }
}

/** The error for the client, by the name of the violated constraint. */
export type ConstraintErrors = Record<string, () => Error>

export function errorByConstraint(error: Error, refusals: ConstraintErrors = {}): Error {
  const name = (readConstraintName(error) ?? '').replace(shard, '')
  if (externalIds.test(name)) return conflict('Another record of the same kind has this external_id')
  return refusals[name]?.() ?? error
}

/** The index of each table for the IDs that other systems have for its rows. */
const externalIds = /_external_id$/

// A distributed database names the constraint in the message alone, as that of the table's part: orders_number_102008.
const shard = /_\d{6,}$/
const inMessage = /constraint "([^"]{1,63})"|^refused: (\w{1,63})$/

/** The name of the violated constraint, as the server knows it. */
function readConstraintName(error: unknown): string | undefined {
  const { constraint, message = '' } = error as { constraint?: string; message?: string }
  if (constraint !== undefined) return constraint
  const [, constraintName, table] = inMessage.exec(message) ?? []
  return constraintName ?? table
}

/** True if the server itself reports the error, and not the way to it. */
export function isFromServer(error: Error): error is pg.DatabaseError {
  return (error as { severity?: string }).severity !== undefined
}

// https://www.postgresql.org/docs/18/errcodes-appendix.html
const adminShutdown = '57P01'
// serialization_failure, deadlock_detected, foreign_key_violation, unique_violation
const lostRaces = new Set(['40001', '40P01', '23503', '23505'])
const away = [
  '08', // connection exceptions
  '53', // insufficient resources: disk full, out of memory, too many connections
  '57P', // shutting down, starting up, cannot connect now
  '55P03', // lock_timeout
  '57014', // statement_timeout
  '25P03', // idle_in_transaction_session_timeout
]
// Codes of connections that are made outside the pool.
const awayByNode = ['ECONN', 'ENOENT', 'EPIPE', 'ETIMEDOUT']

/**
 * True if the transaction lost a race: run again from the start, it sees the other's result, and its own checks find
 * what is wrong. This includes a violated key for which its statement names no error.
 */
export function hasLostRace(error: unknown): boolean {
  return error instanceof RetryTransaction || lostRaces.has(readErrorCode(error))
}

export function isConnectionLost(error: unknown): boolean {
  return error instanceof ConnectionLost || readErrorCode(error) === adminShutdown
}

/** True if the database itself could not answer: it is away, starting, out of connections, or too slow. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof ConnectionLost || error instanceof TimedOut) return true
  if (error instanceof ApiError || !(error instanceof Error)) return false
  const code = readErrorCode(error)
  return (isFromServer(error) ? away : awayByNode).some((prefix) => code.startsWith(prefix))
}

/** True if a row belongs into a partition that does not exist. No named constraint covers it. */
export function hasNoPartition(error: unknown): boolean {
  return readErrorCode(error) === '23514' && readConstraintName(error) === undefined
}

function readErrorCode(error: unknown): string {
  return (error as { code?: string }).code ?? ''
}
