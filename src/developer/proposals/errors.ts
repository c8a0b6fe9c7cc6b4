import { ApiError, maxFaults } from '../../kit/values/errors.ts'
import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const proposalFaults = sentences({
  too_large_to_propose: 'is too large to propose: with its side effects, it exceeds {limit} bytes',
})

/** A changed field of a record, or of the response itself if there is no record. */
export type ChangedField = { resource: string | null; id: string | null; field: string }

/** The records changed since the dry run, so the result would differ from what was approved. */
export function buildOutdatedError(changedFields: readonly ChangedField[]): ApiError {
  const fields = [...new Set(changedFields.map(({ field }) => field))].slice(0, 3).join(', ')
  return new ApiError(409, 'OUTDATED', `The proposal is out of date. Changed since it was made: ${fields}`, {
    details: { changed: changedFields.slice(0, maxFaults) },
  })
}
