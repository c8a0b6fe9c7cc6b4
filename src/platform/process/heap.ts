// The memory that the start took and nothing needs any more: module sources, and the young generation that grew to its
// maximum. V8 returns it after two minutes without work; a whole collection does so at once.

const afterMs = 5000

/** Takes about 0.1 s, once, when the first requests are answered. Without --expose-gc, V8 decides. */
export function collectAfterStart(): void {
  setTimeout(() => globalThis.gc?.({ type: 'major', execution: 'async', flavor: 'last-resort' }), afterMs).unref()
}
