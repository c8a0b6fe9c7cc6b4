// Long work is cut into slices, of which one is done a turn of the event loop, whoever's it is: short requests are
// answered between them, and two long ones take turns.
let last: Promise<unknown> = Promise.resolve()

/** Resolves when the next slice may be done. */
export function nextSlice(): Promise<unknown> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
  return last
}
