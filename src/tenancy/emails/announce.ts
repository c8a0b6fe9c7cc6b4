// Tells whoever sends mail in this process that some was committed.

const listeners = new Set<() => void>()

/** Answers the function that ends it. */
export function onMail(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function announceMail(): void {
  listeners.forEach((listener) => listener())
}
