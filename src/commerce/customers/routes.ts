import { count, find, page } from '../../kit/declare/page.ts'
import { countSchema, deleted, deletedSchema, routesOf } from '../../kit/declare/route.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { customer } from './customer.ts'
import { createCustomer, deleteCustomer, updateCustomer, type CustomerTools } from './operations.ts'

const { get, post, patch, del } = routesOf<Store, CustomerTools>('Customers')

export const routes = [
  get('/customers', {
    scope: 'read:customers',
    query: customer.query,
    returns: customer.entity,
    list: true,
    summary: 'List customers',
    run: ({ db, store, query }) => page(db, customer, store, query),
  }),
  get('/customers/count', {
    scope: 'read:customers',
    query: customer.countQuery,
    returns: countSchema,
    summary: 'Count customers',
    run: ({ db, store, query }) => count(db, customer, store, query),
  }),
  post('/customers', {
    scope: 'write:customers',
    body: customer.create,
    returns: customer.entity,
    summary: 'Create a customer',
    run: ({ tx, store, body }) => createCustomer(tx, store, body),
  }),
  get('/customers/{id}', {
    scope: 'read:customers',
    params: { id: customer },
    returns: customer.entity,
    summary: 'Get a customer',
    run: ({ db, store, params }) => find(db, customer, store.id, params.id),
  }),
  patch('/customers/{id}', {
    scope: 'write:customers',
    params: { id: customer },
    body: customer.patch,
    returns: customer.entity,
    summary: 'Update a customer',
    run: ({ tx, store, params, body }) => updateCustomer(tx, store, params.id, body),
  }),
  del('/customers/{id}', {
    scope: 'write:customers',
    params: { id: customer },
    returns: deletedSchema,
    summary: 'Delete a customer and erase their personal data',
    run: ({ tx, store, params, eraseCustomer }) =>
      deleteCustomer(tx, store, params.id, { eraseCustomer }).then(() => deleted),
  }),
]
