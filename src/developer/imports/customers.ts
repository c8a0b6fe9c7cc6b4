// Customers of a file, known by their email or phone.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { findRecord } from '../../kit/declare/page.ts'
import { customer } from '../../commerce/customers/customer.ts'
import { createCustomer, deleteCustomer, phoneKey, updateCustomer } from '../../commerce/customers/operations.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { Match, RecordKind, ImportWrite } from './kind.ts'
import { firstOf, put, type Draft, type MappedRow } from './record.ts'

export const customers: RecordKind = {
  prefix: 'cus',
  draft,
  body: customer,
  keysOf: ({ email }) => (typeof email === 'string' ? [`email ${email.toLowerCase()}`] : []),
  find,
  create,
  update,
  remove: ({ tx, store, tools }, id) => deleteCustomer(tx, store, id, tools),
}

function draft(rows: readonly MappedRow[]): Draft {
  const made: Draft = { input: {}, places: new Map(), notes: [] }
  for (const field of Object.keys(customer.fields)) {
    const found = firstOf(rows, field)
    if (found)
      put(made, field, { ...found, value: field === 'phone' ? [found.value].flat()[0] : found.value }, found.number)
  }
  nameCustomer(made, rows)
  return made
}

/** First and last name, else the email or phone: a record of the API has a name. */
function nameCustomer(made: Draft, rows: readonly MappedRow[]): void {
  if (made.input.name !== undefined) return
  const parts = ['first_name', 'last_name'].map((field) => firstOf(rows, field))
  const name = parts.flatMap((part) => (part ? String([part.value].flat()[0]) : [])).join(' ')
  const source = parts.find(Boolean) ?? firstOf(rows, 'email') ?? firstOf(rows, 'phone')
  if (!source) return
  put(made, 'name', { value: name || String([source.value].flat()[0]), column: source.column }, source.number)
}

async function find(db: Db, store: Store, drafts: readonly Draft[]): Promise<(Match | null)[]> {
  const emails = drafts.flatMap(({ input }) => (typeof input.email === 'string' ? input.email.toLowerCase() : []))
  const phones = drafts.flatMap(({ input }) =>
    typeof input.phone === 'string' ? (phoneKey(store, input.phone) ?? []) : [],
  )
  const [byEmail, byPhone] = await Promise.all([
    emails.length === 0
      ? []
      : db.rows<{ key: string; id: string }>(sql`
      select lower(email) as key, id
      from customers
      where store_id = ${store.id}
        and lower(email) = any(${emails})
      order by id desc`),
    phones.length === 0
      ? []
      : db.rows<{ key: string; id: string }>(sql`
      select phone_key as key, id
      from customers
      where store_id = ${store.id}
        and phone_key = any(${phones})
      order by id desc`),
  ])
  const [ofEmail, ofPhone] = [byEmail, byPhone].map((rows) => new Map(rows.map(({ key, id }) => [key, id]))) as [
    Map<string, string>,
    Map<string, string>,
  ]
  return drafts.map(({ input: { email, phone } }) => {
    const known = typeof email === 'string' ? ofEmail.get(email.toLowerCase()) : undefined
    if (known) return { id: known, by: 'email', value: email }
    const id = typeof phone === 'string' && email === undefined ? ofPhone.get(phoneKey(store, phone) ?? '') : undefined
    return id ? { id, by: 'phone', value: phone } : null
  })
}

async function create({ tx, store }: ImportWrite, input: Record<string, any>): Promise<string> {
  return (await createCustomer(tx, store, customer.create.read(input, store))).id
}

async function update({ tx, store }: ImportWrite, id: string, input: Record<string, any>): Promise<boolean> {
  const { entity: before } = await findRecord(tx, customer, store.id, id)
  const { entity: after } = await updateCustomer(tx, store, id, customer.patch.read(input, store))
  return after.updated_at.getTime() !== before.updated_at.getTime()
}
