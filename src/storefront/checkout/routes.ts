// The routes of the storefront API, under /storefront/{slug}, and those of drafts, under /v1.
import { choice } from '../../kit/declare/scalars.ts'
import { queryReader } from '../../kit/declare/shape.ts'
import { languages, type Language } from '../../kit/values/language.ts'
import { countSchema, json, buildRouteVerbs, noAddress, type Route, type WriteResult } from '../../kit/declare/route.ts'
import { publicCollectionQuery, listPublicCollectionProducts } from '../../commerce/catalog/collectionpage.ts'
import { findPublicProduct, listPublicProducts, publicProduct } from '../../commerce/catalog/public.ts'
import {
  publicCategories,
  publicCategory,
  publicCollection,
  publicCollections,
} from '../../commerce/catalog/publicgroups.ts'
import { withTerms } from '../../commerce/catalog/translations.ts'
import { ownLanguage, chooseTranslation } from '../../tenancy/stores/language.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import {
  checkoutChanges,
  completion,
  completionQuery,
  newCheckout,
  type CheckoutDeps,
  type SettlementDeps,
} from './checkout.ts'
import { completeCheckout } from './settlement/complete.ts'
import { countDrafts, draft, findDraft, listDrafts } from './cart/draft.ts'
import { factsSchema, findFacts } from './facts.ts'
import { changeCheckout, createCheckout, findCheckout, findRow } from './cart/operations.ts'
import { startPayment, type CompletionResult } from './settlement/pay.ts'
import { guardCheckout, type GuardDeps } from './cart/guard.ts'
import { askForChange, askForNew, type QuoteDeps } from './cart/askquotes.ts'
import { askForPreview, previewBody, previewRates, previewSchema, toPreviewResponse } from './cart/preview.ts'
import { findReadiness, readinessSchema } from './offers/readiness.ts'
import { slugMoved, findOrRedirect } from './redirects.ts'
import { completedRefusal, expiredRefusal } from './errors.ts'
import { recoverySchema, sumUpRecovery } from './cart/summary.ts'
import { toCheckoutResponse, checkoutSchema, completedSchema, unpaidSchema } from './cart/view.ts'

const { get, post, patch } = buildRouteVerbs<Store, ShopperDeps>('Storefront')
const drafts = buildRouteVerbs<Store, CheckoutDeps>('Checkout drafts')
const stores = buildRouteVerbs<Store, ShopperDeps>('Store')

/** Dependencies of the storefront's operations beside the database. */
export type ShopperDeps = SettlementDeps & GuardDeps & QuoteDeps

/** The scope of every caller of the storefront API. */
export const storefrontScope = 'storefront'

export const shopperActor = { kind: 'system', id: storefrontScope } as const

export const language = queryReader({
  lang: choice(languages).describe("Language of texts. Defaults to the store's language"),
})

/** The language of translated texts, from the request or the store. */
export function languageIn(store: Store, language: unknown): Language | null {
  return chooseTranslation(store, (language as Language | undefined) ?? ownLanguage(store))
}

/** Per address, for pages and API together. */
export const requestsPerMinute = 1000

const scope = storefrontScope

const nounWords = (noun: string, example: string) => ({
  idOrSlug: { description: `ID or slug of the ${noun}`, example },
})
const productWords = nounWords('product', 'canvas-backpack')
const collectionWords = nounWords('collection', 'summer')
const checkoutWords = {
  token: { description: '`token` of the checkout', example: 'q3mD0vYw1cKx8hTn5bRj2sLf7gZp4uAe9iXo6yVtNkE' },
}

