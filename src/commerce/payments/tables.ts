import { sql } from '../../kit/database/sql.ts'
import { undoSetting } from '../../tenancy/tables/setting.ts'
import { table, type Erase } from '../../tenancy/tables/table.ts'
import { paymentMethod, paymentMethods } from './method.ts'
import { payment } from './payment.ts'
import { sealContext } from './settings.ts'
import { paymentRules } from './rules.ts'

// A method that loses its secrets is turned off. A setting that is "set" is a secret.
export const paymentMethodTable = table(paymentMethod, {
  audit: { noun: 'payment_method', undo: undoSetting(paymentMethods) },
  replaced: ({ testProvider, unlessReal }) => ({
    provider: testProvider,
    settings: unlessReal('settings', `'{}'`),
    secrets: 'null',
  }),
  sealed: {
    columns: ['secrets'],
    context: (row) => sealContext(row.store_id!, row.id!),
    blank: 'null',
    without: {
      secrets: 'null',
      is_active: 'is_active and secrets is null',
      settings: `case when secrets is null then settings else coalesce((
      select json_object_agg(own.key, own.value)
      from json_each(settings) as own
      where own.value #>> '{}' <> 'set'), '{}') end`,
    },
  },
})

/** Pages of the provider that name the payer. Open payments still need them. */
const erasePages: Erase = (tx, storeId, { orderIds, checkoutIds }) =>
  tx.later(sql`
    update payment_sessions
    set return_url = null,
        redirect_url = null
    where store_id = ${storeId}
      and look_at is null
      and (order_id = any(${orderIds}::uuid[]) or checkout_id = any(${checkoutIds}::uuid[]))
      and (return_url is not null or redirect_url is not null)`)

// A fork never asks the provider about a payment of its original.
export const payments = table(payment, {
  rules: paymentRules,
  audit: { noun: 'payment', scope: 'orders' },
  erasure: erasePages,
  replaced: ({ testProvider }) => ({
    return_url: 'null',
    redirect_url: 'null',
    provider: testProvider,
    asked_id: 'null',
    asked_at: 'null',
    ask_at: 'null',
    look_at: 'null',
    recheck_at: 'null',
    capturing_amount: '0',
    is_late: 'false',
  }),
})

export const paymentEvents = table('payment_events', {
  audit: 'a log of its own, never changed',
  replaced: ({ testProvider }) => ({ reason: 'null', provider: testProvider }),
})

export const disputes = table('disputes', { audit: 'what providers tell; the payment is a write' })
