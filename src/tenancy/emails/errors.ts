import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const emailFaults = sentences({
  too_many_emails: 'is one too many: this address already got {limit} emails in {hours} hours',
})
