// All data about a customer: handed out (GDPR article 15), and counted before it is erased.
import type { Db } from '../../kit/database/database.ts'
import type { Entity, Fields, JsonSchema } from '../../kit/declare/field.ts'
import { entityPage, findRecord } from '../../kit/declare/page.ts'
import type { ResourceOf } from '../../kit/declare/resource.ts'
import { sql } from '../../kit/database/sql.ts'
import { customer, type Customer } from '../../commerce/customers/customer.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { addedParts, exportParts, type ExportPart } from './personaldata.ts'
import { emailHash, type ErasedPerson } from '../../tenancy/tables/person.ts'
import { findSubject } from './subject.ts'

/** Limit per kind; the lists have the rest. */
export const maxRecords = 1000

export type ExportedKind = keyof typeof exportParts

const kinds: Readonly<Record<string, ExportPart>> = { ...exportParts, ...addedParts }

const kindNames = Object.keys(kinds)

// prettier-ignore
export const exportSchema: JsonSchema = {
  title: 'Customer data',
  type: 'object',
  properties: {
    customer: customer.entity,
    ...Object.fromEntries(
      kindNames.map((name) => {
        const { entity, noun } = kinds[name]!.resource
        const ofExtension = name in addedParts ? { description: `${noun}s of the customer` } : {}
        return [name, { type: 'array', items: entity, ...ofExtension }]
      }),
    ),
    refuses_recovery_mail: { type: 'boolean',
      description: 'Whether the customer opted out of abandoned checkout emails' },
    more: { type: 'array', items: { type: 'string', enum: kindNames },
      description: `Parts limited to the newest ${maxRecords} records; their list endpoints return all` },
    withheld: { type: 'array', items: { type: 'string' }, description: 'Scopes required to see what is withheld' },
  },
  required: ['customer', 'refuses_recovery_mail', 'more', 'withheld'],
}

export type CustomerExport = {
  customer: Customer
  /** True if their address opted out of recovery emails. */
  refuses_recovery_mail: boolean
  /** Kinds that have more records than the export contains. */
  more: string[]
  /** The scopes that would reveal more of it. */
  withheld: string[]
} & { [K in ExportedKind]?: object[] }

/** The parts that the scopes let be read elsewhere. */
export async function exportCustomer(
  db: Db,
  store: Store,
  id: string,
  scopes: { has: (scope: string) => boolean },
): Promise<CustomerExport> {
  const [{ entity }, subject] = await Promise.all([findRecord(db, customer, store.id, id), findSubject(db, store, id)])
  const open = kindNames.filter((name) => scopes.has(kinds[name]!.scope))
  const [refuses, ...parts] = await Promise.all([
    refusesMail(db, store.id, entity.email),
    ...open.map((name) => readExportPart(db, store, kinds[name]!, subject, maxRecords)),
  ])
  const closedKinds = kindNames.filter((name) => !open.includes(name))
  return {
    customer: entity,
    ...Object.fromEntries(parts.map(({ records }, index) => [open[index], records])),
    refuses_recovery_mail: refuses,
    more: open.filter((_, index) => parts[index]!.total > parts[index]!.records.length),
    withheld: [...new Set(closedKinds.map((name) => kinds[name]!.scope))],
  }
}

export async function readExportPart<F extends Fields>(
  db: Db,
  store: Store,
  { resource, isTheirs, filters, hides = [] }: ExportPart,
  subject: ErasedPerson,
  maximum: number,
): Promise<{ total: number; records: object[] }> {
  const query = { page: 1, per_page: maximum, sort: 'created_at', order: 'desc', ...filters?.(subject) } as const
  const { data, pagination } = await entityPage(db, resource as ResourceOf<F>, store, query, isTheirs(subject))
  const blanks = Object.fromEntries(hides.map((name) => [name, null]))
  return { total: pagination.total, records: data.map((record: Entity<F>) => ({ ...record, ...blanks })) }
}

async function refusesMail(db: Db, storeId: string, email: string | null): Promise<boolean> {
  if (email === null) return false
  const fault = await db.one(sql`
    select from mail_refusals
    where store_id = ${storeId}
      and email_hash = ${emailHash(sql`${email}::text`)}`)
  return fault !== undefined
}

/** Number of records of each kind. */
export async function countExported(db: Db, store: Store, id: string): Promise<Record<ExportedKind, number>> {
  const subject = await findSubject(db, store, id)
  const parts = await Promise.all(kindNames.map((name) => readExportPart(db, store, kinds[name]!, subject, 1)))
  return Object.fromEntries(parts.map(({ total }, index) => [kindNames[index], total])) as Record<ExportedKind, number>
}
