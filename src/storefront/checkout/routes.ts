// The routes of the storefront API, under /storefront/{slug}, and those of drafts, under /v1.
import { choice } from '../../kit/declare/scalars.ts'
import { queryReader } from '../../kit/declare/shape.ts'
import { languages, type Language } from '../../kit/values/language.ts'
import { countSchema, json, routesOf, withoutAddress, type Route, type Written } from '../../kit/declare/route.ts'
import { collectedForSale, listPublicCollected } from '../../commerce/catalog/collectionpage.ts'
import { findPublicProduct, listPublicProducts, publicProduct } from '../../commerce/catalog/public.ts'
import {
  publicCategories,
  publicCategory,
  publicCollection,
  publicCollections,
} from '../../commerce/catalog/publicgroups.ts'
import { withTerms } from '../../commerce/catalog/translations.ts'
import { ownLanguage, translated } from '../../tenancy/stores/language.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import {
  checkoutChanges,
  completion,
  completionQuery,
  newCheckout,
  type CheckoutTools,
  type PayingTools,
} from './checkout.ts'
import { completeCheckout } from './settlement/complete.ts'
import { countDrafts, draft, findDraft, listDrafts } from './cart/draft.ts'
import { factsSchema, findFacts } from './facts.ts'
import { changeCheckout, createCheckout, findCheckout, findRow } from './cart/operations.ts'
import { payFor, type Completed } from './settlement/pay.ts'
import { findReadiness, readinessSchema } from './offers/readiness.ts'
import { elsewhere, foundOrMoved } from './redirects.ts'
import { completed, expired } from './errors.ts'
import { recoverySchema, sumUpRecovery } from './cart/summary.ts'
import { answerOf, checkoutSchema, completedSchema, unpaidSchema } from './cart/view.ts'

const { get, post, patch } = routesOf<Store, PayingTools>('Storefront')
const drafts = routesOf<Store, CheckoutTools>('Checkout drafts')
const stores = routesOf<Store, PayingTools>('Store')

/** Whoever comes through the storefront has it. */
export const storefrontScope = 'storefront'

export const language = queryReader({
  lang: choice(languages).describe('The language of texts; unless given, that of the store'),
})

/** Into which texts are translated for who has asked for a language, or for none. */
export function languageIn(store: Store, asked: unknown): Language | null {
  return translated(store, (asked as Language | undefined) ?? ownLanguage(store))
}

/** Of one address, over pages and API. */
export const requestsPerMinute = 1000

const scope = storefrontScope

const namedBy = (noun: string, example: string) => ({
  idOrSlug: { description: `The id or the slug of the ${noun}`, example },
})
const productWords = namedBy('product', 'canvas-backpack')
const collectionWords = namedBy('collection', 'summer')
const checkoutWords = {
  token: { description: 'The `token` of the checkout', example: 'q3mD0vYw1cKx8hTn5bRj2sLf7gZp4uAe9iXo6yVtNkE' },
}

