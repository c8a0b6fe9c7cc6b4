import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
export const customerFaults = sentences({
  no_digits: 'must contain digits',
  same_customer: 'must be another customer',
  too_long_together: 'of both customers must have at most {limit} characters together',
})
