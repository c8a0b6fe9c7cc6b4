import { buildRouteVerbs } from '../../kit/declare/route.ts'
import { checkoutFieldChanges, updateCheckoutFields, checkoutFields, findCheckoutFields } from './checkoutfields.ts'
import { domainBody, domainSchema, findDomain, findDomainFaults, verifyDomain, type DomainDeps } from './domain.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import { customFields } from './customfield.ts'
import { findStore, updateStore } from './operations.ts'
import { orderBumps } from './orderbump.ts'
import { findPlan, planSchema } from './plan.ts'
import { settingRoutes } from './setting.ts'
import { rateWithSecret, rotateQuoteSecret } from './ratequote.ts'
import { shippingRate, shippingRates } from './shippingrate.ts'
import { store, type Store } from './store.ts'

const { get, act, patch } = buildRouteVerbs<Store, DomainDeps & { vault: Vault }>('Store')

export const routes = [
  get('/store', {
    scope: 'read:store',
    returns: store.entity,
    summary: 'Get the store',
    run: async ({ db, store }) => (await findStore(db, store.id)).json,
  }),
  patch('/store', {
    scope: 'write:store',
    feature: (body) => (typeof body.custom_domain === 'string' ? 'custom_domain' : null),
    body: store.patch,
    returns: store.entity,
    summary: 'Update the store',
    run: ({ tx, store, body }) => updateStore(tx, store, body),
  }),
  get('/store/plan', {
    scope: 'read:store',
    returns: planSchema,
    summary: 'Get the plan and its usage',
    run: ({ db, store }) => findPlan(db, store),
  }),
  get('/store/checkout', {
    scope: 'read:store',
    returns: checkoutFields.entity,
    summary: 'Get the optional checkout fields',
    run: ({ db, store }) => findCheckoutFields(db, store),
  }),
  patch('/store/checkout', {
    scope: 'write:store',
    body: checkoutFieldChanges,
    returns: checkoutFields.entity,
    summary: 'Update the optional checkout fields',
    run: ({ tx, store, body }) => updateCheckoutFields(tx, store, body),
  }),
  get('/store/domain', {
    scope: 'read:store',
    feature: 'custom_domain',
    returns: domainSchema,
    summary: 'Get the custom domain and its DNS record',
    run: ({ db, store, ...deps }) => findDomain(db, store, deps),
  }),
  act('/store/verify-domain', {
    scope: 'write:store',
    feature: 'custom_domain',
    body: domainBody,
    outside: findDomainFaults,
    returns: store.entity,
    summary: 'Verify the custom domain',
    run: ({ tx, store, body }) => verifyDomain(tx, store, body.custom_domain),
  }),
  act('/store/shipping-rates/{id}/rotate-secret', {
    scope: 'write:store',
    params: { id: shippingRate },
    isConfidential: true,
    returns: rateWithSecret,
    summary: "Rotate a shipping rate's secret",
    run: ({ tx, store, params, vault }) => rotateQuoteSecret(tx, store, params.id, vault),
  }),
  ...[shippingRates, orderBumps, customFields].flatMap(settingRoutes),
]
