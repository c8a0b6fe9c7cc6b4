// The ceiling of an introspection: Fastify that reads a form, asks the same one question of the database and answers
// JSON. No client is authenticated, no protocol is spoken.
import formbody from '@fastify/formbody'
import Fastify from 'fastify'
import { systemClock } from '../../src/kit/values/clock.ts'
import { openDatabase } from '../../src/kit/database/open.ts'
import { findToken } from '../../src/identity/oauth/tokens.ts'

const db = openDatabase({ url: process.env.DATABASE_URL!, clock: systemClock })
const app = Fastify()
await app.register(formbody)
app.get('/', async () => ({}))
app.post('/', async (request) => {
  const { payload, store_id } = (await findToken(db, (request.body as { token: string }).token))!
  const { clientId, scope, iat, exp, accountId } = payload
  return {
    active: true,
    scope,
    client_id: clientId,
    sub: accountId,
    iat,
    exp,
    token_type: 'Bearer',
    service_store_id: store_id,
  }
})
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
