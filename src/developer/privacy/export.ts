// What is kept of a customer, wherever it stands: to be handed out (GDPR article 15), and counted before it is erased.
import type { Db } from '../../kit/database/database.ts'
import type { Entity, Fields, JsonSchema } from '../../kit/declare/field.ts'
import { entityPage, findRecord } from '../../kit/declare/page.ts'
import type { ResourceOf } from '../../kit/declare/resource.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import { auditEntry } from '../auditlog/entry.ts'
import { draft } from '../../storefront/checkout/cart/draft.ts'
import { emailHash } from '../../storefront/checkout/settlement/mail.ts'
import { customer, type Customer } from '../../commerce/customers/customer.ts'
import { fulfillment } from '../../commerce/fulfillments/fulfillment.ts'
import { mail } from '../../tenancy/emails/mail.ts'
import { order } from '../../commerce/orders/order.ts'
import { refund } from '../../commerce/orders/refunds/refund.ts'
import { payment } from '../../money/payments/payment.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { publicId } from '../../kit/values/ids.ts'
import { findSubject, isMailTo, type Subject } from './subject.ts'

/** Of each kind; whoever has more asks the lists. */
const maximumRecords = 1000

type Kind = {
  resource: ResourceOf<any>
  /** Which it takes to read them elsewhere. */
  scope: string
  isTheirs: (subject: Subject) => Sql
  /** Filters of its list that ask for the same, where the list knows how many there are without any. */
  asked?: (subject: Subject) => Record<string, unknown>
  /** What of it is no word about a person, but opens something. */
  hides?: readonly string[]
}

// prettier-ignore
const declared = {
  orders:       { resource: order, scope: 'read:orders', asked: ({ id }) => ({ customer_id: publicId('cus', id) }),
                  isTheirs: ({ id }) => sql`orders.customer_id = ${id}` },
  payments:     { resource: payment, scope: 'read:orders',
                  isTheirs: ({ orderIds }) => sql`payment_sessions.order_id = any(${orderIds}::uuid[])` },
  refunds:      { resource: refund, scope: 'read:orders',
                  isTheirs: ({ orderIds }) => sql`refunds.order_id = any(${orderIds}::uuid[])` },
  fulfillments: { resource: fulfillment, scope: 'read:orders',
                  isTheirs: ({ orderIds }) => sql`fulfillments.order_id = any(${orderIds}::uuid[])` },
  checkouts:    { resource: draft, scope: 'read:checkout_drafts', hides: ['recovery_token', 'recovery_url'],
                  isTheirs: ({ checkoutIds }) => sql`checkouts.id = any(${checkoutIds}::uuid[])` },
  mails:        { resource: mail, scope: 'read:orders', isTheirs: isMailTo },
  changes:      { resource: auditEntry, scope: 'read:audit',
                  isTheirs: ({ id }) => sql`audit_log.records @> array[${id}::uuid]` },
} satisfies Record<string, Kind>

export type KeptKind = keyof typeof declared

const kinds: Record<KeptKind, Kind> = declared

const keptKinds = Object.keys(kinds) as KeptKind[]

// prettier-ignore
export const keptSchema: JsonSchema = {
  title: 'Customer data',
  type: 'object',
  properties: {
    customer: customer.entity,
    ...Object.fromEntries(keptKinds.map((name) => [name, { type: 'array', items: kinds[name].resource.entity }])),
    refuses_recovery_mail: { type: 'boolean', description: 'Wants no more mail about checkouts that were left' },
    more: { type: 'array', items: { type: 'string', enum: keptKinds },
      description: `The parts of which there are more than the newest ${maximumRecords}: their lists have all` },
    withheld: { type: 'array', items: { type: 'string' }, description: 'The scopes that would show more of it' },
  },
  required: ['customer', 'refuses_recovery_mail', 'more', 'withheld'],
}

export type Kept = {
  customer: Customer
  /** Whether mail about checkouts that were left is wanted no more at their address. */
  refuses_recovery_mail: boolean
  /** Kinds of which there is more than is told. */
  more: KeptKind[]
  /** The scopes that would show more of it. */
  withheld: string[]
} & { [K in KeptKind]?: object[] }

/** The parts that the scopes let be read elsewhere. */
export async function readKept(
  db: Db,
  store: Store,
  id: string,
  scopes: { has: (scope: string) => boolean },
): Promise<Kept> {
  const [{ entity }, subject] = await Promise.all([findRecord(db, customer, store.id, id), findSubject(db, store, id)])
  const open = keptKinds.filter((name) => scopes.has(kinds[name].scope))
  const [refuses, ...parts] = await Promise.all([
    refusesMail(db, store.id, entity.email),
    ...open.map((name) => partOf(db, store, kinds[name], subject, maximumRecords)),
  ])
  const closed = keptKinds.filter((name) => !open.includes(name))
  return {
    customer: entity,
    ...Object.fromEntries(parts.map(({ records }, index) => [open[index], records])),
    refuses_recovery_mail: refuses,
    more: open.filter((_, index) => parts[index]!.total > parts[index]!.records.length),
    withheld: [...new Set(closed.map((name) => kinds[name].scope))],
  }
}

async function partOf<F extends Fields>(
  db: Db,
  store: Store,
  { resource, isTheirs, asked, hides = [] }: Kind,
  subject: Subject,
  maximum: number,
): Promise<{ total: number; records: object[] }> {
  const query = { page: 1, per_page: maximum, sort: 'created_at', order: 'desc', ...asked?.(subject) } as const
  const { data, pagination } = await entityPage(db, resource as ResourceOf<F>, store, query, isTheirs(subject))
  const hidden = Object.fromEntries(hides.map((name) => [name, null]))
  return { total: pagination.total, records: data.map((record: Entity<F>) => ({ ...record, ...hidden })) }
}

async function refusesMail(db: Db, storeId: string, email: string | null): Promise<boolean> {
  if (email === null) return false
  const refused = await db.one(sql`
    select from mail_refusals
    where store_id = ${storeId}
      and email_hash = ${emailHash(sql`${email}::text`)}`)
  return refused !== undefined
}

/** How many records of each kind there are, whoever asks. */
export async function countKept(db: Db, store: Store, id: string): Promise<Record<KeptKind, number>> {
  const subject = await findSubject(db, store, id)
  const parts = await Promise.all(keptKinds.map((name) => partOf(db, store, kinds[name], subject, 1)))
  return Object.fromEntries(parts.map(({ total }, index) => [keptKinds[index], total])) as Record<KeptKind, number>
}
