// What merchants call: sessions, captures, refunds and cancellations, each with an idempotency key.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hashSecret } from '../../kit/values/secrets.ts'
import { webhookSecretOf, type Account } from './account.ts'
import { said } from './hooks.ts'
import type { Provider } from './provider.ts'
import { Refusal } from './refusal.ts'
import { shown, type Session } from './session.ts'
import { object, url, writesOf, type Act, type Asked } from './writes.ts'

const ownAccount = object({ name: { type: 'string', minLength: 1, maxLength: 100 }, webhook_url: url })

export function serveApi(app: FastifyInstance, provider: Provider): void {
  for (const { path, body, act } of writesOf(provider)) {
    app.post(path, { schema: { body } }, (request, reply) => answerOnce(provider, request, reply, act))
  }
  app.get('/v1/sessions/:id', (request, reply) => {
    const session = provider.find((request.params as { id: string }).id, whoAsks(provider, request))
    return answer(provider, reply, session, shown(session, provider.url))
  })
  app.get('/v1/events', async (request) => {
    const events = provider.eventsOf(whoAsks(provider, request))
    return { data: events.slice(-100).map(said) }
  })
  app.get('/v1/account', async (request) => accountIn(whoAsks(provider, request)))
  app.put('/v1/account', { schema: { body: ownAccount } }, async (request) => {
    const account = { ...whoAsks(provider, request), ...(request.body as Partial<Account>) }
    provider.accounts.put(account.key, account)
    return accountIn(account)
  })
}

function accountIn(account: Account): object {
  const { name, webhook_url } = account
  return { name, webhook_url, webhook_secret: webhookSecretOf(account) }
}

function whoAsks(provider: Provider, { headers }: FastifyRequest): Account {
  const key = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (!key) throw new Refusal(401, 'no_key', 'Authorization: Bearer and the API key')
  return provider.account(key)
}

/** The same key again gets the first answer; with another request it is refused. A refusal changed nothing. */
function answerOnce(provider: Provider, request: FastifyRequest, reply: FastifyReply, act: Act): FastifyReply {
  const account = whoAsks(provider, request)
  const key = request.headers['idempotency-key']
  if (typeof key !== 'string') throw new Refusal(400, 'no_idempotency_key', 'Idempotency-Key is missing')
  const id = hashSecret(`${account.key} ${key}`).toString('base64url')
  const asked = hashSecret(`${request.url} ${JSON.stringify(request.body)}`).toString('base64url')
  const first = provider.answers.get(id)
  if (first && first.asked !== asked) {
    throw new Refusal(409, 'idempotency_key_reused', 'the key was used for another request')
  }
  if (first) return answer(provider, reply, provider.find(first.session), first.body)
  const { params, body: wanted } = request as Asked
  const { session, body } = act(account, { params, body: wanted })
  provider.answers.put(id, { asked, session: session.id, body })
  return answer(provider, reply, session, body)
}

const hangsForMs = 60_000

/** What was done is done, whatever becomes of the answer. */
function answer(provider: Provider, reply: FastifyReply, session: Session, body: object): FastifyReply {
  const happens = provider.chanceOf(session)
  if (happens('hang')) {
    setTimeout(() => reply.raw.destroy(), hangsForMs).unref()
    return reply.hijack()
  }
  if (reply.request.method === 'POST' && happens('500_after_charging')) {
    throw new Refusal(500, 'internal', 'something went wrong')
  }
  const whole = JSON.stringify(body)
  const text = happens('rubbish') ? whole.slice(0, whole.length / 2) : whole
  return reply.type('application/json; charset=utf-8').send(text)
}
