// The clock of a fork, and the emails that it kept instead of sending them.
import type { Db, Tx } from '../../kit/database/database.ts'
import type { JsonSchema } from '../../kit/declare/field.ts'
import { integer, time } from '../../kit/declare/scalars.ts'
import { createBody } from '../../kit/declare/shape.ts'
import { conflict, invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults, type Fault } from '../../kit/values/faults.ts'
import { json, noAddress, type WriteResult } from '../../kit/declare/route.ts'
import { forkFaults } from './errors.ts'

export type TestClock = {
  /** Does all scheduled work up to this time, in order. Refuses if another move is running. */
  moveTo(time: Date): Promise<{ now: Date; steps: number }>
  isMoving(): boolean
}

const year = 366 * 24 * 3600
const maxSeconds = 5 * year

export const clockMove = createBody(
  {
    now: time().describe('The time to move to'),
    advance: integer({ min: 1, max: maxSeconds }).describe('Seconds to move by, as an alternative to now'),
  },
  [{ fields: ['now', 'advance'], check: eitherOne }],
)

function eitherOne({ now, advance }: Record<string, unknown>): Fault | null {
  if (now === undefined && advance === undefined) return fault('now', generalFaults.required)
  return now !== undefined && advance !== undefined ? fault('advance', forkFaults.either_now) : null
}

type ClockMove = { now?: Date; advance?: number }

const now: JsonSchema = {
  type: 'string',
  format: 'date-time',
  description: 'The time of the store',
  examples: ['2027-01-31T09:00:00.000Z'],
}

export const clockState: JsonSchema = { type: 'object', properties: { now }, required: ['now'] }

// prettier-ignore
export const clockMoved: JsonSchema = {
  type: 'object',
  properties: {
    now,
    steps: { type: 'integer', minimum: 0, description: 'Moments at which something was due', examples: [12] },
  },
  required: ['now', 'steps'],
}

export const readClock = (db: Db) => json({ now: db.clock.now() })

/** A repeat by Idempotency-Key gets the time that was requested, and moves nothing. */
export function moveClock(tx: Tx, body: ClockMove, clock: TestClock): WriteResult<object> {
  if (clock.isMoving()) throw buildMovingConflict()
  const until = body.now ?? new Date(tx.now.getTime() + body.advance! * 1000)
  if (until < tx.now) throw invalid(fault('now', forkFaults.in_the_past))
  if (until.getTime() - tx.now.getTime() > maxSeconds * 1000) throw invalid(fault('now', forkFaults.too_far))
  return { ...noAddress({ now: until, steps: 0 }), afterwards: async () => noAddress(await clock.moveTo(until)) }
}

export const buildMovingConflict = () => conflict('The clock is being moved')
