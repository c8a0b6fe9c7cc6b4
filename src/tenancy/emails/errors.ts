import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const emailFaults = sentences({
  too_many_emails: 'exceeds the limit: this address already received {limit} emails in {hours} hours',
})
