import assert from 'node:assert/strict'
import { formatReason } from '../../kit/values/faults.ts'
import { test } from 'node:test'
import {
  cancellableStatuses,
  initialStatuses,
  nextPaymentStatuses,
  nextStatuses,
  paymentStatuses,
  transitionFault,
  statuses,
} from './states.ts'

// prettier-ignore
test('an order\'s status takes the ways of this table, or stays', () => {
  // to: pending, confirmed, in_progress, completed, cancelled, returned
  const table = {
    pending:     '=xxxx-',
    confirmed:   '-=xxx-',
    in_progress: '--=xxx',
    completed:   '---=-x',
    cancelled:   '----=-',
    returned:    '-----=',
  }
  for (const from of statuses) {
    const isAllowed = (to: (typeof statuses)[number]) => transitionFault(nextStatuses, from, to) === null
    const allowed = statuses.map((to) => (from === to ? '=' : isAllowed(to) ? 'x' : '-'))
    assert.equal(allowed.join(''), table[from], from)
  }
})

test('a payment status takes the ways of this table, or stays', () => {
  // to: pending, paid, refunded, failed
  const table = { pending: '=x-x', paid: '-=x-', refunded: '--=-', failed: 'xx-=' }
  for (const from of paymentStatuses) {
    const allowed = paymentStatuses.map((to) =>
      from === to ? '=' : transitionFault(nextPaymentStatuses, from, to) === null ? 'x' : '-',
    )
    assert.equal(allowed.join(''), table[from], from)
  }
})

test('staying as it is is never refused', () => {
  for (const status of statuses) assert.equal(transitionFault(nextStatuses, status, status), null)
  for (const status of paymentStatuses) assert.equal(transitionFault(nextPaymentStatuses, status, status), null)
})

test('a refusal says what is possible', () => {
  const [next, final] = [
    transitionFault(nextStatuses, 'completed', 'pending'),
    transitionFault(nextStatuses, 'cancelled', 'pending'),
  ]
  assert.equal(formatReason(next!), 'cannot change from completed to pending; allowed: returned')
  assert.equal(formatReason(final!), 'cannot be changed: cancelled is final')
})

test('what can still be cancelled is pending, confirmed or in progress', () => {
  assert.deepEqual(cancellableStatuses, ['pending', 'confirmed', 'in_progress'])
  assert.deepEqual(initialStatuses, ['pending', 'confirmed', 'in_progress', 'completed'])
})
