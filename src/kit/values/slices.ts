// Long work is cut into slices, and each turn of the event loop runs one of them: short requests are answered between
// slices, and long ones take turns.
let last: Promise<unknown> = Promise.resolve()

/** Resolves when the next slice may run. */
export function nextSlice(): Promise<unknown> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
  return last
}
