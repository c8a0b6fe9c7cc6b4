// Customers of a file, known by their email or phone; in an export, one without either is known by the name.
import type { Db } from '../../../kit/database/database.ts'
import { empty, sql, type Sql } from '../../../kit/database/sql.ts'
import type { Entity } from '../../../kit/declare/field.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import { customer } from '../../../commerce/customers/customer.ts'
import { addMissingAddresses, maxAddresses, type CustomerAddress } from '../../../commerce/customers/address.ts'
import { hasNoOtherEmail, phoneKey } from '../../../commerce/customers/matching.ts'
import { mergeCustomValues } from '../../../tenancy/stores/customvalues.ts'
import { consentSources } from '../../../commerce/customers/consents/consent.ts'
import { createCustomer, deleteCustomer, updateCustomer } from '../../../commerce/customers/operations.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { parseCountryCode } from '../../../kit/values/countries.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { putCustomValues } from './customcolumns.ts'
import { addressParts, consentParts, customerReferences } from './fields.ts'
import type { MatchKey } from './import.ts'
import { withTexts } from './products.ts'
import type { CheckTime, Match, RecordKind, ImportWrite } from './kind.ts'
import { allNamed, groupNamed } from './named.ts'
import { getFirstValue, isExported, listCells, put, type Draft, type MappedRow } from './record.ts'

export const customers: RecordKind = {
  prefix: 'cus',
  draft,
  body: customer,
  keysOf: ({ email }) => (typeof email === 'string' ? [`email ${email.toLowerCase()}`] : []),
  find,
  create,
  // How a customer agreed is kept with the consent itself.
  planUpdate: (entity, { marketing_consent: _, ...input }) => ({
    ...withoutRenewal(entity, input),
    ...(input.addresses ? { addresses: withNew(entity.addresses, input.addresses) } : {}),
    ...withTexts(input, entity as Entity<typeof customer.fields>),
  }),
  update,
  remove: ({ tx, store, deps }, id) => deleteCustomer(tx, store, id, deps),
}

function draft(rows: readonly MappedRow[]): Draft {
  const made: Draft = { input: {}, places: new Map(), notes: [] }
  for (const field of [...Object.keys(customer.fields), ...Object.keys(customerReferences)]) {
    const cell = getFirstValue(rows, field)
    if (cell) put(made, field, { ...cell, value: field === 'phone' ? [cell.value].flat()[0] : cell.value }, cell.number)
  }
  putCustomValues(made, listCells(rows))
  nameCustomer(made, rows)
  putAddress(made, rows)
  putConsent(made, rows)
  made.input.is_exported = isExported(rows)
  return made
}

/** A country's name becomes its code; an unknown name is a fault of its cell. */
function putAddress(draft: Draft, rows: readonly MappedRow[]): void {
  const address: Record<string, unknown> = {}
  for (const [field, part] of Object.entries(addressParts)) {
    const cell = getFirstValue(rows, field)
    if (!cell) continue
    const isCountry = part === 'country'
    const value = isCountry ? (parseCountryCode(String(cell.value)) ?? cell.value) : cell.value
    put(draft, `addresses.0.${isCountry ? 'country_code' : part}`, { ...cell, value }, cell.number, address)
  }
  // A country or a province alone is not an address.
  const isPlace = ['address', 'address_2', 'city', 'postal_code', 'company'].some((part) => part in address)
  if (isPlace) draft.input.addresses = [{ ...(draft.input.name ? { name: draft.input.name } : {}), ...address }]
}

/** Files of other systems have words of their own for the source. */
function putConsent(draft: Draft, rows: readonly MappedRow[]): void {
  const consent: Record<string, unknown> = {}
  for (const [field, part] of Object.entries(consentParts)) {
    const cell = getFirstValue(rows, field)
    if (!cell) continue
    const word = String(cell.value).toLowerCase()
    const value = part !== 'source' ? cell.value : consentSources.find((one) => one === word)
    if (value !== undefined) put(draft, `marketing_consent.${part}`, { ...cell, value }, cell.number, consent)
  }
  if (Object.keys(consent).length > 0) draft.input.marketing_consent = consent
}

/** First and last name, otherwise the email or phone: a record of the API requires a name. */
function nameCustomer(draft: Draft, rows: readonly MappedRow[]): void {
  if (draft.input.name !== undefined) return
  const parts = ['first_name', 'last_name'].map((field) => getFirstValue(rows, field))
  const name = parts.flatMap((part) => (part ? String([part.value].flat()[0]) : [])).join(' ')
  const source = parts.find(Boolean) ?? getFirstValue(rows, 'email') ?? getFirstValue(rows, 'phone')
  if (!source) return
  put(draft, 'name', { value: name || String([source.value].flat()[0]), column: source.column }, source.number)
}

type CustomerKey = {
  by: string
  field: string
  column: Sql
  /** Rows of the file, beside which the customers are looked at. */
  join?: (values: string[]) => Sql
  matches: (values: string[], storeId: string) => Sql
  read: (input: Record<string, any>, store: Store) => string | null
}

