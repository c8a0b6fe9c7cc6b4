import { sentences } from '../../../kit/values/faults.ts'

// Each completes "<field> …".
export const groupFaults = sentences({
  below_least: 'must not be less than {field}',
  too_many_groups: 'exceeds the limit: a customer can be added to at most {limit} groups',
})
