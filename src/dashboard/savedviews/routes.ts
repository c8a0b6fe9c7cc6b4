// What people do with their own views, in the dashboard.
import { deleted, deletedSchema, routesOf } from '../../kit/declare/route.ts'
import { createBody, patchBody } from '../../kit/declare/shape.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { createView, deleteView, updateView } from './operations.ts'
import { savedView } from './savedview.ts'

const { post, patch, del } = routesOf<Store>('Saved views')

const { name, is_default } = savedView.fields
const changes = patchBody({ name, is_default })
const params = { view: savedView }
// Whoever may see a list of the store may keep how they see it.
const scope = 'read:orders'

export const savedViewRoutes = [
  post('/saved-views', {
    scope,
    body: createBody(savedView.fields),
    returns: savedView.entity,
    summary: 'Save a view',
    run: ({ tx, store, body, actor }) => createView(tx, store, body, actor),
  }),
  patch('/saved-views/{view}', {
    scope,
    params,
    body: changes,
    returns: savedView.entity,
    summary: 'Rename a view, or make it the first',
    run: ({ tx, store, params: { view }, body, actor }) => updateView(tx, store, view, body, actor),
  }),
  del('/saved-views/{view}', {
    scope,
    params,
    returns: deletedSchema,
    summary: 'Delete a view',
    run: ({ tx, store, params: { view }, actor }) => deleteView(tx, store, view, actor).then(() => deleted),
  }),
]
