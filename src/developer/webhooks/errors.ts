import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const webhookFaults = sentences({
  ends_before_from: 'must not be before from',
  event_foreign:    'is not an event of this webhook',
  either_window:    'must not be given with from_sequence',
  needs_sequence:   'needs from_sequence',
  window_too_full:  'closes a window of {count} events, but at most {limit} can be replayed at once',
})
