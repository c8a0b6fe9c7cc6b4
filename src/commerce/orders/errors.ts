import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const orderFaults = sentences({
  product_required:    'is required with variant_id',
  line_incomplete:     'is required without product_id',
  not_for_sale:        'is {status}, not for sale',
  sold_out:            'is sold out: 0 left',
  only_left:           'is more than there are: {count} left',
  more_than_left:      'is more than there are',
  too_valuable:        'must not come to more than {limit}',
  above_subtotal:      'must be at most the subtotal, {subtotal}',
  foreign_currency:    "must be {currency}, the store's currency",
  unknown_statuses:    'must be all, or some of {choices}, with commas between',
  not_an_early_status: 'must be one of {choices} in a new order',
  status_is_final:     'cannot change any more: {from} is final',
  status_not_next:     'cannot become {to}: from {from} only {choices}',
  nothing_paid:        'has nothing to come from: nothing that was paid is left',
  costs_nothing:       'is 0: these have cost nothing',
  more_than_payment:   'must be at most {limit}, which is what one payment has; several refunds can give back more',
  refund_under_way:    'cannot change while a refund is under way',
  capture_under_way:   'cannot change while a capture is under way',
  not_cancelled:       'needs the status cancelled or returned',
})