export const checkoutRoutes: Route<Store, PayingTools>[] = [
  get('', {
    scope,
    query: language,
    returns: factsSchema,
    summary: 'Get public store information',
    run: ({ db, store, query }) => findFacts(db, store, query.lang),
  }),
  get('/products', {
    scope,
    query: publicProduct.query,
    returns: publicProduct.entity,
    list: true,
    summary: 'List products for sale',
    run: ({ db, store, query }) => listPublicProducts(db, store, query, languageIn(store, query.lang)),
  }),
  get('/products/{idOrSlug}', {
    scope,
    words: productWords,
    query: language,
    refuses: [elsewhere],
    returns: publicProduct.entity,
    summary: 'Get a product for sale',
    run: async ({ db, store, params, query }) => {
      const asked = languageIn(store, query.lang)
      const product = await foundOrMoved(db, store, 'products', named(params, 'idOrSlug'), (idOrSlug) =>
        findPublicProduct(db, store, idOrSlug, asked),
      )
      return asked === null ? product.json : (json(withTerms(product.entity)) as string)
    },
  }),
  get('/categories', {
    scope,
    query: publicCategory.query,
    returns: publicCategory.entity,
    list: true,
    summary: 'List categories',
    run: ({ db, store, query }) => publicCategories.list(db, store, query, languageIn(store, query.lang)),
  }),
  get('/categories/{idOrSlug}', {
    scope,
    words: namedBy('category', 'bags'),
    query: language,
    refuses: [elsewhere],
    returns: publicCategory.entity,
    summary: 'Get a category',
    run: async ({ db, store, params, query }) => {
      const found = await foundOrMoved(db, store, 'categories', named(params, 'idOrSlug'), (idOrSlug) =>
        publicCategories.find(db, store, idOrSlug, languageIn(store, query.lang)),
      )
      return found.json
    },
  }),
  get('/collections', {
    scope,
    query: publicCollection.query,
    returns: publicCollection.entity,
    list: true,
    summary: 'List collections',
    run: ({ db, store, query }) => publicCollections.list(db, store, query, languageIn(store, query.lang)),
  }),
  get('/collections/{idOrSlug}', {
    scope,
    words: collectionWords,
    query: language,
    refuses: [elsewhere],
    returns: publicCollection.entity,
    summary: 'Get a collection',
    run: async ({ db, store, params, query }) => {
      const found = await foundOrMoved(db, store, 'collections', named(params, 'idOrSlug'), (idOrSlug) =>
        publicCollections.find(db, store, idOrSlug, languageIn(store, query.lang)),
      )
      return found.json
    },
  }),
  get('/collections/{idOrSlug}/products', {
    scope,
    words: collectionWords,
    query: collectedForSale,
    returns: publicProduct.entity,
    list: true,
    summary: "List a collection's products for sale",
    run: ({ db, store, params, query }) =>
      listPublicCollected(db, store, named(params, 'idOrSlug'), query, languageIn(store, query.lang)),
  }),
  post('/checkouts', {
    scope,
    body: newCheckout,
    returns: checkoutSchema,
    summary: 'Create a checkout',
    run: async ({ tx, store, body, ...tools }) => {
      const checkout = await createCheckout(tx, store, body, tools)
      return { id: checkout.token, json: await answerOf(tx, store, checkout) }
    },
  }),
  get('/checkouts/{token}', {
    scope,
    words: checkoutWords,
    refuses: [expired],
    returns: checkoutSchema,
    summary: 'Get a checkout',
    run: async ({ db, store, params }) => answerOf(db, store, await findCheckout(db, store, named(params, 'token'))),
  }),
  patch('/checkouts/{token}', {
    scope,
    words: checkoutWords,
    lock: ({ tx, store, params }) => findRow(tx, store, named(params, 'token'), { locked: true }),
    body: checkoutChanges,
    refuses: [expired, completed],
    returns: checkoutSchema,
    summary: 'Update a checkout',
    run: async ({ tx, store, params, body, ...tools }) =>
      answerOf(tx, store, await changeCheckout(tx, store, named(params, 'token'), body, tools)),
  }),
  post('/checkouts/{token}/complete', {
    scope,
    words: checkoutWords,
    query: completionQuery,
    body: completion,
    refuses: [expired],
    returns: completedSchema,
    accepted: unpaidSchema,
    makesRecord: false,
    summary: 'Complete a checkout (idempotent)',
    run: async ({ tx, store, params, query, body, actor, ...tools }) => {
      const agreed = { ...query, ...body }
      const completed = await completeCheckout(tx, store, named(params, 'token'), agreed, tools, actor)
      if (completed.order) return withoutAddress(completed)
      return {
        id: null,
        json: json(null),
        afterwards: async (db) => answered(await payFor(db, store, completed, tools)),
      }
    },
  }),
]

function answered(completed: Completed): Written<Completed> {
  return completed.order ? withoutAddress(completed) : { ...withoutAddress(completed), status: 202 }
}

/** A part of the path that is no public id. */
function named(params: object, name: string): string {
  return (params as Record<string, string>)[name]!
}

const access = { scope: 'read:checkout_drafts', feature: 'abandoned_checkouts' }

export const routes = [
  stores.get('/store/readiness', {
    scope: 'read:store',
    returns: readinessSchema,
    summary: 'Check whether the shop can take orders',
    run: ({ db, store }) => findReadiness(db, store),
  }),
  drafts.get('/checkout-drafts', {
    ...access,
    query: draft.query,
    returns: draft.entity,
    list: true,
    summary: 'List checkout drafts',
    run: ({ db, store, query, ...tools }) => listDrafts(db, store, query, tools),
  }),
  drafts.get('/checkout-drafts/count', {
    ...access,
    query: draft.countQuery,
    returns: countSchema,
    summary: 'Count checkout drafts',
    run: ({ db, store, query }) => countDrafts(db, store, query),
  }),
  drafts.get('/checkout-drafts/summary', {
    ...access,
    returns: recoverySchema,
    summary: 'Summarize abandoned checkouts (30 days)',
    run: async ({ db, store }) => json(await sumUpRecovery(db, store)),
  }),
  drafts.get('/checkout-drafts/{id}', {
    ...access,
    params: { id: draft },
    returns: draft.entity,
    summary: 'Get a checkout draft',
    run: async ({ db, store, params, ...tools }) => json(await findDraft(db, store, params.id, tools)),
  }),
]
