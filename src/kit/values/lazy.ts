// Values that are made by their first use: a package that few requests need costs nothing until one does.

/** All callers share the promise of the first. A failure is not kept: the next call tries again. */
export function lazy<T>(make: () => Promise<T>): () => Promise<T> {
  let promise: Promise<T> | undefined
  return () =>
    (promise ??= make().catch((error: unknown) => {
      promise = undefined
      throw error
    }))
}
