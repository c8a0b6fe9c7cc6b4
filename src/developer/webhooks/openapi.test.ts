import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { openWorld } from '../../../test/world.ts'
import { eventTypes } from './events.ts'

const world = await openWorld()

test('the OpenAPI document shows each event that is sent, and stays valid', async () => {
  const document = (await (await fetch(`${world.url}/openapi.json`)).json()) as any
  assert.deepEqual(Object.keys(document.webhooks), [...eventTypes])
  const { post } = document.webhooks['order.created']
  assert.deepEqual(post.security, [])
  assert.deepEqual(post.requestBody.content['application/json'].schema, {
    $ref: '#/components/schemas/OrderCreatedPayload',
  })
  assert.equal(post.operationId, 'onOrderCreated')
  const { example } = post.requestBody.content['application/json']
  assert.equal(example.event_id, example.order.id)
  const { Event, OrderCreatedEvent } = document.components.schemas
  assert.equal(Event.discriminator.propertyName, 'event')
  assert.equal(Event.discriminator.mapping['order.created'], '#/components/schemas/OrderCreatedEvent')
  assert.equal(Event.oneOf.length, eventTypes.length)
  assert.equal(OrderCreatedEvent.properties.event.const, 'order.created')
  assert.deepEqual(OrderCreatedEvent.properties.body.anyOf[0], post.requestBody.content['application/json'].schema)
  const { valid, errors } = await new Validator().validate(document)
  assert.ok(valid, JSON.stringify(errors))
})
