import { ApiError } from '../../kit/values/errors.ts'
import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const eventFaults = sentences({
  ahead_of_log: 'is ahead of the log; the newest sequence is {limit}',
})

/** For logs with a retention period. */
export function purged(oldest: number): ApiError {
  return new ApiError(410, 'GONE', `Events before sequence ${oldest} have been deleted`, {
    headers: { 'x-oldest-sequence': String(oldest) },
  })
}

/** Each waiting request holds a connection. */
export function tooManyWaiting(limit: number): ApiError {
  return new ApiError(429, 'RATE_LIMITED', `Too many long polls: at most ${limit} at a time`, {
    headers: { 'retry-after': '1' },
  })
}
