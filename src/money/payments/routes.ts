import { find, findRecord, page, recordOf } from '../../kit/declare/page.ts'
import { assignments, type RecordOf } from '../../kit/declare/resource.ts'
import { json, routesOf } from '../../kit/declare/route.ts'
import { sql } from '../../kit/database/sql.ts'
import type { Tx } from '../../kit/database/database.ts'
import { order } from '../../commerce/orders/order.ts'
import { settingRoutes } from '../../tenancy/stores/setting.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { paymentMethod, paymentMethods } from './method.ts'
import { capturePayment, newCapture } from './capture.ts'
import { payment, paymentChanges, type Payment } from './payment.ts'
import { trial, testMethod, type TrialDeps } from './trial.ts'

const { act, get, patch } = routesOf<Store, TrialDeps>('Payments')

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
  get('/payments', {
    scope: 'read:orders',
    query: payment.query,
    returns: payment.entity,
    list: true,
    summary: 'List payments',
    run: ({ db, store, query }) => page(db, payment, store, query),
  }),
  get('/payments/{id}', {
    scope: 'read:orders',
    params: { id: payment },
    returns: payment.entity,
    summary: 'Get a payment',
    run: ({ db, store, params }) => find(db, payment, store.id, params.id),
  }),
  patch('/payments/{id}', {
    scope: 'write:orders',
    params: { id: payment },
    body: paymentChanges,
    returns: payment.entity,
    summary: 'Flag a payment for attention, or clear the flag',
    run: ({ tx, store, params, body }) => updatePayment(tx, store, params.id, body),
  }),
  get('/orders/{id}/payments', {
    scope: 'read:orders',
    params: { id: order },
    query: payment.query,
    returns: payment.entity,
    list: true,
    summary: "List an order's payments and their events",
    async run({ db, store, params, query }) {
      await find(db, order, store.id, params.id)
      return page(db, payment, store, query, sql`payment_sessions.order_id = ${params.id}`)
    },
  }),
  act('/orders/{id}/capture', {
    scope: 'write:orders',
    params: { id: order },
    body: newCapture,
    returns: payment.entity,
    summary: 'Capture an authorized payment',
    run: ({ tx, store, params, body }) => capturePayment(tx, store, params.id, body),
  }),
]

async function updatePayment(
  tx: Tx,
  store: Store,
  id: string,
  changes: { needs_review?: boolean },
): Promise<RecordOf<Payment>> {
  if (changes.needs_review === undefined) return findRecord(tx, payment, store.id, id)
  const [row] = await tx.texts(sql`
    update payment_sessions
    set ${assignments(payment, changes, { updated_at: tx.now })}
    where store_id = ${store.id}
      and id = ${id}
    returning ${payment.columns}`)
  return recordOf(tx, payment, store.id, row)
}
