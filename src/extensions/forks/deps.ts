import type { Topic } from '../../kit/database/bus.ts'
import type { TestClock } from './testclock.ts'

export type ForkDeps = {
  forks: {
    /** The clock of this store if it is a fork; otherwise null. */
    clock: TestClock | null
    /** Starts building the database of a new fork at once, if this process does so; jobs do so in any case. */
    build?: (id: string) => Promise<void>
    /** Drops databases without a row. */
    sweep?: () => Promise<void>
  }
}

/** Processes that have a deleted fork open close it. */
export const forkDeleted: Topic<{ id: string }> = { name: 'fork deleted' }
