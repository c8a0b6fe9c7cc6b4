// The OpenAPI document as a check of what is answered and sent: nothing may be there that it does not have.
import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { openApi } from '../src/http/openapi.ts'
import { tables } from '../src/program/tables.ts'
import { sentRequests } from '../src/developer/webhooks/openapi.ts'

export type Document = ReturnType<typeof openApi> & Record<string, any>

let built: { document: Document; validator: (pointer: string) => ValidateFunction } | undefined

export function openApiDocument(): Document {
  return build().document
}

function build() {
  if (built) return built
  const document: Document = openApi({ tables, serverUrl: '/', authUrl: '/', webhooks: sentRequests() })
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv as never)
  ajv.addFormat('phone', true)
  ajv.addSchema(closed(document) as object, 'document')
  built = { document, validator: (pointer) => ajv.getSchema(`document#${pointer}`)! }
  return built
}

/** The same, but that an object has no other properties than those that its schema names. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const inner = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, closed(one)]))
  const isShape = inner.type !== undefined && typeof inner.properties === 'object'
  return isShape && inner.additionalProperties === undefined ? { ...inner, additionalProperties: false } : inner
}

const escaped = (part: string) => part.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('%', '%25')

/** `GET /v1/products/{id}`. Fails when the document says otherwise. */
export function assertAnswer(route: string, status: number, body: unknown): void {
  const [method, path] = route.split(' ') as [string, string]
  const response = build().document.paths[path]![method.toLowerCase()] as any
  assert.ok(response?.responses[status], `${route} is not said to answer ${status}`)
  const pointer = `/paths/${encodeURIComponent(escaped(path))}/${method.toLowerCase()}/responses/${status}`
  assertFits(`${pointer}/content/application~1json/schema`, body, `${route} ${status}`)
}

/** The body of an event, as it was sent. */
export function assertEvent(event: string, body: unknown): void {
  assertFits(`/webhooks/${event}/post/requestBody/content/application~1json/schema`, body, event)
}

function assertFits(pointer: string, value: unknown, what: string): void {
  const validate = build().validator(pointer)
  if (validate(value)) return
  const errors = validate.errors!.map(({ instancePath, message, params }) => [instancePath, message, params])
  assert.fail(`${what} is not as the document says: ${JSON.stringify(errors)} ${JSON.stringify(value).slice(0, 2000)}`)
}
