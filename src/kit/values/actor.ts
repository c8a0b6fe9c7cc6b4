/** Who acts, as far as it is known. */
export type Actor = {
  kind: 'key' | 'client' | 'user' | 'system' | 'job' | 'command' | 'operator' | 'stranger'
  /** A public id, or a name. */
  id: string | null
  /** The public id of the person for whom an app acts that was let in by OAuth. */
  user?: string
} & RequestOrigin

/** Where a person's request came from. */
export type RequestOrigin = { ip?: string; userAgent?: string }

export const operator: Actor = { kind: 'operator', id: null }

/** Somebody who has not signed in. */
export function stranger(origin: RequestOrigin = {}): Actor {
  return { kind: 'stranger', id: null, ...origin }
}
