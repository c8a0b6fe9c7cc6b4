import type { PaymentOutcome, PaymentRequest } from './provider.ts'

/** For trying out a store: no money moves. `pay=fail` is declined, everything else is paid. */
export function payAsTold({ pay = 'ok', idempotencyKey }: PaymentRequest): PaymentOutcome {
  return pay === 'ok'
    ? { status: 'paid', reference: `test_${idempotencyKey}` }
    : { status: 'declined', message: 'was declined' }
}