/** The keys that find a customer, the surest first. */
const customerKeys: readonly CustomerKey[] = [
  {
    by: 'ID',
    field: 'id',
    column: sql`id`,
    matches: (ids) => sql`id = any(${ids}::uuid[])`,
    read: ({ id }) => toUuid('cus', String(id ?? '')),
  },
  {
    by: 'external ID',
    field: 'external_id',
    column: sql`external_id`,
    matches: (ids) => sql`external_id = any(${ids})`,
    read: ({ external_id }) => (typeof external_id === 'string' ? external_id : null),
  },
  {
    by: 'name',
    field: 'name',
    column: sql`name`,
    matches: (names) => sql`email is null and phone is null and name = any(${names})`,
    read: (input) => (isKnownByName(input) ? input.name : null),
  },
  {
    by: 'email',
    field: 'email',
    column: sql`lower(email)`,
    matches: (emails) => sql`lower(email) = any(${emails})`,
    read: ({ email }) => (typeof email === 'string' ? email.toLowerCase() : null),
  },
  {
    by: 'phone',
    field: 'phone',
    column: sql`phone_key`,
    matches: (phones) => sql`phone_key = any(${phones})`,
    read: ({ email, phone }, store) =>
      typeof phone === 'string' && typeof email !== 'string' ? phoneKey(store, phone) : null,
  },
  // A phone is one of two people where both have an email.
  {
    by: 'phone',
    field: 'phone',
    column: sql`contact.phone || ' ' || contact.email`,
    join: (contacts) => {
      const [phones, emails] = [0, 1].map((index) => contacts.map((contact) => contact.split(' ')[index]))
      return sql`
        join unnest(${phones}::text[], ${emails}::text[]) as contact (phone, email) on contact.phone = phone_key`
    },
    matches: (_, storeId) => hasNoOtherEmail(storeId, sql`contact.email`),
    read: ({ email, phone }, store) => {
      const key = typeof phone === 'string' && typeof email === 'string' ? phoneKey(store, phone) : null
      return key && `${key} ${email.toLowerCase()}`
    },
  },
]

async function find(db: Db, store: Store, drafts: readonly Draft[], { matchBy }: CheckTime): Promise<(Match | null)[]> {
  const inputs = drafts.map(({ input }) => keepKeys(input, matchBy))
  const known = await Promise.all(
    customerKeys.map(async ({ column, join, matches, read }) => {
      const values = inputs.flatMap((input) => read(input, store) ?? [])
      if (values.length === 0) return new Map<string, string>()
      const rows = await db.rows<{ key: string; id: string }>(sql`
        select ${column} as key, id
        from customers${join?.(values) ?? empty}
        where customers.store_id = ${store.id}
          and ${matches(values, store.id)}
        order by id desc`)
      return new Map(rows.map(({ key, id }) => [key, id]))
    }),
  )
  return inputs.map((input) => {
    for (const [index, { by, field, read }] of customerKeys.entries()) {
      const id = known[index]!.get(read(input, store) ?? '')
      if (id) return { id, by, value: input[field] }
    }
    return null
  })
}

/** What a customer is found by: the key of the import, or an ID, or else all that a row has. */
function keepKeys(input: Record<string, any>, matchBy: MatchKey): Record<string, any> {
  const key = matchBy === 'auto' && input.id !== undefined ? 'id' : matchBy
  return key === 'auto' ? input : { [key]: input[key] }
}

function isKnownByName({ is_exported, name, email, phone }: Record<string, any>): boolean {
  return is_exported && typeof name === 'string' && email === undefined && phone === undefined
}

async function create(call: ImportWrite, input: Record<string, any>): Promise<string> {
  const { tx, store } = call
  const group_ids = await allNamed(call, input.groups, groupNamed)
  const read = customer.create.read({ ...withConsent(input), group_ids }, store)
  const body = await mergeCustomValues(tx, store, read, null, customer.create.schema)
  return (await createCustomer(tx, store, body)).id
}

function withConsent(input: Record<string, any>): Record<string, any> {
  return { ...input, marketing_consent: { source: 'import', ...input.marketing_consent } }
}

/** Who has unsubscribed agrees again only in person: a file may be older. */
function withoutRenewal<T extends Record<string, any>>(before: Record<string, any>, input: T): T {
  const hasUnsubscribed = !before.accepts_marketing && before.marketing_changed_at !== null
  if (!input.accepts_marketing || !hasUnsubscribed) return input
  const { accepts_marketing: _, ...others } = input
  return others as T
}

/** Groups of the file are added to those of the record. */
async function update(call: ImportWrite, { id }: Match, input: Record<string, any>): Promise<boolean> {
  const { tx, store } = call
  const { entity: before } = await findRecord(tx, customer, store.id, id)
  const group_ids = [...new Set([...before.group_ids, ...(await allNamed(call, input.groups, groupNamed))])]
  const read = customer.patch.read(
    { ...withConsent(withoutRenewal(before, input)), ...withTexts(input, before), group_ids },
    store,
  )
  const body = await mergeCustomValues(tx, store, read, before, customer.patch.schema)
  const { addresses: newAddresses = [], ...patch } = body
  const addresses = withNew(before.addresses, newAddresses)
  const { entity: after } = await updateCustomer(tx, store, id, { ...patch, addresses })
  return after.updated_at.getTime() !== before.updated_at.getTime()
}

/** An address of a file is added to those of the record, unless it is one of them, or they are full. */
function withNew(before: readonly CustomerAddress[], newAddresses: readonly CustomerAddress[]): CustomerAddress[] {
  return before.length < maxAddresses ? addMissingAddresses(before, newAddresses) : [...before]
}
