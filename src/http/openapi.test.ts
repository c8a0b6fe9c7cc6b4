import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { openWorld } from '../../test/world.ts'
import { storefrontRoutes } from './storefrontroutes.ts'
import { portalRoutes } from '../identity/account/routes.ts'
import { addedTables, routes } from '../developer/routes.ts'
import { tables } from '../program/tables.ts'
import { openApi } from './openapi.ts'
import { addSamples } from './referencesamples.ts'
import { buildOperationId } from './openapi/names.ts'

const world = await openWorld()
const options = { tables, serverUrl: '/', authUrl: 'https://auth.example' }
const document = openApi(options) as any
const files = Object.keys(document.paths).filter((path) => /\.(csv|jsonl|xlsx)$/.test(path))
const operations = Object.values(document.paths as Record<string, Record<string, any>>).flatMap((path) =>
  Object.values(path),
)

test('the document is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  assert.ok(valid, JSON.stringify(errors, null, 2))
})

test('every route of the tables is an operation, with its own operationId and every error', () => {
  const addedRoutes = addedTables.flatMap((table) => table.routes)
  const count = routes.length + addedRoutes.length + storefrontRoutes.length + portalRoutes.length
  assert.equal(operations.length, count + files.length)
  assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)
  for (const route of [...routes, ...addedRoutes]) {
    const operation = document.paths[`/v1${route.path}`][route.method.toLowerCase()]
    assert.deepEqual(operation['x-scopes'], [route.scope].flat())
    assert.equal(operation.summary, route.summary)
    const always = [String(route.status), '401', '403', '422', '429', '500', '503']
    assert.deepEqual(
      always.filter((status) => !(status in operation.responses)),
      [],
      operation.operationId,
    )
  }
})

test('a list that comes as a file too has a path for it, and answers nothing but JSON at its own', () => {
  const ends = (ending: string) =>
    files.filter((path) => path.endsWith(ending)).map((path) => path.slice(0, path.indexOf('.')))
  assert.ok(ends('.csv').includes('/v1/orders') && ends('.jsonl').includes('/v1/orders'))
  for (const list of [...ends('.csv'), ...ends('.jsonl'), ...ends('.xlsx')]) {
    assert.deepEqual(Object.keys(document.paths[list].get.responses[200].content), ['application/json'])
  }
  const file = document.paths['/v1/orders.csv'].get
  assert.deepEqual([file.operationId, file.summary], ['listOrdersCsv', 'List orders as a CSV file'])
  assert.deepEqual(Object.keys(file.responses[200].content), ['text/csv'])
  const names = file.parameters.map(({ name }: any) => name)
  assert.ok(names.includes('status') && !names.includes('page') && !names.includes('cursor'))
})

test('an operation on one record names it in the singular', () => {
  const named = operations.map(({ operationId }) => operationId)
  for (const name of ['createCustomerAddress', 'updateCategory', 'deleteDiscount'])
    assert.ok(named.includes(name), name)
})

test('no field of a body has a default, which generated clients would require', () => {
  const bodies = Object.entries<any>(document.components.schemas).filter(([name]) => name.endsWith('Body'))
  assert.ok(bodies.length > 50)
  const withDefault = bodies.filter(([, { examples: _, ...schema }]) => JSON.stringify(schema).includes('"default":'))
  assert.deepEqual(
    withDefault.map(([name]) => name),
    [],
  )
  const { condition } = document.components.schemas.CreateProductBody.properties
  assert.match(condition.description, /\. Default: `"new"`$/)
})

test('no enumeration has null among its values, which generated clients take for strings', () => {
  const { schemas } = document.components
  const mixed = Object.keys(schemas).filter((name) => {
    const { examples: _, ...schema } = schemas[name]
    return /"enum":\[[^\]]*null/.test(JSON.stringify(schema))
  })
  assert.deepEqual(mixed, [])
  const { cancel_reason: reason } = schemas.Order.properties
  assert.deepEqual([reason.anyOf[0].enum.includes('fraud'), reason.anyOf[1]], [true, { type: 'null' }])
})

