// Webhooks of payment providers: POST /payments/{store}/{method}. The signature proves the sender; the provider is
// then asked what has happened, regardless of the content.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../kit/database/database.ts'
import { malformedBody, notFound, unauthenticated } from '../kit/values/errors.ts'
import { providerAway } from '../commerce/payments/errors.ts'
import { publicId } from '../kit/values/ids.ts'
import { sql } from '../kit/database/sql.ts'
import type { SettlementDeps } from '../storefront/checkout/checkout.ts'
import { settlePayment } from '../storefront/checkout/settlement/settle.ts'
import { parseWebhook, remoteProvider, ProviderUnavailable } from '../commerce/payments/providercalls.ts'
import { findSession, type SessionWithSettings } from '../commerce/payments/session.ts'
import { isPlain } from '../platform/pages/form.ts'
import { addressBlock } from '../platform/ratelimit/addressblock.ts'
import { requireQuota, type RateLimiter } from '../platform/ratelimit/ratelimit.ts'
import { loadStore, type Store } from '../tenancy/stores/store.ts'
import { showLimit } from './routelimits.ts'

const maxBytes = 256 * 1024
// Counts only rejected webhooks of one address: a provider that sends for many stores is never slowed down.
const maxRejectedPerMinute = 1000

type PaymentOptions = { db: Database; deps: SettlementDeps; limiter: RateLimiter }

export function servePayments(app: FastifyInstance, options: PaymentOptions): void {
  const { db, limiter } = options
  const count = ({ ip }: FastifyRequest, cost: number) =>
    limiter.hit(`payments:${addressBlock(ip)}`, maxRejectedPerMinute, { cost })
  const limit = async (request: FastifyRequest, reply: FastifyReply) => {
    const hit = await count(request, 1)
    showLimit(reply, hit)
    requireQuota(hit, db.clock.now())
  }
  app.register(async (scope) => {
    // A signature covers the exact bytes.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.post('/payments/:store/:method', { bodyLimit: maxBytes, onRequest: limit }, async (request, reply) => {
      await receiveWebhook(request, options)
      await count(request, -1)
      return reply.type('application/json; charset=utf-8').send('{"data":{"received":true}}')
    })
  })
}

async function receiveWebhook(request: FastifyRequest, { db, deps }: PaymentOptions): Promise<void> {
  const params = request.params as { store: string; method: string }
  if (!Object.values(params).every(isPlain)) throw notFound('Payment method')
  const store = await loadStore(db, params.store)
  if (!store) throw notFound('Store')
  const actor = { kind: 'system', id: 'payments' } as const
  const cause = { requestId: publicId('req', request.uuid), actor, operation: 'POST /payments/:store/:method' }
  const own = db.because(cause).ofStore(store.id)
  const method = await findMethod(own, store, params.method)
  if (!method || !remoteProvider(method.provider)) throw notFound('Payment method')
  const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const event = await parseEvent(store, method, { raw, headers: request.headers }, deps)
  if (!event) throw unauthenticated('The webhook signature is not valid for this payment method')
  if (event === 'malformed') throw malformedBody('The webhook body is not a valid event of the payment provider')
  // The provider account may serve others beside this store.
  if (event.reference === null) return
  const session = await findSession(
    own,
    store.id,
    sql`payment_sessions.provider = ${method.provider} and payment_sessions.reference = ${event.reference}`,
  )
  if (!session || session.method_id !== method.method_id) throw notFound('Payment')
  const settlement = await settlePayment(own, store, session.id, deps, { webhookEvent: event.eventId })
  if (settlement.outcome === 'waiting' && !settlement.isKnown) throw providerAway()
}

/** Some providers must be asked what their webhook is about. */
async function parseEvent(...args: Parameters<typeof parseWebhook>): ReturnType<typeof parseWebhook> {
  try {
    return await parseWebhook(...args)
  } catch (error) {
    throw error instanceof ProviderUnavailable ? providerAway({ cause: error }) : error
  }
}

type WebhookMethod = Pick<
  SessionWithSettings,
  'method_id' | 'provider' | 'settings' | 'secrets' | 'currency' | 'return_url'
>

function findMethod(db: Pick<Database, 'one'>, store: Store, code: string): Promise<WebhookMethod | undefined> {
  return db.one<WebhookMethod>(sql`
    select id as method_id, provider, settings, secrets, ${store.currency} as currency, null as return_url
    from payment_methods
    where store_id = ${store.id}
      and code = ${code}`)
}
