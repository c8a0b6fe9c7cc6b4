// What was asked of the database on behalf of one request, noted while it is asked.

export type Trace = {
  /** Their texts, with $1 in place of values: the first of them. */
  statements: string[]
  /** All of them. */
  count: number
  roundTrips: number
  durationMs: number
}

export function newTrace(): Trace {
  return { statements: [], count: 0, roundTrips: 0, durationMs: 0 }
}

const mostStatements = 50

/** One round trip, which began at `startedAt` of performance.now(). */
export function noteRoundTrip(trace: Trace, statements: readonly { text: string }[], startedAt: number): void {
  trace.roundTrips++
  trace.count += statements.length
  trace.durationMs += performance.now() - startedAt
  for (const { text } of statements) if (trace.statements.length < mostStatements) trace.statements.push(text)
}
