// The event log as a stream that does not end.
import type { Options, Stoa } from './client.ts'
import type { Event, EventType } from './types.ts'

export type FeedOptions = Pick<Options, 'signal'> & {
  types?: readonly EventType[]
  /** Seconds that the server holds a request until there is an event; 30 by default and at most. */
  waitSeconds?: number
}

/** Iterate over it. After a break or an error, iterating again resumes at `position`. */
export class EventFeed implements AsyncIterable<Event> {
  /** Everything up to this sequence is handled: the loop has come back for more. */
  position: number
  readonly #stoa: Stoa
  readonly #options: FeedOptions

  constructor(stoa: Stoa, after: number, options: FeedOptions = {}) {
    this.position = after
    this.#stoa = stoa
    this.#options = options
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, never> {
    const { types, waitSeconds = 30, signal } = this.#options
    const options: Options = { retries: Infinity, timeoutMs: waitSeconds * 1000 + 30_000 }
    if (signal) options.signal = signal
    for (;;) {
      const query = { after: this.position, wait: waitSeconds, limit: 500, ...(types ? { types: types.join() } : {}) }
      const { data, log } = await this.#stoa.events.list(query, options)
      for (const event of data) {
        yield event
        this.position = event.sequence
      }
      this.position = log.next_after
    }
  }
}
