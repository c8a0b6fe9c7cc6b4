import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const webhookFaults = sentences({
  ends_before_from: 'must not be before from',
  event_foreign:    "is not one of this webhook's events",
  either_window:    'cannot be combined with from_sequence',
  needs_sequence:   'requires from_sequence',
  window_too_full:  'selects {count} events, but at most {limit} can be replayed at once',
})
