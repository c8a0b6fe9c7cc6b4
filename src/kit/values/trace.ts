// The statements of one request, recorded while they are sent.

export type Trace = {
  /** The texts of the first statements, with $1 in place of values. */
  statements: string[]
  /** The number of all statements. */
  count: number
  roundTrips: number
  durationMs: number
}

export function newTrace(): Trace {
  return { statements: [], count: 0, roundTrips: 0, durationMs: 0 }
}

const maxStatements = 50

/** One round trip, which began at `startedAt` of performance.now(). */
export function noteRoundTrip(trace: Trace, statements: readonly { text: string }[], startedAt: number): void {
  trace.roundTrips++
  trace.count += statements.length
  trace.durationMs += performance.now() - startedAt
  for (const { text } of statements) if (trace.statements.length < maxStatements) trace.statements.push(text)
}
