import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v1 } from '../../developer/routes.ts'
import { buildOperationId } from '../../http/openapi/names.ts'
import { buildOperationIndex, maxDocumentBytes } from './operations.ts'

const index = buildOperationIndex(v1)
const documentOf = (operation: string) => JSON.parse(index.describe(operation)!)
const first = (query: string) => index.search(query)[0]?.operation

test('every operation is described in at most 4 KB, with each field that it takes', () => {
  for (const route of v1.routes) {
    const operation = buildOperationId(route)
    const text = index.describe(operation)!
    assert.ok(Buffer.byteLength(text) <= maxDocumentBytes, operation)
    const { requestBody } = JSON.parse(text).paths[v1.prefix + route.path][route.method.toLowerCase()]
    const schema = requestBody?.content['application/json'].schema ?? {}
    const names = Object.keys((route.body?.schema.properties ?? {}) as object)
    assert.deepEqual(Object.keys(schema.properties ?? {}), names, operation)
  }
  assert.equal(index.describe('dropTables'), undefined)
})

test('a short operation has descriptions, limits and its result', () => {
  const { post } = documentOf('createCategory').paths['/v1/categories']
  assert.deepEqual(post['x-scopes'], ['write:categories'])
  const { name } = post.requestBody.content['application/json'].schema.properties
  assert.deepEqual([name.type, typeof name.description], ['string', 'string'])
  const { data } = post.responses[201].content['application/json'].schema.properties
  assert.equal(data.properties.id.type, 'string')
})

test('words find the operation that they mean, in plural and singular', () => {
  assert.equal(first('create product'), 'createProduct')
  assert.equal(first('tracking numbers'), 'createOrderFulfillment')
  assert.equal(first('update shipping rate'), 'updateStoreShippingRate')
  assert.equal(first('delete a discount'), 'deleteDiscount')
  assert.equal(first('zzz'), undefined)
})
