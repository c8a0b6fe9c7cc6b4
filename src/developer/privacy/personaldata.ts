// Every table that tells of customers: which rows are a customer's, what is handed out of them (GDPR article 15), and
// what erasure does with them (article 17). The fields of a table that tell of a person are those its resource declares
// as personal.
import type { Tx } from '../../kit/database/database.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import type { ResourceOf } from '../../kit/declare/resource.ts'
import { withoutPersonal } from '../../kit/declare/row.ts'
import { publicId } from '../../kit/values/ids.ts'
import { customer } from '../../commerce/customers/customer.ts'
import type { EraseCustomer } from '../../commerce/customers/operations.ts'
import { fulfillment } from '../../commerce/fulfillments/fulfillment.ts'
import { draftOrder } from '../../commerce/draftorders/draftorder.ts'
import { order } from '../../commerce/orders/order.ts'
import { orderComment } from '../../commerce/orders/comments/comment.ts'
import { refund } from '../../commerce/orders/refunds/refund.ts'
import { orderReturn, returnItem } from '../../commerce/returns/return.ts'
import { payment } from '../../money/payments/payment.ts'
import { checkoutRecord } from '../../storefront/checkout/cart/draft.ts'
import { eraseAudit } from '../../tenancy/audit/erase.ts'
import { mail } from '../../tenancy/emails/mail.ts'
import { isAbout } from '../../tenancy/audit/history.ts'
import { auditEntry } from '../auditlog/entry.ts'
import {
  eraseAnswers,
  eraseCheckouts,
  eraseComments,
  eraseDraftOrders,
  eraseImportRows,
  eraseMails,
  eraseOutbox,
  erasePaymentLinks,
  eraseProposals,
  eraseSessions,
  eraseSignIns,
  eraseViews,
} from './erasers.ts'
import { eraseEvents } from './events.ts'
import { findSubject, isMailTo, type PrivacySubject } from './subject.ts'

type Eraser = (tx: Tx, storeId: string, subject: PrivacySubject) => void

export type Exported = {
  resource: ResourceOf<any>
  /** Which it takes to read them elsewhere. */
  scope: string
  isTheirs: (subject: PrivacySubject) => Sql
  /** Filters of its list that ask for the same, where the list knows how many there are without any. */
  filters?: (subject: PrivacySubject) => Record<string, unknown>
  /** Columns that hold a secret rather than personal data. */
  hides?: readonly string[]
}

/** The parts of an export, by name. */
// prettier-ignore
export const exported = {
  orders:       { resource: order, scope: 'read:orders', filters: ({ id }) => ({ customer_id: publicId('cus', id) }),
                  isTheirs: ({ id }) => sql`orders.customer_id = ${id}` },
  payments:     { resource: payment, scope: 'read:orders',
                  isTheirs: ({ orderIds }) => sql`payment_sessions.order_id = any(${orderIds}::uuid[])` },
  refunds:      { resource: refund, scope: 'read:orders',
                  isTheirs: ({ orderIds }) => sql`refunds.order_id = any(${orderIds}::uuid[])` },
  fulfillments: { resource: fulfillment, scope: 'read:orders',
                  isTheirs: ({ orderIds }) => sql`fulfillments.order_id = any(${orderIds}::uuid[])` },
  comments:     { resource: orderComment, scope: 'read:orders',
                  isTheirs: ({ orderIds }) => sql`order_comments.order_id = any(${orderIds}::uuid[])` },
  returns:      { resource: orderReturn, scope: 'read:orders',
                  isTheirs: ({ orderIds }) => sql`returns.order_id = any(${orderIds}::uuid[])` },
  checkouts:    { resource: checkoutRecord, scope: 'read:checkout_drafts', hides: ['recovery_token', 'recovery_url'],
                  isTheirs: ({ checkoutIds }) => sql`checkouts.id = any(${checkoutIds}::uuid[])` },
  draft_orders: { resource: draftOrder, scope: 'read:orders',
                  isTheirs: ({ draftOrderIds }) => sql`draft_orders.id = any(${draftOrderIds}::uuid[])` },
  mails:        { resource: mail, scope: 'read:orders', isTheirs: isMailTo },
  changes:      { resource: auditEntry, scope: 'read:audit',
                  isTheirs: ({ id, storeId }) => isAbout(storeId, sql`array[${id}::uuid]`) },
} satisfies Record<string, Exported>

/** Clears what a resource declares as personal, in the rows that are the customer's. */
function personalFieldsOf({ resource, isTheirs }: Pick<Exported, 'resource' | 'isTheirs'>): Eraser {
  return (tx, storeId, subject) =>
    tx.later(sql`
      update ${raw(resource.table)}
      set ${withoutPersonal(resource.fields)}
      where store_id = ${storeId}
        and ${isTheirs(subject)}`)
}

/**
 * By table, in this order. The audit log is last, because triggers write the others' changes to it. A text says why
 * rows stay.
 */
export const erasure: Record<string, Eraser | string> = {
  checkouts: eraseCheckouts,
  deliveries: () => {}, // with events
  draft_orders: eraseDraftOrders,
  events: eraseEvents,
  idempotency_keys: eraseAnswers,
  import_rows: eraseImportRows,
  mails: eraseMails,
  outbox: eraseOutbox,
  payment_sessions: erasePaymentLinks,
  proposals: eraseProposals,
  order_comments: eraseComments,
  refunds: personalFieldsOf(exported.refunds),
  returns: personalFieldsOf(exported.returns),
  return_items: personalFieldsOf({
    resource: returnItem,
    isTheirs: ({ orderIds }) => sql`return_items.order_id = any(${orderIds}::uuid[])`,
  }),
  saved_views: eraseViews,
  shopper_sign_ins: eraseSignIns,
  shopper_sessions: eraseSessions,
  shopper_passkeys: () => {}, // with sessions
  audit_log: (tx, storeId, { id, commentIds }) => eraseAudit(tx, storeId, [id, ...commentIds]),
  orders: 'the snapshot that an invoice is made of',
  fulfillments: 'fulfillments of these orders',
  [customer.table]: 'the record itself: its row is deleted',
  stores: 'contacts of the merchant',
}

export const eraseCustomer: EraseCustomer = async (tx, store, id) => {
  const subject = await findSubject(tx, store, id)
  for (const erase of Object.values(erasure)) if (typeof erase === 'function') erase(tx, store.id, subject)
}
