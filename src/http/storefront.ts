// The storefront API: no key, from any origin, limited per address. Its store is named by the slug in the path; all
// other checks and the envelope are those of /v1.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError, movedPermanently, rateLimited } from '../kit/values/errors.ts'
import type { Route } from '../kit/declare/route.ts'
import { requestsPerMinute, shopperActor, storefrontScope, type ShopperDeps } from '../storefront/checkout/routes.ts'
import { storefront } from './storefrontroutes.ts'
import { addressBlock } from '../platform/ratelimit/addressblock.ts'
import { waitSeconds } from '../platform/ratelimit/ratelimit.ts'
import { belowSlug, redirectStatus, findSlugSuccessor } from '../tenancy/stores/slugs.ts'
import type { Store } from '../tenancy/stores/store.ts'
import { storefrontFinder } from '../tenancy/stores/storefront.ts'
import type { Access, Guess } from './authenticate.ts'
import { openToOrigins, preflight } from './cors.ts'
import { mount, type MountOptions } from './mount.ts'

const root = '/storefront/'

const scopes = new Set([storefrontScope])

type StorefrontOptions = Pick<MountOptions<ShopperDeps>, 'db' | 'limiter' | 'deps' | 'requestLog' | 'answers'>

export function serveStorefront(app: FastifyInstance, options: StorefrontOptions): void {
  const authenticate = shopperAdmission(options)
  app.register(
    async (scope) => {
      allowAnyOrigin(scope)
      // Scripts of any origin may read a 404 too, so unknown addresses pass the hooks of this scope. The server's own
      // hook refuses them before this handler.
      scope.setNotFoundHandler(() => {})
      mount(scope, { ...options, ...storefront, authenticate, cacheControlOf: chooseCacheControl })
    },
    { prefix: root },
  )
}

const exposedHeaders =
  'etag, location, retry-after, x-request-id, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset'

function allowAnyOrigin(scope: FastifyInstance): void {
  scope.addHook('onRequest', async (_request, reply) => {
    openToOrigins(reply, exposedHeaders)
    reply.header('cache-control', 'no-cache')
  })
  const headers = 'content-type, if-match, if-none-match, prefer, x-request-id'
  const openness = { methods: 'GET, POST, PATCH', headers, maxAgeSeconds: 86400 }
  scope.options('*', (_request, reply) => preflight(reply, openness))
}

/** A checkout is private to its shopper. */
function chooseCacheControl({ path }: Route): string {
  return path.startsWith('/checkouts/') ? 'no-store' : 'no-cache'
}

function shopperAdmission({ db, limiter }: Pick<MountOptions, 'db' | 'limiter'>) {
  const find = storefrontFinder(db)
  /** Redirects from a former slug to the store's current one. */
  const findStorefront = async ({ params, url, method }: FastifyRequest, isOutdated?: boolean): Promise<Store> => {
    const { slug } = params as { slug: string }
    try {
      return await find(slug, isOutdated)
    } catch (error) {
      const isUnknown = error instanceof ApiError && error.status === 404
      const successor = isUnknown ? await findSlugSuccessor(db, slug) : null
      if (successor === null) throw error
      throw movedPermanently(belowSlug(root, url, successor), redirectStatus(method))
    }
  }
  return async (request: FastifyRequest, _guess: Guess, _route: Route, isOutdated?: boolean): Promise<Access> => {
    const quota = { name: `storefront:${addressBlock(request.ip)}`, limit: requestsPerMinute }
    // Shoppers share one credential here: one's key could fetch another's answer. Completing is idempotent by itself.
    delete request.headers['idempotency-key']
    try {
      const store = await findStorefront(request, isOutdated)
      return { store, scopes, actor: shopperActor, quota }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // Guesses of slugs count too.
      const hit = await limiter.hit(quota.name, quota.limit)
      const refusal = hit.allowed ? error : rateLimited(waitSeconds(hit, db.clock.now()))
      refusal.headers['x-ratelimit-limit'] = String(hit.limit)
      refusal.headers['x-ratelimit-remaining'] = String(hit.remaining)
      refusal.headers['x-ratelimit-reset'] = String(hit.reset)
      throw refusal
    }
  }
}
