import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
export const customerFaults = sentences({ no_digits: 'must contain digits' })
