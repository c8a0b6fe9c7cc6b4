// The rows of a customer that are handed out (GDPR article 15), and their erasure (article 17), which each table
// declares for its own rows.
import { sql, type Sql } from '../../kit/database/sql.ts'
import type { ResourceOf } from '../../kit/declare/resource.ts'
import { publicId } from '../../kit/values/ids.ts'
import type { EraseCustomer } from '../../commerce/customers/operations.ts'
import { fulfillment } from '../../commerce/fulfillments/fulfillment.ts'
import { draftOrder } from '../../commerce/draftorders/draftorder.ts'
import { order } from '../../commerce/orders/order.ts'
import { orderComment } from '../../commerce/orders/comments/comment.ts'
import { refund } from '../../commerce/orders/refunds/refund.ts'
import { orderReturn } from '../../commerce/returns/return.ts'
import { payment } from '../../commerce/payments/payment.ts'
import { checkoutRecord } from '../../storefront/checkout/cart/draft.ts'
import { mail } from '../../tenancy/emails/mail.ts'
import { isMailTo } from '../../tenancy/tables/mails.ts'
import type { ErasedPerson } from '../../tenancy/tables/person.ts'
import { extensions } from '../../tenancy/extensions/loaded.ts'
import { isAbout } from '../../tenancy/audit/history.ts'
import { auditEntry } from '../auditlog/entry.ts'
import { tables } from '../tables.ts'
import { findSubject } from './subject.ts'

export type ExportPart = {
  resource: ResourceOf<any>
  /** The scopes that are required to read them elsewhere. */
  scope: string
  isTheirs: (subject: ErasedPerson) => Sql
  /** Filters of its list that ask for the same, where the list knows how many there are without any. */
  filters?: (subject: ErasedPerson) => Record<string, unknown>
  /** Columns that hold a secret rather than personal data. */
  hides?: readonly string[]
}

/** The parts of an export, by name. */
// prettier-ignore
export const exportParts = {
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
                  isTheirs: ({ ids, storeId }) => isAbout(storeId, sql`${ids}::uuid[]`) },
} satisfies Record<string, ExportPart>

/** The parts of extensions. */
export const addedParts: Readonly<Record<string, ExportPart>> = Object.assign(
  {},
  ...extensions.map(({ exports }) => exports),
)

/** The audit log is last, because triggers write the others' changes to it. */
const erasers = tables
  .toSorted((one, other) => Number(one.name === 'audit_log') - Number(other.name === 'audit_log'))
  .flatMap(({ store }) => (typeof store?.erasure === 'function' ? [store.erasure] : []))

export const eraseCustomer: EraseCustomer = async (tx, store, id) => {
  const subject = await findSubject(tx, store, id)
  for (const erase of erasers) await erase(tx, store.id, subject)
}
