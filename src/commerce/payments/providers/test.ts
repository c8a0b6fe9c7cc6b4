import { reason } from '../../../kit/values/faults.ts'
import type { ImmediateProvider } from '../provider.ts'
import { paymentFaults } from '../errors.ts'

/** For trying out a store: `pay=fail` is declined, everything else is paid. */
export const test: ImmediateProvider = {
  kind: 'immediate',
  settings: {},
  decide: ({ checkoutId, pay = 'ok' }) =>
    pay === 'ok' ? { reference: `test_${checkoutId}` } : { declined: reason(paymentFaults.declined) },
}
