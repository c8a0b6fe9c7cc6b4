// Customers of a file, known by their email or phone; in an export, one without either is known by the name.
import type { Db } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import { customer } from '../../../commerce/customers/customer.ts'
import { maxAddresses, withDefaults, type CustomerAddress } from '../../../commerce/customers/address.ts'
import { phoneKey } from '../../../commerce/customers/matching.ts'
import { createCustomer, deleteCustomer, updateCustomer } from '../../../commerce/customers/operations.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { parseCountryCode } from '../../../kit/values/countries.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { addressParts, customerReferences } from './fields.ts'
import type { MatchKey } from './import.ts'
import type { CheckTime, Match, RecordKind, ImportWrite } from './kind.ts'
import { allNamed, groupNamed } from './named.ts'
import { getFirstValue, isExported, put, type Draft, type MappedRow } from './record.ts'

export const customers: RecordKind = {
  prefix: 'cus',
  draft,
  body: customer,
  keysOf: ({ email }) => (typeof email === 'string' ? [`email ${email.toLowerCase()}`] : []),
  find,
  create,
  planUpdate: ({ addresses }, input) =>
    input.addresses ? { ...input, addresses: withNew(addresses, input.addresses) } : input,
  update,
  remove: ({ tx, store, deps }, id) => deleteCustomer(tx, store, id, deps),
}

function draft(rows: readonly MappedRow[]): Draft {
  const made: Draft = { input: {}, places: new Map(), notes: [] }
  for (const field of [...Object.keys(customer.fields), ...Object.keys(customerReferences)]) {
    const cell = getFirstValue(rows, field)
    if (cell) put(made, field, { ...cell, value: field === 'phone' ? [cell.value].flat()[0] : cell.value }, cell.number)
  }
  nameCustomer(made, rows)
  putAddress(made, rows)
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

/** First and last name, otherwise the email or phone: a record of the API requires a name. */
function nameCustomer(draft: Draft, rows: readonly MappedRow[]): void {
  if (draft.input.name !== undefined) return
  const parts = ['first_name', 'last_name'].map((field) => getFirstValue(rows, field))
  const name = parts.flatMap((part) => (part ? String([part.value].flat()[0]) : [])).join(' ')
  const source = parts.find(Boolean) ?? getFirstValue(rows, 'email') ?? getFirstValue(rows, 'phone')
  if (!source) return
  put(draft, 'name', { value: name || String([source.value].flat()[0]), column: source.column }, source.number)
}

async function find(db: Db, store: Store, drafts: readonly Draft[], { matchBy }: CheckTime): Promise<(Match | null)[]> {
  const inputs = drafts.map(({ input }) => keepKeys(input, matchBy))
  const emails = inputs.flatMap(({ email }) => (typeof email === 'string' ? email.toLowerCase() : []))
  const phones = inputs.flatMap(({ phone }) => (typeof phone === 'string' ? (phoneKey(store, phone) ?? []) : []))
  const names = inputs.flatMap((input) => (isKnownByName(input) ? input.name : []))
  const ids = inputs.flatMap(({ id }) => toUuid('cus', String(id ?? '')) ?? [])
  const [byId, byEmail, byPhone, byName] = await Promise.all([
    ids.length === 0
      ? []
      : db.rows<{ key: string; id: string }>(sql`
      select id as key, id
      from customers
      where store_id = ${store.id}
        and id = any(${ids}::uuid[])`),
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
    names.length === 0
      ? []
      : db.rows<{ key: string; id: string }>(sql`
      select name as key, id
      from customers
      where store_id = ${store.id}
        and email is null
        and phone is null
        and name = any(${names})
      order by id desc`),
  ])
  const [ofId, ofEmail, ofPhone, ofName] = [byId, byEmail, byPhone, byName].map(
    (rows) => new Map(rows.map(({ key, id }) => [key, id])),
  ) as [Map<string, string>, Map<string, string>, Map<string, string>, Map<string, string>]
  return inputs.map((input) => {
    const { email, phone } = input
    const uuid = toUuid('cus', String(input.id ?? ''))
    if (uuid && ofId.has(uuid)) return { id: uuid, by: 'ID', value: input.id }
    const idByName = isKnownByName(input) ? ofName.get(input.name) : undefined
    if (idByName) return { id: idByName, by: 'name', value: input.name }
    const idByEmail = typeof email === 'string' ? ofEmail.get(email.toLowerCase()) : undefined
    if (idByEmail) return { id: idByEmail, by: 'email', value: email }
    const id = typeof phone === 'string' && email === undefined ? ofPhone.get(phoneKey(store, phone) ?? '') : undefined
    return id ? { id, by: 'phone', value: phone } : null
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
  return (await createCustomer(tx, store, customer.create.read({ ...input, group_ids }, store))).id
}

/** Groups of the file are added to those of the record. */
async function update(call: ImportWrite, { id }: Match, input: Record<string, any>): Promise<boolean> {
  const { tx, store } = call
  const { entity: before } = await findRecord(tx, customer, store.id, id)
  const group_ids = [...new Set([...before.group_ids, ...(await allNamed(call, input.groups, groupNamed))])]
  const { addresses: newAddresses = [], ...patch } = customer.patch.read({ ...input, group_ids }, store)
  const addresses = withNew(before.addresses, newAddresses)
  const { entity: after } = await updateCustomer(tx, store, id, { ...patch, addresses })
  return after.updated_at.getTime() !== before.updated_at.getTime()
}

/** An address of a file is added to those of the record, unless it is one of them. */
function withNew(before: readonly CustomerAddress[], newAddresses: readonly CustomerAddress[]): CustomerAddress[] {
  const buildAddressKey = ({ name, address, address_2, city, postal_code, country_code }: CustomerAddress) =>
    JSON.stringify([name, address, address_2, city, postal_code, country_code]).toLowerCase()
  const knownKeys = new Set(before.map(buildAddressKey))
  const fresh = newAddresses.filter((one) => !knownKeys.has(buildAddressKey(one)) && before.length < maxAddresses)
  const others = fresh.map((one) => ({ ...one, is_default_shipping: false, is_default_billing: false }))
  return withDefaults([...before, ...others])
}