export const checkoutRoutes: Route<Store, ShopperDeps>[] = [
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
    refuses: [slugMoved],
    returns: publicProduct.entity,
    summary: 'Get a product for sale',
    run: async ({ db, store, params, query }) => {
      const language = languageIn(store, query.lang)
      const product = await findOrRedirect(db, store, 'products', pathPart(params, 'idOrSlug'), (idOrSlug) =>
        findPublicProduct(db, store, idOrSlug, language),
      )
      return language === null ? product.json : (json(withTerms(product.entity)) as string)
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
    words: nounWords('category', 'bags'),
    query: language,
    refuses: [slugMoved],
    returns: publicCategory.entity,
    summary: 'Get a category',
    run: async ({ db, store, params, query }) => {
      const record = await findOrRedirect(db, store, 'categories', pathPart(params, 'idOrSlug'), (idOrSlug) =>
        publicCategories.find(db, store, idOrSlug, languageIn(store, query.lang)),
      )
      return record.json
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
    refuses: [slugMoved],
    returns: publicCollection.entity,
    summary: 'Get a collection',
    run: async ({ db, store, params, query }) => {
      const record = await findOrRedirect(db, store, 'collections', pathPart(params, 'idOrSlug'), (idOrSlug) =>
        publicCollections.find(db, store, idOrSlug, languageIn(store, query.lang)),
      )
      return record.json
    },
  }),
  get('/collections/{idOrSlug}/products', {
    scope,
    words: collectionWords,
    query: publicCollectionQuery,
    returns: publicProduct.entity,
    list: true,
    summary: "List a collection's products for sale",
    run: ({ db, store, params, query }) =>
      listPublicCollectionProducts(db, store, pathPart(params, 'idOrSlug'), query, languageIn(store, query.lang)),
  }),
  post('/checkouts', {
    scope,
    guard: guardCheckout,
    body: newCheckout,
    returns: checkoutSchema,
    summary: 'Create a checkout',
    prepare: ({ db, store, body, ...deps }) => askForNew({ db, store, deps }, body),
    run: async ({ tx, store, body, prepared, ...deps }) => {
      const checkout = await createCheckout(tx, store, body, { ...deps, quotes: prepared })
      return { id: checkout.token, json: await toCheckoutResponse(tx, store, checkout) }
    },
  }),
  get('/checkouts/{token}', {
    scope,
    words: checkoutWords,
    refuses: [expiredRefusal],
    returns: checkoutSchema,
    summary: 'Get a checkout',
    run: async ({ db, store, params }) =>
      toCheckoutResponse(db, store, await findCheckout(db, store, pathPart(params, 'token'))),
  }),
  patch('/checkouts/{token}', {
    scope,
    words: checkoutWords,
    guard: guardCheckout,
    lock: ({ tx, store, params }) => findRow(tx, store, pathPart(params, 'token'), { locked: true }),
    body: checkoutChanges,
    // Reads prices and stock again.
    runsUnchanged: true,
    refuses: [expiredRefusal, completedRefusal],
    returns: checkoutSchema,
    summary: 'Update a checkout',
    prepare: ({ db, store, params, body, ...deps }) =>
      askForChange({ db, store, deps }, pathPart(params, 'token'), body),
    run: async ({ tx, store, params, body, prepared, ...deps }) => {
      const how = { ...deps, quotes: prepared }
      return toCheckoutResponse(tx, store, await changeCheckout(tx, store, pathPart(params, 'token'), body, how))
    },
  }),
  post('/checkouts/{token}/complete', {
    scope,
    words: checkoutWords,
    guard: guardCheckout,
    query: completionQuery,
    body: completion,
    refuses: [expiredRefusal],
    returns: completedSchema,
    accepted: unpaidSchema,
    makesRecord: false,
    summary: 'Complete a checkout (idempotent)',
    prepare: ({ db, store, params, body, ...deps }) =>
      askForChange({ db, store, deps }, pathPart(params, 'token'), body, { isCompletion: true }),
    run: async ({ tx, store, params, query, body, actor, prepared, ...deps }) => {
      const terms = { ...query, ...body }
      const how = { ...deps, quotes: prepared }
      const completion = await completeCheckout(tx, store, pathPart(params, 'token'), terms, how, actor)
      if (completion.order) return noAddress(completion)
      return {
        id: null,
        json: json(null),
        afterwards: async (db) => toWriteResult(await startPayment(db, store, completion, deps)),
      }
    },
  }),
]

function toWriteResult(completion: CompletionResult): WriteResult<CompletionResult> {
  return completion.order ? noAddress(completion) : { ...noAddress(completion), status: 202 }
}

/** A path parameter that is not a public ID. */
function pathPart(params: object, name: string): string {
  return (params as Record<string, string>)[name]!
}

const access = { scope: 'read:checkout_drafts', feature: 'abandoned_checkouts' }

export const routes = [
  stores.get('/store/readiness', {
    scope: 'read:store',
    returns: readinessSchema,
    summary: 'Check whether the online store can take orders',
    run: ({ db, store }) => findReadiness(db, store),
  }),
  stores.act('/store/shipping-rates/preview', {
    scope: 'read:store',
    body: previewBody,
    returns: previewSchema,
    summary: 'Explain which shipping rates a cart is offered at an address',
    prepare: ({ db, store, body, vault, guardedFetch }) =>
      askForPreview({ db, store, deps: { vault, guardedFetch } }, body),
    run: async ({ tx, store, body, prepared }) =>
      toPreviewResponse(await previewRates(tx, store, body, { now: tx.now, quotes: prepared })),
  }),
  drafts.get('/checkout-drafts', {
    ...access,
    query: draft.query,
    returns: draft.entity,
    list: true,
    summary: 'List checkout drafts',
    run: ({ db, store, query, ...deps }) => listDrafts(db, store, query, deps),
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
    summary: 'Summarize abandoned checkouts of the last 30 days',
    run: async ({ db, store }) => json(await sumUpRecovery(db, store)),
  }),
  drafts.get('/checkout-drafts/{id}', {
    ...access,
    params: { id: draft },
    returns: draft.entity,
    summary: 'Get a checkout draft',
    run: async ({ db, store, params, ...deps }) => json(await findDraft(db, store, params.id, deps)),
  }),
]
