// Writes of a customer's addresses.
import type { Db, Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { findRecord } from '../../kit/declare/page.ts'
import type { Json } from '../../kit/declare/resource.ts'
import { json, type WriteResult } from '../../kit/declare/route.ts'
import { invalid, notFound } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import {
  completeAddress,
  customerAddress,
  maxAddresses,
  withAddress,
  withCountryCode,
  withDefaults,
  withProvince,
  type NewAddress,
  type CustomerAddress,
} from './address.ts'
import { customer } from './customer.ts'
import { updateCustomer } from './operations.ts'

export async function listAddresses(db: Db, store: Store, customerId: string): Promise<CustomerAddress[]> {
  return (await findRecord(db, customer, store.id, customerId)).entity.addresses
}

export type DefaultAddresses = { shipping: CustomerAddress; billing: CustomerAddress | null }

/** Null for customers without addresses, and for unknown ones. `billing` is null if it is the same address. */
export async function findDefaultAddresses(
  db: Db,
  storeId: string,
  customerId: string,
): Promise<DefaultAddresses | null> {
  const row = await db.one<{ addresses: CustomerAddress[] }>(sql`
    select addresses
    from customers
    where store_id = ${storeId}
      and id = ${customerId}`)
  return chooseDefaultAddresses(row?.addresses ?? [])
}

export function chooseDefaultAddresses(addresses: readonly CustomerAddress[]): DefaultAddresses | null {
  const shipping = addresses.find(({ is_default_shipping }) => is_default_shipping)
  const billing = addresses.find(({ is_default_billing }) => is_default_billing) ?? null
  return shipping ? { shipping, billing: billing?.id === shipping.id ? null : billing } : null
}

export async function findAddress(
  db: Db,
  store: Store,
  customerId: string,
  id: string,
): Promise<Json<CustomerAddress>> {
  return json(addressIn(await listAddresses(db, store, customerId), id))
}

export async function createAddress(
  tx: Tx,
  store: Store,
  customerId: string,
  input: NewAddress,
): Promise<WriteResult<CustomerAddress>> {
  const address = completeAddress(input, store)
  return change(tx, store, customerId, address.id, (addresses) => {
    if (addresses.length >= maxAddresses) {
      const values = { owner: 'a customer', limit: maxAddresses, things: 'addresses' }
      throw invalid(fault('body', generalFaults.one_too_many, values))
    }
    return withAddress(addresses, address)
  })
}

export async function updateAddress(
  tx: Tx,
  store: Store,
  customerId: string,
  id: string,
  patch: Partial<NewAddress>,
): Promise<WriteResult<CustomerAddress>> {
  return change(tx, store, customerId, id, (addresses) => {
    const lines = withCountryCode(patch)
    const address = { ...addressIn(addresses, id), ...lines }
    const isMoved = lines.province !== undefined || lines.country_code !== undefined
    return withAddress(addresses, isMoved ? withProvince(address, address.country_code) : address)
  })
}

export async function deleteAddress(tx: Tx, store: Store, customerId: string, id: string): Promise<void> {
  const addresses = await lockAddresses(tx, store, customerId)
  addressIn(addresses, id)
  const newAddresses = withDefaults(addresses.filter((one) => one.id !== id))
  await updateCustomer(tx, store, customerId, { addresses: newAddresses })
}

async function change(
  tx: Tx,
  store: Store,
  customerId: string,
  id: string,
  edit: (addresses: CustomerAddress[]) => CustomerAddress[],
): Promise<WriteResult<CustomerAddress>> {
  const addresses = edit(await lockAddresses(tx, store, customerId))
  await updateCustomer(tx, store, customerId, { addresses })
  return { id, json: json(addressIn(addresses, id)) }
}

async function lockAddresses(tx: Tx, store: Store, customerId: string): Promise<CustomerAddress[]> {
  const row = await tx.one<{ addresses: CustomerAddress[] }>(sql`
    select addresses from customers
    where store_id = ${store.id}
      and id = ${customerId}
    for update`)
  if (!row) throw notFound(customer.noun)
  return row.addresses
}

function addressIn(addresses: readonly CustomerAddress[], id: string): CustomerAddress {
  const address = addresses.find((one) => one.id === id)
  if (!address) throw notFound(customerAddress.noun)
  return address
}
