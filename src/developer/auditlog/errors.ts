import { ApiError, type Obstacle, maxFaults } from '../../kit/values/errors.ts'

/** Changes stay when later writes, other records or a permanent deletion depend on them. */
export function notRevertible(obstacles: readonly Obstacle[], why: ErrorOptions = {}): ApiError {
  const things = obstacles.length === 1 ? '1 thing stands' : `${obstacles.length} things stand`
  const error = new ApiError(409, 'NOT_REVERTIBLE', `The change cannot be undone: ${things} in the way`, {
    details: { obstacles: obstacles.slice(0, maxFaults) },
  })
  return Object.assign(error, why)
}
