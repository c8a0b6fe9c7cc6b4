/** The acting person or program, as far as identified. */
export type Actor = {
  kind: 'key' | 'client' | 'user' | 'system' | 'job' | 'command' | 'operator' | 'stranger'
  /** A public id, or a name. */
  id: string | null
  /** The public id of the person who authorized the app by OAuth. */
  user?: string
} & RequestOrigin

/** The address and the browser of a person's request. */
export type RequestOrigin = { ip?: string; userAgent?: string }

export const operator: Actor = { kind: 'operator', id: null }

/** A visitor who has not signed in. */
export function stranger(origin: RequestOrigin = {}): Actor {
  return { kind: 'stranger', id: null, ...origin }
}
