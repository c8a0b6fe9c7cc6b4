// The one way to a Tx: begin, the operation, commit; and all of it again when others were in the way.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cause } from '../values/cause.ts'
import type { Clock } from '../values/clock.ts'
import { collided } from '../values/errors.ts'
import { queries, type Queries } from './ask.ts'
import type { Connections } from './connections.ts'
import { conversation } from './conversation.ts'
import type { Tx } from './database.ts'
import { Again, hasLostRace, isConnectionLost, type Refusals } from './errors.ts'
import type { Purpose } from './places.ts'
import { compile, type Sql, type Statement } from './sql.ts'

type TransactionOptions = {
  connections: Connections
  clock: Clock
  cause: Cause
  purpose: Purpose
  /** What is said behind BEGIN. */
  before: readonly Statement[]
  isLate: () => boolean
}

const maximumTries = 10
const pauseMs = 10

/** Whoever collided with others waits a moment, each another one, without a connection. */
export async function transaction<T>(run: (tx: Tx) => Promise<T>, circumstances: TransactionOptions): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryTransaction(run, circumstances)
    } catch (error) {
      if (circumstances.isLate() || !hasLostRace(error)) throw error
      if (attempt >= maximumTries) throw collided({ cause: error })
    }
    if (attempt > 1) await sleep(Math.random() * pauseMs * attempt)
  }
}

async function tryTransaction<T>(
  run: (tx: Tx) => Promise<T>,
  { connections, clock, cause, purpose, before, isLate }: TransactionOptions,
): Promise<T> {
  const { client, release } = await connections.connect(purpose)
  const { ask, commit, rollback } = conversation(client)
  const afterwards: (() => void)[] = []
  let hasBegun = false
  let mayBeDone = false
  let lost: Error | undefined
  const at = (now: Date) =>
    ({
      ...overheard(queries(ask, clock, () => now)),
      cause,
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
    before.forEach((statement) => void ask(statement).catch(() => {}))
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
    release(lost)
  }
}

const begin: Statement = { name: 'begin', text: 'begin', values: [] }

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
