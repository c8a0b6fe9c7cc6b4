// Read replicas for large reads. A handle takes the primary's position in the log and reads from a replica that has
// replayed it, so it sees every write before it. The primary answers anything that a replica cannot.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../values/clock.ts'
import { openConnections, type Connections } from './connections.ts'
import { isDatabaseAway } from './errors.ts'
import type { StatementResult } from './exchange.ts'
import type { Purpose } from './fairpool.ts'
import { readWithRetry } from './queries.ts'
import { formatReplicaName, positionOfPrimary, progressSince, type Goal, type Replica } from './replica.ts'
import { compile, type Statement } from './sql.ts'

export type ReplicaOptions = {
  urls: readonly string[]
  /** Called when a replica fails, with the reason, and with null when it is back. */
  onChange: (name: string, fault: string | null) => void
}

type SendReads = (statements: Statement[]) => Promise<StatementResult[]>

export type Replicas = {
  readonly list: readonly Replica[]
  /** The reads of one handle: from the first that fails on they are the primary's, and after `leave`. */
  reader(primary: SendReads, purpose: Purpose): { read: SendReads; leave(): void }
  close(): Promise<void>
}

/** The longest wait for a replica that is behind, and for an answer to the question how far it is. */
const catchUpMs = 200
const pauseMs = 10
const answerWithinMs = 1000
/** The pause before a replica that failed, or was waited for in vain, is tried again. */
const retryMs = 5000
const impatientMs = 1000

type OwnReplica = { -readonly [K in keyof Replica]: Replica[K] } & {
  connections: Connections
  retryAt: number
  impatientUntil: number
}

type ChosenReplica = { replica: OwnReplica; goal: Goal }

export function openReplicas(
  { urls, onChange }: ReplicaOptions,
  { count, settings, clock }: { count: number; settings: readonly string[]; clock: Clock },
): Replicas {
  const list = urls.map((url) => openReplica(url, count, settings))
  const ask = asking(clock, onChange)
  const usable = takingTurns(list, clock)
  return {
    list,
    reader(primary, purpose) {
      let choice: Promise<ChosenReplica | null> | undefined
      const leave = () => {
        choice = Promise.resolve(null)
      }
      const choose = async () => {
        const [position] = await primary([compile(positionOfPrimary)])
        const goal = position!.rows[0] as unknown as Goal
        const replica = await firstFresh(usable(), (one) => ask({ replica: one, goal }, purpose), clock)
        return replica && { replica, goal }
      }
      return {
        leave,
        async read(statements) {
          const replica = await (choice ??= choose())
          if (!replica) return primary(statements)
          // Checked on each read, as a replica that was restarted may show an earlier state.
          const answer = await ask(replica, purpose, statements)
          const { uses } = replica.replica
          if (typeof answer !== 'string') {
            uses.answered++
            return answer
          }
          uses[answer]++
          leave()
          return primary(statements)
        },
      }
    },
    close: async () => void (await Promise.all(list.map(({ pool }) => pool.end()))),
  }
}

function openReplica(url: string, count: number, settings: readonly string[]): OwnReplica {
  const connections = openConnections({ url, count, settings, connectMs: answerWithinMs })
  const uses = { answered: 0, behind: 0, failed: 0 }
  return {
    name: formatReplicaName(url),
    connections,
    pool: connections.pool,
    uses,
    fault: null,
    retryAt: 0,
    impatientUntil: 0,
  }
}

type ReplicaAnswer = StatementResult[] | 'behind' | 'failed'

/** Asks a replica for its progress and, behind it, for the results; or says why there are none. */
function asking(clock: Clock, onChange: ReplicaOptions['onChange']) {
  const change = (replica: OwnReplica, fault: string | null) => {
    replica.retryAt = clock.elapsedMs() + retryMs
    if ((replica.fault === null) !== (fault === null)) onChange(replica.name, fault)
    replica.fault = fault
  }
  return async (
    { replica, goal }: ChosenReplica,
    purpose: Purpose,
    statements: Statement[] = [],
  ): Promise<ReplicaAnswer> => {
    const timeoutMs = statements.length === 0 ? answerWithinMs : undefined
    try {
      const all = [compile(progressSince(goal)), ...statements]
      const [progress, ...results] = await readWithRetry(replica.connections, purpose, all, () => false, timeoutMs)
      const [isReplica, isFresh] = progress!.rows[0]!.map((text) => text === 't')
      change(replica, isReplica ? null : 'it is not a replica of DATABASE_URL')
      return !isReplica ? 'failed' : isFresh ? results : 'behind'
    } catch (error) {
      // Another failure is of the statement: a replica cancels those that hinder its replay.
      if (isDatabaseAway(error)) change(replica, (error as Error).message)
      return 'failed'
    }
  }
}

/** Each caller begins with another replica. One that failed is tried by one caller at a time. */
function takingTurns(list: OwnReplica[], clock: Clock): () => OwnReplica[] {
  let turn = 0
  return () => {
    const now = clock.elapsedMs()
    turn = (turn + 1) % list.length
    return [...list.slice(turn), ...list.slice(0, turn)].filter((replica) => {
      if (replica.fault === null) return true
      if (now < replica.retryAt) return false
      replica.retryAt = now + retryMs
      return true
    })
  }
}

/** The first that has replayed enough, now or within a short wait. */
async function firstFresh(
  all: OwnReplica[],
  ask: (replica: OwnReplica) => Promise<ReplicaAnswer>,
  clock: Clock,
): Promise<OwnReplica | null> {
  const startedAt = clock.elapsedMs()
  for (let candidates = all; ;) {
    const behind: OwnReplica[] = []
    for (const replica of candidates) {
      const answer = await ask(replica)
      if (typeof answer !== 'string') return replica
      if (answer === 'behind') behind.push(replica)
      else replica.uses.failed++
    }
    const now = clock.elapsedMs()
    const isOver = now - startedAt > catchUpMs
    candidates = isOver ? [] : behind.filter(({ impatientUntil }) => now >= impatientUntil)
    for (const replica of behind) {
      if (candidates.includes(replica)) continue
      replica.uses.behind++
      if (isOver) replica.impatientUntil = now + impatientMs
    }
    if (candidates.length === 0) return null
    await sleep(pauseMs)
  }
}
