import { ApiError } from '../../kit/values/errors.ts'
import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const dispatchFaults = sentences({
  no_hours_between:   'must not begin and end at the same hour',
  receiver_not_asked: 'cannot be dry-run: the receiver is asked, or there is nothing to tell',
  no_such_write:      'is no operation under /v1 that writes with this method',
  not_proposable:     'cannot be proposed: it takes a file or a secret, or is about proposals',
})

/** `mayPropose`: it has the scope that is a step below; `isToken`: it is an access token, not an API key. */
export function missingScope(scope: string, { mayPropose = false, isToken = false } = {}): ApiError {
  const how = mayPropose ? '. It may try this with Prefer: dry-run and propose it by POST /v1/proposals' : ''
  return new ApiError(
    403,
    'SCOPE_INSUFFICIENT',
    `${isToken ? 'The access token' : 'This API key'} lacks the scope ${scope}${how}`,
  )
}

/** Its scopes allow it, its policy does not; `name` is the limit that does not. */
export function beyondPolicy(name: string, limit: number, message: string): ApiError {
  return new ApiError(403, 'POLICY_EXCEEDED', message, { details: { policy: name, limit } })
}
