import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const draftOrderFaults = sentences({
  draft_completed:     'is completed: this draft can no longer be changed',
  one_discount:        'cannot be combined with a discount code',
  discount_incomplete: 'is required with discount_type',
  type_required:       'is required with discount_value',
  percentage_above:    'must be above 0 and at most 100',
  amount_zero:         'must be above 0',
  link_ended:          'is no longer valid',
  email_required:      'requires an email of the customer',
  address_required:    'is required by this shipping method',
  total_changed:       'has changed from {from} to {to}',
})
