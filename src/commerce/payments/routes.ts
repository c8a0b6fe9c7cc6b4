import type { Tx } from '../../kit/database/database.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import { findRecord, loadRecord } from '../../kit/declare/page.ts'
import type { RecordOf } from '../../kit/declare/resource.ts'
import { json, buildRouteVerbs } from '../../kit/declare/route.ts'
import { settingRoutes } from '../../tenancy/stores/setting.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { paymentMethod, paymentMethods } from './method.ts'
import { payment, paymentChanges, type Payment } from './payment.ts'
import { trial, testMethod, type TrialDeps } from './trial.ts'

const { act } = buildRouteVerbs<Store, TrialDeps>('Payments')
const payments = buildCrudRoutes<Store>('Payments')(payment, {
  path: '/payments',
  read: 'read:orders',
  write: 'write:orders',
})

export const routes = [
  ...settingRoutes(paymentMethods),
  act('/store/payment-methods/{id}/test', {
    scope: 'write:store',
    params: { id: paymentMethod },
    returns: trial,
    summary: "Test a payment method's settings",
    prepare: (request) => testMethod(request),
    run: ({ prepared }) => json(prepared),
  }),
  payments.list(),
  payments.get(),
  payments.update(({ tx, store, params, body }) => updatePayment(tx, store, params.id, body), {
    body: paymentChanges,
    summary: 'Flag a payment for attention, or clear the flag',
  }),
]

async function updatePayment(
  tx: Tx,
  store: Store,
  id: string,
  { needs_attention, needs_review = needs_attention }: { needs_review?: boolean; needs_attention?: boolean },
): Promise<RecordOf<Payment>> {
  if (needs_review === undefined) return findRecord(tx, payment, store.id, id)
  // A whole record may be sent back with one of its two names edited: then the other one has the stored value.
  const isOneEdited = needs_attention !== undefined && needs_attention !== needs_review
  const [row] = await tx.texts(sql`
    update payment_sessions
    set needs_review = ${isOneEdited ? raw('not needs_review') : sql`${needs_review}::boolean`}, updated_at = ${tx.now}
    where store_id = ${store.id}
      and id = ${id}
    returning ${payment.columns}`)
  return loadRecord(tx, payment, store.id, row)
}
