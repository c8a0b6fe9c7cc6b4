import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import { notFoundResponse } from '../../kit/declare/errorresponse.ts'
import { deleted, deletedSchema, json, buildRouteVerbs } from '../../kit/declare/route.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { addressChanges, customerAddress, newAddress } from './address.ts'
import { createAddress, deleteAddress, findAddress, listAddresses, updateAddress } from './addresses.ts'
import { consentRecord } from './consents/consent.ts'
import { customer } from './customer.ts'
import { customerNote } from './notes/note.ts'
import { createBody } from '../../kit/declare/shape.ts'
import { id } from '../../kit/declare/scalars.ts'
import { mergeCustomers, type MergeDeps } from './merges/operations.ts'
import { createNote, deleteNote } from './notes/operations.ts'
import { createCustomer, deleteCustomer, updateCustomer, type CustomerDeps } from './operations.ts'

const customers = buildCrudRoutes<Store, CustomerDeps>('Customers')(customer, {
  path: '/customers',
  read: 'read:customers',
  write: 'write:customers',
})

const { get, post, act, patch, del } = buildRouteVerbs<Store, MergeDeps>('Customers')

const mergeBody = createBody({
  customer_id: id('cus').required().describe('ID of the customer who becomes part of this one'),
})

const ofCustomer = { params: { id: customer }, refuses: [notFoundResponse] }
const words = { address_id: { description: 'Address ID', example: 'addr_01j4ppgy1yf81r8stpc70j8epm' } }
/** Reads the address ID from the path. Record IDs are already uuids; this one is a plain string. */
const addressIn = (params: Record<string, string>) => params.address_id!

const consents = buildCrudRoutes<Store>('Customers')(consentRecord, {
  path: '/marketing-consents',
  read: 'read:customers',
  plural: 'consents to marketing',
})

export const routes = [
  consents.list(),
  customers.children(customerNote, { path: 'notes', column: 'customer_id' }),
  post('/customers/{id}/notes', {
    scope: 'write:customers',
    ...ofCustomer,
    body: customerNote.create,
    returns: customerNote.entity,
    summary: 'Write a note on a customer',
    run: ({ tx, store, params, body, actor }) => createNote(tx, store.id, params.id, body, actor),
  }),
  del('/customers/{id}/notes/{note_id}', {
    scope: 'write:customers',
    params: { id: customer, note_id: customerNote },
    returns: deletedSchema,
    summary: 'Delete a note',
    run: ({ tx, store, params }) => deleteNote(tx, store.id, params.id, params.note_id).then(() => deleted),
  }),
  customers.list(),
  customers.count(),
  customers.create(({ tx, store, body }) => createCustomer(tx, store, body)),
  customers.get(),
  customers.update(({ tx, store, params, body }) => updateCustomer(tx, store, params.id, body), {
    runsUnchanged: true,
  }),
  act('/customers/{id}/merge', {
    scope: 'write:customers',
    ...ofCustomer,
    body: mergeBody,
    returns: customer.entity,
    summary: 'Merge another customer into this one',
    run: ({ tx, store, params, body, followingTables }) =>
      mergeCustomers(tx, store, params.id, body.customer_id, { followingTables }),
  }),
  customers.remove(({ tx, store, params, eraseCustomer }) => deleteCustomer(tx, store, params.id, { eraseCustomer }), {
    summary: 'Delete a customer and erase their personal data',
  }),
  get('/customers/{id}/addresses', {
    scope: 'read:customers',
    ...ofCustomer,
    returns: { type: 'array', items: customerAddress.entity },
    summary: "List a customer's addresses",
    run: async ({ db, store, params }) => json(await listAddresses(db, store, params.id)),
  }),
  post('/customers/{id}/addresses', {
    scope: 'write:customers',
    ...ofCustomer,
    body: newAddress,
    returns: customerAddress.entity,
    summary: 'Create a customer address',
    run: ({ tx, store, params, body }) => createAddress(tx, store, params.id, body),
  }),
  get('/customers/{id}/addresses/{address_id}', {
    scope: 'read:customers',
    ...ofCustomer,
    words,
    returns: customerAddress.entity,
    summary: 'Get a customer address',
    run: ({ db, store, params }) => findAddress(db, store, params.id, addressIn(params)),
  }),
  patch('/customers/{id}/addresses/{address_id}', {
    scope: 'write:customers',
    ...ofCustomer,
    words,
    body: addressChanges,
    returns: customerAddress.entity,
    summary: 'Update a customer address',
    run: ({ tx, store, params, body }) => updateAddress(tx, store, params.id, addressIn(params), body),
  }),
  del('/customers/{id}/addresses/{address_id}', {
    scope: 'write:customers',
    ...ofCustomer,
    words,
    returns: deletedSchema,
    summary: 'Delete a customer address',
    run: async ({ tx, store, params }) => {
      await deleteAddress(tx, store, params.id, addressIn(params))
      return deleted
    },
  }),
]
