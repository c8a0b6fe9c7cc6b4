import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { openWorld } from '../../test/world.ts'
import { eventTypes } from '../events/emit.ts'

const world = await openWorld()

test('the OpenAPI document shows each event that is sent, and stays valid', async () => {
  const document = (await (await fetch(`${world.url}/openapi.json`)).json()) as any
  assert.deepEqual(Object.keys(document.webhooks), [...eventTypes])
  const { post } = document.webhooks['order.created']
  assert.equal(post.operationId, 'onOrderCreated')
  const { example } = post.requestBody.content['application/json']
  assert.equal(example.event_id, example.order.id)
  const { valid, errors } = await new Validator().validate(document)
  assert.ok(valid, JSON.stringify(errors))
})
