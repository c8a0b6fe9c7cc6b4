declare module 'pg-copy-streams' {
  import type { Readable, Writable } from 'node:stream'
  import type { Submittable } from 'pg'

  type Counted = { /** Known when the stream has ended. */ rowCount: number }

  /** Streams for `copy … to stdout` and `copy … from stdin`, given to a client's query(). */
  export function to(text: string): Readable & Submittable & Counted
  export function from(text: string): Writable & Submittable & Counted
}