test('samples of the reference make a new key for each write, and the document has none to repeat', () => {
  const { example, examples, schema } = document.components.parameters.IdempotencyKey
  assert.deepEqual([example, examples, schema.examples], [undefined, undefined, undefined])
  const { paths } = addSamples(structuredClone(document), 'https://shop.example')
  const fresh = ['$(uuidgen)', 'crypto.randomUUID()', 'uuid.uuid4()']
  for (const [path, operations] of Object.entries<Record<string, any>>(paths)) {
    for (const [method, { parameters, security, 'x-codeSamples': samples }] of Object.entries(operations)) {
      const takesKey = parameters.some(({ $ref }: any) => $ref === idempotencyKey)
      const hasKey = security.some((one: object) => 'ApiKey' in one)
      for (const [index, { source }] of samples.entries()) {
        const name = `${method} ${path}`
        assert.ok(source.includes(path), name)
        assert.deepEqual([source.includes(fresh[index]), source.includes('wk_test_your_key')], [takesKey, hasKey], name)
      }
    }
  }
  const [curl, script, python] = paths['/v1/products'].post['x-codeSamples'].map(({ source }: any) => source)
  assert.match(curl, /^curl https:\/\/shop.example\/v1\/products \\\n  --request POST \\\n/)
  assert.deepEqual(JSON.parse(/--data '(.*)'$/s.exec(curl)![1]!).tags, ['summer', 'gift'])
  assert.match(script, /^const response = await fetch\('https:.*\{\n  method: 'POST',\n  headers: \{\n/)
  assert.match(python, /^import uuid\n\nimport requests\n\nresponse = requests.post\(\n    "https:/)
})

test('the document as a whole has the API key as its security, which programs take for a whole collection', () => {
  assert.deepEqual(document.security, [{ ApiKey: [] }])
})

test('the routes of shoppers need no credential, and say how a store and a checkout are named', () => {
  const named: Record<string, string[]> = {}
  for (const { method, path, status, summary } of storefrontRoutes) {
    const operation = document.paths[`/storefront/{slug}${path}`][method.toLowerCase()]
    assert.deepEqual(operation.security, [])
    assert.deepEqual(operation.tags, ['Storefront'])
    assert.equal(operation.summary, summary)
    assert.equal(operation['x-scopes'], undefined)
    named[operation.operationId] = Object.keys(operation.responses).filter(
      (code) => !['422', '429', '500'].includes(code),
    )
    const always = [String(status), '404', '422', '429', '500', '503']
    assert.deepEqual(
      always.filter((code) => !(code in operation.responses)),
      [],
      operation.operationId,
    )
    assert.equal(operation.responses[503].$ref, '#/components/responses/StorefrontUnavailable')
    for (const parameter of operation.parameters) {
      if (parameter.in === 'path') assert.doesNotMatch(parameter.description, /The id of the record/)
      assert.notEqual(parameter.$ref, '#/components/parameters/IdempotencyKey')
    }
  }
  assert.deepEqual(named, {
    getStorefront: ['200', '304', '404', '503'],
    listStorefrontProducts: ['200', '304', '404', '503'],
    getStorefrontProduct: ['200', '301', '304', '404', '503'],
    listStorefrontCategories: ['200', '304', '404', '503'],
    getStorefrontCategory: ['200', '301', '304', '404', '503'],
    listStorefrontCollections: ['200', '304', '404', '503'],
    getStorefrontCollection: ['200', '301', '304', '404', '503'],
    listStorefrontCollectionProducts: ['200', '304', '404', '503'],
    createStorefrontCheckout: ['201', '404', '409', '413', '503'],
    getStorefrontCheckout: ['200', '304', '404', '410', '503'],
    updateStorefrontCheckout: ['200', '404', '409', '410', '412', '413', '503'],
    completeStorefrontCheckout: ['201', '202', '404', '409', '410', '413', '503'],
    getStorefrontAppearance: ['200', '304', '404', '503'],
    getStorefrontMenus: ['200', '304', '404', '503'],
    listStorefrontPages: ['200', '304', '404', '503'],
    getStorefrontPage: ['200', '304', '404', '503'],
    sendStorefrontMessage: ['201', '404', '409', '413', '503'],
  })
  const { headers } = document.paths['/storefront/{slug}/checkouts'].post.responses[201]
  assert.deepEqual(
    Object.keys(headers).filter((name) => !name.startsWith('X-')),
    ['Location', 'ETag'],
  )
  const [example] = document.components.schemas.CreateStorefrontCheckoutBody.examples
  assert.equal(example.items[0].quantity, 2)
})

test('the routes of people who are signed in need the cookie of their session, and are where the pages are', () => {
  const named = portalRoutes.map(({ method, path, session, status }) => {
    const operation = document.paths[`/oauth/portal/api${path}`][method.toLowerCase()]
    assert.deepEqual(operation.security, [{ Session: [] }])
    assert.deepEqual(operation.servers, [{ url: options.authUrl }])
    assert.deepEqual(operation.tags, ['Portal'])
    assert.equal(/within the last hour/.test(operation.description), session!.isRecent === true)
    for (const parameter of operation.parameters) assert.notEqual(parameter.$ref, idempotencyKey)
    assert.deepEqual(
      [String(status), '401', '403', '422', '429', '500', '503'].filter((code) => !(code in operation.responses)),
      [],
    )
    return operation.operationId
  })
  assert.deepEqual(named, [
    'getPortalAccount',
    'updateAccount',
    'changeEmail',
    'changePassword',
    'beginTotp',
    'confirmTotp',
    'removeTotp',
    'askForPasskey',
    'addPasskey',
    'renamePasskey',
    'removePasskey',
    'makeRecoveryCodes',
    'getPortalSession',
    'getPortalSessions',
    'deletePortalSessions',
    'deletePortalSession',
    'getPortalStoreTeam',
    'invitePerson',
    'resendInvitation',
    'changeRole',
    'removePerson',
    'requireSecondFactor',
    'listRoles',
    'getRole',
    'createRole',
    'updateRole',
    'deleteRole',
    'endGrants',
    'getPortalStoreApps',
    'deletePortalStoreApp',
    'getPortalClients',
    'createPortalClient',
    'rotateClientSecret',
    'deletePortalClient',
  ])
  const { Session } = document.components.securitySchemes
  assert.deepEqual([Session.type, Session.in, Session.name], ['apiKey', 'cookie', '__Host-stoa_session'])
})

const idempotencyKey = '#/components/parameters/IdempotencyKey'

test('a refusal is the one of its table: how large a body may be, and what else is refused with its status', () => {
  const exampleOf = (path: string, method: string, status: number) => {
    const name = document.paths[path][method].responses[status].$ref.split('/').at(-1)
    return Object.values<any>(document.components.responses[name].content['application/json'].examples)[0].value.error
  }
  assert.match(exampleOf('/v1/products', 'post', 413).message, / 1048576 bytes$/)
  assert.match(exampleOf('/storefront/{slug}/checkouts', 'post', 413).message, / 65536 bytes$/)
  assert.equal(exampleOf('/storefront/{slug}/checkouts/{token}', 'get', 410).code, 'GONE')
  assert.match(exampleOf('/storefront/{slug}/checkouts/{token}', 'patch', 409).message, /is completed/)
  assert.match(exampleOf('/v1/products/{id}', 'delete', 409).message, /^Another request changed/)
})

test('operationIds are the verb and the noun of the path', () => {
  const named = (method: any, path: string, more: object = {}) =>
    buildOperationId({ method, path, makesRecord: false, ...more })
  assert.deepEqual(
    [
      named('GET', '/products', { list: true }),
      named('POST', '/products', { makesRecord: true }),
      named('GET', '/products/{id}'),
      named('PATCH', '/products/{id}'),
      named('DELETE', '/categories/{id}'),
      named('GET', '/products/count'),
      named('GET', '/store'),
      named('GET', '/checkout-drafts', { list: true }),
      named('GET', '/checkout-drafts/count'),
      named('POST', '/discounts/validate'),
      named('GET', '/orders/{id}/items'),
      named('GET', '/inventory/products/{productId}'),
      named('POST', '/v1/webhooks/{id}/rotate-secret'),
      named('POST', '/webhooks/{id}/deliveries/{deliveryId}/redeliver'),
    ],
    [
      'listProducts',
      'createProduct',
      'getProduct',
      'updateProduct',
      'deleteCategory',
      'countProducts',
      'getStore',
      'listCheckoutDrafts',
      'countCheckoutDrafts',
      'validateDiscount',
      'getOrderItems',
      'getInventoryProduct',
      'rotateWebhookSecret',
      'redeliverWebhookDelivery',
    ],
  )
})

test('the example of every schema fits it', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv as never)
  ajv.addFormat('phone', true)
  ajv.addSchema(document, 'document')
  for (const [name, schema] of Object.entries<any>(document.components.schemas)) {
    const validate = ajv.getSchema(`document#/components/schemas/${name}`)!
    for (const example of schema.examples) assert.ok(validate(example), `${name}: ${ajv.errorsText(validate.errors)}`)
  }
})

test('a summary is a short menu entry: a verb first, in sentence case, without a full stop', () => {
  const noVerb = /^(The|A|An|What|Who|Whether|How|All|Your|Own|It) /
  const odd = operations
    .map(({ summary }) => summary)
    .filter(
      (summary) =>
        !/^[A-Z][a-z]+ /.test(summary) || noVerb.test(summary) || summary.length > 60 || /[.;:]$|; /.test(summary),
    )
  assert.deepEqual(odd, [])
  assert.ok(operations.every(({ operationId }) => /^[a-z]+([A-Z][a-z]*)*$/.test(operationId)))
})

test('a scope says whether it reads, changes or proposes', () => {
  const { scopes } = document.components.securitySchemes.OAuth.flows.authorizationCode
  assert.equal(scopes['read:products'], 'Read products')
  assert.equal(scopes['write:products'], 'Read and change products')
  assert.equal(scopes['propose:products'], 'Propose changes to products for approval')
  assert.equal(new Set(Object.values(scopes)).size, Object.keys(scopes).length)
})

test('a response is described as it is answered, and a body as it may be sent', () => {
  const { Product, CreateProductBody, Order } = document.components.schemas
  const { gallery, options } = Product.properties
  assert.deepEqual(gallery.items.required, ['id', 'url', 'alt_text', 'position'])
  assert.equal(gallery.items.anyOf, undefined)
  assert.deepEqual(options.items.required, ['id', 'title', 'position', 'values'])
  assert.deepEqual(
    Order.properties.shipping_address.required,
    Object.keys(Order.properties.shipping_address.properties),
  )
  assert.deepEqual(
    CreateProductBody.properties.gallery.items.anyOf.map(({ type }: any) => type),
    ['string', 'object'],
  )
  assert.deepEqual(CreateProductBody.properties.options.items.required, ['title', 'values'])
})

test('the parameters of a list carry their defaults and rules', () => {
  const parameters = document.paths['/v1/products'].get.parameters
  const schemaOf = (name: string) => parameters.find((one: any) => one.name === name).schema
  assert.deepEqual(schemaOf('per_page'), { type: 'integer', minimum: 1, maximum: 100, default: 25 })
  assert.deepEqual(schemaOf('order'), { type: 'string', enum: ['asc', 'desc'], default: 'desc' })
  assert.equal(schemaOf('status').default, 'active')
  assert.equal(schemaOf('price[gte]').minimum, 0)
})

test('an entity stands once, and others point to it', () => {
  const { get, post } = document.paths['/v1/products']
  const dataOf = (response: any) => response.content['application/json'].schema.properties.data
  const product = { $ref: '#/components/schemas/Product' }
  const variant = { $ref: '#/components/schemas/Variant' }
  assert.deepEqual(dataOf(get.responses[200]).items, product)
  assert.deepEqual(dataOf(post.responses[201]), product)
  assert.deepEqual(document.components.schemas.Product.properties.variants.items, variant)
  assert.deepEqual(document.components.schemas.CreateProductBody.required, ['name', 'price'])
  assert.equal(document.components.schemas.UpdateProductBody.required, undefined)
})

test('a checkout is answered in the terms in which it is taken', () => {
  const { CreateStorefrontCheckoutBody: taken, Checkout, CheckoutDraft } = document.components.schemas
  const limitsOf = ({ properties }: any) => [
    properties.customer_notes.maxLength,
    properties.discount_code.maxLength,
    ...Object.entries<any>({ ...properties.customer.properties, ...properties.shipping_address.properties })
      .filter(([name]) => name !== 'province_code')
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { maxLength }]) => [name, maxLength]),
  ]
  assert.deepEqual(limitsOf(Checkout), limitsOf(taken))
  assert.deepEqual(limitsOf(CheckoutDraft), limitsOf(taken))
})

test('the bytes are stable, and a known ETag is answered with 304', async () => {
  assert.equal(JSON.stringify(openApi(options)), JSON.stringify(document))
  const first = await fetch(`${world.url}/openapi.json`)
  assert.equal(first.status, 200)
  assert.equal(first.headers.get('content-type'), 'application/json; charset=utf-8')
  const bytes = await first.text()
  assert.deepEqual(Object.keys(JSON.parse(bytes).paths), Object.keys(document.paths))
  const again = await fetch(`${world.url}/openapi.json`)
  assert.equal(await again.text(), bytes)
  const known = await fetch(`${world.url}/openapi.json`, { headers: { 'if-none-match': first.headers.get('etag')! } })
  assert.equal(known.status, 304)
})
