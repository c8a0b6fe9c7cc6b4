// A person's own saved views, for the dashboard.
import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import { createBody, patchBody } from '../../kit/declare/shape.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { createView, deleteView, updateView } from './operations.ts'
import { savedView } from './savedview.ts'

const { name, is_default } = savedView.fields
const changes = patchBody({ name, is_default })

// Reading a list is enough to save a view of it.
const views = buildCrudRoutes<Store>('Saved views')(savedView, {
  path: '/saved-views',
  read: 'read:orders',
  id: 'view',
})

export const savedViewRoutes = [
  views.create(({ tx, store, body, actor }) => createView(tx, store, body, actor), {
    body: createBody(savedView.fields),
    summary: 'Save a view',
  }),
  views.update(({ tx, store, params, body, actor }) => updateView(tx, store, params.view, body, actor), {
    body: changes,
    summary: 'Rename a view, or make it the first',
  }),
  views.remove(({ tx, store, params, actor }) => deleteView(tx, store, params.view, actor), {
    summary: 'Delete a view',
  }),
]
