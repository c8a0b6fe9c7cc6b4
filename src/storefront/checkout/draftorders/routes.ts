import { buildRouteVerbs } from '../../../kit/declare/route.ts'
import { draftOrder } from '../../../commerce/draftorders/draftorder.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { CheckoutDeps } from '../checkout.ts'
import { createDraftLink, draftLink, newDraftLink, revokeDraftLink } from './link.ts'

const { act } = buildRouteVerbs<Store, CheckoutDeps>('Draft orders')
const scope = 'write:orders'
const params = { id: draftOrder }

export const routes = [
  act('/draft-orders/{id}/payment-link', {
    scope,
    params,
    body: newDraftLink,
    returns: draftLink,
    summary: 'Get or send a link to pay a draft order',
    run: ({ tx, store, params, body, ...deps }) => createDraftLink(tx, store, params.id, body, deps),
  }),
  act('/draft-orders/{id}/revoke-link', {
    scope,
    params,
    returns: draftOrder.entity,
    summary: 'Revoke the payment link of a draft order',
    run: ({ tx, store, params }) => revokeDraftLink(tx, store, params.id),
  }),
]
