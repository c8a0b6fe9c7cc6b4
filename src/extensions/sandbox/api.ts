// The merchant's API: sessions, captures, refunds and cancellations, each with an idempotency key.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hashSecret } from '../../kit/values/secrets.ts'
import { deriveWebhookSecret, type SandboxAccount } from './account.ts'
import { eventBody } from './webhooks.ts'
import type { SandboxProvider } from './provider.ts'
import { SandboxError } from './errors.ts'
import { sessionBody, type SandboxSession } from './session.ts'
import { object, url, buildSandboxOperations, type SandboxOperation, type OperationInput } from './operations.ts'

const ownAccount = object({ name: { type: 'string', minLength: 1, maxLength: 100 }, webhook_url: url })

export function serveApi(app: FastifyInstance, provider: SandboxProvider): void {
  for (const { path, body, act } of buildSandboxOperations(provider)) {
    app.post(path, { schema: { body } }, (request, reply) => answerOnce(provider, request, reply, act))
  }
  app.get('/v1/sessions/:id', (request, reply) => {
    const session = provider.find((request.params as { id: string }).id, authenticate(provider, request))
    return sendAnswer(provider, reply, session, sessionBody(session, provider.url))
  })
  app.get('/v1/events', async (request) => {
    const events = provider.eventsOf(authenticate(provider, request))
    return { data: events.slice(-100).map(eventBody) }
  })
  app.get('/v1/account', async (request) => accountBody(authenticate(provider, request)))
  app.put('/v1/account', { schema: { body: ownAccount } }, async (request) => {
    const account = { ...authenticate(provider, request), ...(request.body as Partial<SandboxAccount>) }
    provider.accounts.put(account.key, account)
    return accountBody(account)
  })
}

function accountBody(account: SandboxAccount): object {
  const { name, webhook_url } = account
  return { name, webhook_url, webhook_secret: deriveWebhookSecret(account) }
}

function authenticate(provider: SandboxProvider, { headers }: FastifyRequest): SandboxAccount {
  const key = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (!key) throw new SandboxError(401, 'no_key', 'send the API key as Authorization: Bearer <key>')
  return provider.account(key)
}

/** A repeated key returns the first response; it is rejected with another request. Rejected calls change nothing. */
function answerOnce(
  provider: SandboxProvider,
  request: FastifyRequest,
  reply: FastifyReply,
  act: SandboxOperation,
): FastifyReply {
  const account = authenticate(provider, request)
  const key = request.headers['idempotency-key']
  if (typeof key !== 'string') throw new SandboxError(400, 'no_idempotency_key', 'Idempotency-Key is missing')
  const id = hashSecret(`${account.key} ${key}`).toString('base64url')
  const fingerprint = hashSecret(`${request.url} ${JSON.stringify(request.body)}`).toString('base64url')
  const first = provider.answers.get(id)
  if (first && first.asked !== fingerprint) {
    throw new SandboxError(409, 'idempotency_key_reused', 'the key has already been used with a different request')
  }
  if (first) return sendAnswer(provider, reply, provider.find(first.session), first.body)
  const { params, body: input } = request as OperationInput
  const { session, body } = act(account, { params, body: input })
  provider.answers.put(id, { asked: fingerprint, session: session.id, body })
  return sendAnswer(provider, reply, session, body)
}

const hangsForMs = 60_000

/** The effect stays, even if a switch spoils the response. */
function sendAnswer(
  provider: SandboxProvider,
  reply: FastifyReply,
  session: SandboxSession,
  body: object,
): FastifyReply {
  const happens = provider.chanceOf(session)
  if (happens('hang')) {
    setTimeout(() => reply.raw.destroy(), hangsForMs).unref()
    return reply.hijack()
  }
  if (reply.request.method === 'POST' && happens('500_after_charging')) {
    throw new SandboxError(500, 'internal', 'something went wrong')
  }
  const whole = JSON.stringify(body)
  const text = happens('rubbish') ? whole.slice(0, whole.length / 2) : whole
  return reply.type('application/json; charset=utf-8').send(text)
}
