import { sentences } from '../../kit/values/faults.ts'

// Completes "<option> …".
export const archiveFaults = sentences({
  plan_required: 'is required, because NEW_STORE_PLAN is none: name the plan of the store with --plan',
})
