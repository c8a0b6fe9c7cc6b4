import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import { buildRouteVerbs, json } from '../../kit/declare/route.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { createRequest, deleteRequest, findSettings, listAwaited, saveSettings } from './operations.ts'
import { awaitedItem, request, settings } from './request.ts'

const { get, patch } = buildRouteVerbs<Store>('Back in stock')

const requests = buildCrudRoutes<Store>('Back in stock')(request, {
  path: '/backinstock/requests',
  read: 'read:customers',
  write: 'write:customers',
  plural: 'back-in-stock requests',
})

const settingsPath = '/backinstock/settings'

export const routes = [
  get('/backinstock/items', {
    scope: 'read:inventory',
    returns: { type: 'array', items: awaitedItem.entity },
    summary: 'List the items that most shoppers wait for',
    operationId: 'listAwaitedItems',
    run: async ({ db, store }) => json(await listAwaited(db, store)),
  }),
  requests.list(),
  requests.create(({ tx, store, body }) => createRequest(tx, store, body), {
    summary: 'Send a shopper the link that confirms their request',
  }),
  requests.get(),
  requests.remove(({ tx, store, params }) => deleteRequest(tx, store, params.id)),
  get(settingsPath, {
    scope: 'read:store',
    returns: settings.entity,
    summary: 'Get the back-in-stock settings',
    operationId: 'getBackInStockSettings',
    run: ({ db, store }) => findSettings(db, store),
  }),
  patch(settingsPath, {
    scope: 'write:store',
    body: settings.patch,
    returns: settings.entity,
    summary: 'Update the back-in-stock settings',
    operationId: 'updateBackInStockSettings',
    run: ({ tx, store, body }) => saveSettings(tx, store, body),
  }),
]
