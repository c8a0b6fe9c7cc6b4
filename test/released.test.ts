// /v1 only grows: what version 0.1.0 documented is still there. The file of a release is written once, when it is made.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openApiDocument } from './document.ts'
import { brokenPromises, promisesOf, type Promised } from './released.ts'

const released: Promised = JSON.parse(readFileSync(new URL('released/0.1.0.json', import.meta.url), 'utf8'))

// A field has one value: what was respelled before this test is accepted in filters where one takes it.
// prettier-ignore
const known = {
  'response Pagination: page may be left out now':           'only if the request has a cursor',
  'response Pagination: total may be left out now':          'only if the request has a cursor',
  'response Pagination: total_pages may be left out now':    'only if the request has a cursor',
  'response Payment.status: the value canceled is gone':      'answered as cancelled',
  'response Payment.trouble: the value not_let_go is gone':   'answered as release_failed',
  'response PaymentEvent.kind: the value canceled is gone':   'answered as cancelled',
  'response Rehearsal.mails[].recipient: may be null now':    'hidden from callers who cannot read customers',
}

test('nothing that version 0.1.0 documented is removed, renamed or narrowed', () => {
  assert.deepEqual(brokenPromises(released, promisesOf(openApiDocument() as never)), Object.keys(known).sort())
})

// prettier-ignore
const breaks: [name: string, change: (document: any) => void, broken: string][] = [
  ['a name', ({ paths }) => (paths['/v1/orders'].get.operationId = 'readOrders'), 'GET /v1/orders is readOrders now'],
  ['an operation', ({ paths }) => delete paths['/v1/orders'].get, 'GET /v1/orders is gone'],
  ['a parameter', ({ paths }) => paths['/v1/orders'].get.parameters.shift(), 'GET /v1/orders?page is gone'],
  ['a status', ({ paths }) => delete paths['/v1/orders'].post.answers[201], 'POST /v1/orders no longer answers 201'],
  ['a field of answers', ({ components }) => delete components.schemas.Order.properties.total,
    'response Order.total is gone'],
  ['a field of bodies', ({ components }) => delete components.schemas.CreateProductBody.properties.sku,
    'request CreateProductBody.sku is gone'],
  ['an optional field', ({ components }) => components.schemas.CreateProductBody.required.push('sku'),
    'request CreateProductBody: sku is required now'],
  ['a limit', ({ components }) => (components.schemas.CreateProductBody.properties.name.maxLength = 10),
    'request CreateProductBody.name: maxLength is lower'],
  ['a value', ({ components }) => components.schemas.CreateProductBody.properties.condition.enum.pop(),
    'request CreateProductBody.condition: the value refurbished is gone'],
  ['a type', ({ components }) => (components.schemas.Order.properties.total.type = ['number', 'null']),
    'response Order.total: may be null now'],
  ['presence', ({ components }) => components.schemas.Order.required.splice(0, 1),
    'response Order: id may be left out now'],
]

for (const [name, change, broken] of breaks) {
  test(`the comparison finds the loss of ${name}`, () => {
    const document = structuredClone(released)
    change(document)
    assert.deepEqual(brokenPromises(released, document), [broken])
  })
}
