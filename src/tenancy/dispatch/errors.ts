import { ApiError } from '../../kit/values/errors.ts'
import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const dispatchFaults = sentences({
  no_hours_between:   'must not have the same from_hour and until_hour',
  receiver_not_asked: 'does not support dry-run: this operation only calls an external service',
  no_such_write:      'is not a write operation under /v1 for this method',
  not_proposable:     'cannot be proposed: it takes a file or a secret, or acts on proposals',
})

/** `mayPropose`: the credential can propose the write. `isToken`: it is an access token, not an API key. */
export function missingScope(scope: string, { mayPropose = false, isToken = false } = {}): ApiError {
  const how = mayPropose ? '. Use Prefer: dry-run to try the request, or POST /v1/proposals to propose it' : ''
  return new ApiError(
    403,
    'SCOPE_INSUFFICIENT',
    `${isToken ? 'This access token' : 'This API key'} lacks the scope ${scope}${how}`,
    { values: { scope } },
  )
}

/** The credential's scopes allow the request, but its policy does not. `name` is the limit that was exceeded. */
export function beyondPolicy(name: string, limit: number, message: string): ApiError {
  return new ApiError(403, 'POLICY_EXCEEDED', message, { details: { policy: name, limit } })
}
