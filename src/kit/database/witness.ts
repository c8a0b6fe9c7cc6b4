// Reads that a witness sees.
import type { Clock } from '../values/clock.ts'
import type { ReadWitness } from './database.ts'
import type { PointRead, Source } from './pointreads.ts'
import type { SendStatement } from './queries.ts'
import { compile, raw, sql, type Statement } from './sql.ts'

export function witnessedSend(send: SendStatement, witness: ReadWitness): SendStatement {
  return (statement, refusals) => {
    witness.sawStatement(statement)
    return send(statement, refusals)
  }
}

const statements = new WeakMap<Source, Statement>()

export function witnessedPointRead(read: PointRead, witness: ReadWitness): PointRead {
  return (source, storeId, id) => {
    let statement = statements.get(source)
    if (!statement) {
      statement = compile(sql`select ${source.columnsOfOne} from ${raw(source.table)}`)
      statements.set(source, statement)
    }
    witness.sawStatement(statement)
    return read(source, storeId, id)
  }
}

export function witnessedClock(clock: Clock, witness: ReadWitness): Clock {
  const now = () => {
    witness.markUncacheable()
    return clock.now()
  }
  return { now, elapsedMs: () => clock.elapsedMs() }
}
