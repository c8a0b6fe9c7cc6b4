// The storefront API: no key, from any origin, limited per address. Its store is named by the slug in the path; all
// other checks and the envelope are those of /v1.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError, moved, rateLimited } from '../kit/values/errors.ts'
import type { Vault } from '../kit/values/secrets.ts'
import { guardOf, type EndTry } from '../storefront/checkout/cart/guard.ts'
import { requestsPerMinute, storefrontScope } from '../storefront/checkout/routes.ts'
import { storefront } from './storefrontroutes.ts'
import { addressBlock } from '../platform/ratelimit/addressblock.ts'
import { waitSeconds } from '../platform/ratelimit/ratelimit.ts'
import { belowSlug, movedStatus, successorOf } from '../tenancy/stores/slugs.ts'
import type { Store } from '../tenancy/stores/store.ts'
import { storefrontFinder } from '../tenancy/stores/storefront.ts'
import type { Access } from './authenticate.ts'
import { openToOrigins, preflight } from './cors.ts'
import { mount, type MountOptions } from './mount.ts'

const root = '/storefront/'

const scopes = new Set([storefrontScope])

export function serveStorefront<Tools extends { vault: Vault }>(
  app: FastifyInstance,
  options: Pick<MountOptions<Tools>, 'db' | 'limiter' | 'tools' | 'requestLog'>,
): void {
  allowAnyOrigin(app)
  guardCheckouts(app, options)
  guardMessages(app, options)
  mount(app, { ...options, ...storefront, authenticate: shopperAdmission(options) })
}

const exposedHeaders =
  'etag, location, retry-after, x-request-id, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset'

function allowAnyOrigin(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith(root)) {
      openToOrigins(reply, exposedHeaders)
      reply.header('cache-control', request.url.includes('/checkouts/') ? 'no-store' : 'no-cache')
    }
    done()
  })
  const headers = 'content-type, if-match, if-none-match, prefer, x-request-id'
  const openness = { methods: 'GET, POST, PATCH', headers, maxAgeSeconds: 86400 }
  app.options(`${root}*`, (_request, reply) => preflight(reply, openness))
}

/** What a body asks for that one address may not have without end. */
function guardCheckouts(app: FastifyInstance, { db, limiter }: Pick<MountOptions, 'db' | 'limiter'>): void {
  const writesCheckout = ({ url, method }: FastifyRequest) =>
    method !== 'GET' && url.startsWith(root) && url.includes('/checkouts')
  const tokenOf = ({ params }: FastifyRequest) => (params as { token?: string }).token ?? null
  const guard = ({ ip }: FastifyRequest) => guardOf(limiter, () => db.clock.now(), ip)
  const tries = new WeakMap<FastifyRequest, EndTry>()
  app.addHook('preHandler', async (request) => {
    if (!writesCheckout(request)) return
    const { customer, discount_code } = (request.body ?? {}) as { customer?: ContactInput; discount_code?: unknown }
    const contact = customer?.email ?? customer?.phone
    if (tokenOf(request) === null) await guard(request).begin()
    if (typeof contact === 'string') await guard(request).name(contact)
    if (typeof discount_code === 'string') tries.set(request, await guard(request).tryCode(tokenOf(request)))
  })
  // Before the answer is sent: who has it may try the next one.
  app.addHook('onSend', async (request) => tries.get(request)?.(request.refusal))
}

function guardMessages(app: FastifyInstance, { db, limiter }: Pick<MountOptions, 'db' | 'limiter'>): void {
  app.addHook('preHandler', async ({ method, url, ip, access }) => {
    if (method !== 'POST' || !/^\/storefront\/[^/]+\/messages\b/.test(url)) return
    await guardOf(limiter, () => db.clock.now(), ip).write(access!.store.id)
  })
}

type ContactInput = { email?: unknown; phone?: unknown } | null

function shopperAdmission({ db, limiter }: Pick<MountOptions, 'db' | 'limiter'>) {
  const find = storefrontFinder(db)
  /** One that has another slug now is answered from there. */
  const findStorefront = async ({ params, url, method }: FastifyRequest): Promise<Store> => {
    const { slug } = params as { slug: string }
    try {
      return await find(slug)
    } catch (error) {
      const isUnknown = error instanceof ApiError && error.status === 404
      const successor = isUnknown ? await successorOf(db, slug) : null
      if (successor === null) throw error
      throw moved(belowSlug(root, url, successor), movedStatus(method))
    }
  }
  return async (request: FastifyRequest): Promise<Access> => {
    const quota = { name: `storefront:${addressBlock(request.ip)}`, limit: requestsPerMinute }
    // Shoppers share one credential here: one's key could fetch another's answer. Completing is idempotent by itself.
    delete request.headers['idempotency-key']
    try {
      const store = await findStorefront(request)
      return { store, scopes, actor: { kind: 'system', id: storefrontScope }, quota }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // Whoever tries slugs is counted too.
      const hit = await limiter.hit(quota.name, quota.limit)
      const refusal = hit.allowed ? error : rateLimited(waitSeconds(hit, db.clock.now()))
      refusal.headers['x-ratelimit-limit'] = String(hit.limit)
      refusal.headers['x-ratelimit-remaining'] = String(hit.remaining)
      refusal.headers['x-ratelimit-reset'] = String(hit.reset)
      throw refusal
    }
  }
}
