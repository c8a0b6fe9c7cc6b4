import assert from 'node:assert/strict'
import { test } from 'node:test'
import { basic, newApp, newCode, newTokens, openOauthWorld } from '../../test/oauth.ts'

const world = await openOauthWorld()
const { post } = world

test('a code is exchanged for a Bearer token of an hour, bound to the store that the merchant chose', async () => {
  const merchant = await world.newMerchant()
  const app = await newApp(world)
  const tokens = await newTokens(world, merchant, app)
  const { access_token, refresh_token, ...rest } = tokens
  assert.deepEqual(rest, { expires_in: 3600, scope: 'read:orders', token_type: 'Bearer' })
  assert.ok(access_token.length >= 43 && refresh_token.length >= 43)
})

test('of 8 exchanges of one code at once, exactly one gets tokens', async () => {
  const merchant = await world.newMerchant()
  const app = await newApp(world)
  const code = await newCode(world, merchant, app)
  const answers = await Promise.all(Array.from({ length: 8 }, () => post('/oauth/token', code, basic(app))))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400, 400, 400, 400])
  assert.ok(answers.filter(({ status }) => status === 400).every(({ body }) => body.error === 'invalid_grant'))
})
