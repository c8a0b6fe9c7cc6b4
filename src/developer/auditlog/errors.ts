import { ApiError, maxFaults } from '../../kit/values/errors.ts'

/** An obstacle to undoing a change, and the later writes behind it. */
export type Obstacle = {
  resource: string
  id: string
  field: string | null
  reason: string
  later: { request_id: string | null; operation: string; created_at: string }[]
}

/** Changes stay when later writes, other records or a permanent deletion depend on them. */
export function notRevertible(obstacles: readonly Obstacle[], why: ErrorOptions = {}): ApiError {
  const things = obstacles.length === 1 ? '1 obstacle' : `${obstacles.length} obstacles`
  const error = new ApiError(409, 'NOT_REVERTIBLE', `The change cannot be reverted: ${things}`, {
    details: { obstacles: obstacles.slice(0, maxFaults) },
  })
  return Object.assign(error, why)
}
