import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const returnFaults = sentences({
  order_undone:     'cannot be returned: the order is {status}',
  not_shipped:      'cannot be returned: no unit of it has been shipped',
  only_returnable:  'exceeds the units that can still be returned ({count})',
  nothing_received: 'must name at least one unit; cancel the return if nothing arrives',
  refunded_already: 'cannot be refunded: only {count} of the received units can still be refunded',
  returns_off:      'cannot be returned: the store does not take requests for returns',
  return_too_late:  'cannot be returned: requests were possible until {until}',
  not_refundable:   'cannot be refunded: the return is {status}',
  not_exchangeable: 'cannot be exchanged: the return is {status}',
  not_reopenable:   'cannot be undone: the return is {status}',
  already:          'is {status} already',
  decided_already:  'cannot be canceled by the customer: it is {status}',
})
