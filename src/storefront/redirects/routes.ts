import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { createRedirect, deleteRedirect, updateRedirect } from './operations.ts'
import { redirect } from './redirect.ts'

const redirects = buildCrudRoutes<Store>('Redirects')(redirect, {
  path: '/redirects',
  read: 'read:store',
  write: 'write:store',
})

export const routes = [
  redirects.list(),
  redirects.create(({ tx, store, body }) => createRedirect(tx, store, body)),
  redirects.get(),
  redirects.update(({ tx, store, params, body }) => updateRedirect(tx, store, params.id, body)),
  redirects.remove(({ tx, store, params }) => deleteRedirect(tx, store, params.id)),
]
