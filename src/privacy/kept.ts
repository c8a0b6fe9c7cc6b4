// What is kept of a customer, wherever it stands: to be handed out (GDPR article 15), and counted before it is erased.
import type { Db } from '../kit/database/database.ts'
import type { Entity, Fields, JsonSchema } from '../kit/declare/field.ts'
import { entityPage, findRecord } from '../kit/declare/page.ts'
import type { ResourceOf } from '../kit/declare/resource.ts'
import { sql, type Sql } from '../kit/database/sql.ts'
import { auditEntry } from '../changes/entry.ts'
import { draft } from '../checkout/draft.ts'
import { emailHash } from '../checkout/mail.ts'
import { customer, type Customer } from '../customers/customer.ts'
import { fulfillment } from '../fulfillments/fulfillment.ts'
import { mail } from '../mails/mail.ts'
import { order } from '../orders/order.ts'
import { refund } from '../orders/refunds/refund.ts'
import { payment } from '../payments/payment.ts'
import type { Store } from '../stores/store.ts'

/** Of each kind; whoever has more asks the lists. */
const maximumRecords = 1000

/** The uuids and contacts by which records are theirs. */
type Person = Customer & { uuid: string }

type Kind = {
  resource: ResourceOf<any>
  /** Which it takes to read them elsewhere. */
  scope: string
  isTheirs: (person: Person, storeId: string) => Sql
  /** Filters of its list that ask for the same, where the list knows how many there are without any. */
  asked?: (person: Person) => Record<string, unknown>
  /** What of it is no word about a person, but opens something. */
  hides?: readonly string[]
}

const ordersOf = ({ uuid }: Person, storeId: string) => sql`array(
        select id
        from orders
        where store_id = ${storeId}
          and customer_id = ${uuid})`

// prettier-ignore
const declared = {
  orders:       { resource: order, scope: 'read:orders', asked: ({ id }) => ({ customer_id: id }),
                  isTheirs: ({ uuid }) => sql`orders.customer_id = ${uuid}` },
  payments:     { resource: payment, scope: 'read:orders',
                  isTheirs: (person, storeId) => sql`payment_sessions.order_id = any(${ordersOf(person, storeId)})` },
  refunds:      { resource: refund, scope: 'read:orders',
                  isTheirs: (person, storeId) => sql`refunds.order_id = any(${ordersOf(person, storeId)})` },
  fulfillments: { resource: fulfillment, scope: 'read:orders',
                  isTheirs: (person, storeId) => sql`fulfillments.order_id = any(${ordersOf(person, storeId)})` },
  checkouts:    { resource: draft, scope: 'read:checkout_drafts', hides: ['recovery_token', 'recovery_url'],
                  isTheirs: ({ email, phone }) => sql`(lower(checkouts.customer_email) = lower(${email}::text)
        or (checkouts.customer_email is null and checkouts.customer_phone = ${phone}::text))` },
  mails:        { resource: mail, scope: 'read:orders',
                  isTheirs: ({ email }) => sql`lower(mails.recipient) = lower(${email}::text)` },
  changes:      { resource: auditEntry, scope: 'read:audit',
                  isTheirs: ({ uuid }) => sql`audit_log.records @> array[${uuid}::uuid]` },
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
  const { entity } = await findRecord(db, customer, store.id, id)
  const open = keptKinds.filter((name) => scopes.has(kinds[name].scope))
  const person = { ...entity, uuid: id }
  const [refuses, ...parts] = await Promise.all([
    refusesMail(db, store.id, entity.email),
    ...open.map((name) => partOf(db, store, kinds[name], person, maximumRecords)),
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
  person: Person,
  maximum: number,
): Promise<{ total: number; records: object[] }> {
  const query = { page: 1, per_page: maximum, sort: 'created_at', order: 'desc', ...asked?.(person) } as const
  const { data, pagination } = await entityPage(db, resource as ResourceOf<F>, store, query, isTheirs(person, store.id))
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
  const { entity } = await findRecord(db, customer, store.id, id)
  const person = { ...entity, uuid: id }
  const parts = await Promise.all(keptKinds.map((name) => partOf(db, store, kinds[name], person, 1)))
  return Object.fromEntries(parts.map(({ total }, index) => [keptKinds[index], total])) as Record<KeptKind, number>
}
