import { routesOf } from '../kit/route.ts'
import { findStore, updateStore } from './operations.ts'
import { orderBumps } from './orderbump.ts'
import { paymentMethods } from './paymentmethod.ts'
import { settingRoutes } from './setting.ts'
import { shippingRates } from './shippingrate.ts'
import { store, type Store } from './store.ts'

const { get, patch } = routesOf<Store>()

export const routes = [
  get('/store', {
    scope: 'read:store',
    returns: store.entity,
    summary: 'The store of the key',
    run: ({ db, store }) => findStore(db, store.id),
  }),
  patch('/store', {
    scope: 'write:store',
    feature: (body) => (typeof body.custom_domain === 'string' ? 'custom_domain' : null),
    body: store.patch,
    returns: store.entity,
    summary: 'Change the store',
    run: ({ tx, store, body }) => updateStore(tx, store, body),
  }),
  ...[shippingRates, paymentMethods, orderBumps].flatMap(settingRoutes),
]
