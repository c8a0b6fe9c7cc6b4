import { crudOf } from '../../kit/declare/crud.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { customer } from './customer.ts'
import { createCustomer, deleteCustomer, updateCustomer, type CustomerDeps } from './operations.ts'

const customers = crudOf<Store, CustomerDeps>('Customers')(customer, {
  path: '/customers',
  read: 'read:customers',
  write: 'write:customers',
})

export const routes = [
  customers.list(),
  customers.count(),
  customers.create(({ tx, store, body }) => createCustomer(tx, store, body)),
  customers.get(),
  customers.update(({ tx, store, params, body }) => updateCustomer(tx, store, params.id, body)),
  customers.remove(({ tx, store, params, eraseCustomer }) => deleteCustomer(tx, store, params.id, { eraseCustomer }), {
    summary: 'Delete a customer and erase their personal data',
  }),
]
