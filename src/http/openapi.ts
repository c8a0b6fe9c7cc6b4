// The OpenAPI 3.1 document, derived from the route tables, and GET /openapi.json.
import type { FastifyInstance } from 'fastify'
import type { JsonSchema } from '../kit/declare/field.ts'
import { publicId } from '../kit/values/ids.ts'
import type { ErrorResponse } from '../kit/declare/errorresponse.ts'
import type { Route, RouteTable } from '../kit/declare/route.ts'
import { scopes } from '../identity/apikeys/scopes.ts'
import type { SentRequest } from '../developer/webhooks/openapi.ts'
import { oneRecord, type OneRecord } from '../kit/declare/conditions.ts'
import { headerComponents, parameterComponents, responseHeaders, securitySchemes } from './openapi/headers.ts'
import { refusalResponse, refusalSchema } from './openapi/envelopes.ts'
import { takesFormerNames } from './deprecation.ts'
import { describeSchema, parameterDescription } from './openapi/descriptions.ts'
import { fileOperations } from './openapi/files.ts'
import { splitNullableEnums } from './openapi/nullableenums.ts'
import { withDefaultsInWords } from './openapi/requestdefaults.ts'
import { isCacheable } from './recall.ts'
import type { LimitedRoute } from './routelimits.ts'
import { staticDocument, sendDocument, type StaticDocument } from './staticdocument.ts'
import { buildOperationId, pascalCase } from './openapi/names.ts'
import { listRefusals, takesKey } from './openapi/refusals.ts'
import { rehearsalSchema } from '../developer/dryruns/view.ts'
import { collectSchemas, type Schemas } from './openapi/schemas.ts'
import { listTags } from './openapi/tags.ts'

export type OpenApiOptions = {
  tables: readonly RouteTable[]
  /** The public address; `/` means the host that served the document. */
  serverUrl: string
  authUrl: string
  /** Requests that the service sends. */
  webhooks?: readonly SentRequest[]
}

/** Built on the first request, then cached. */
export function serveOpenApi(app: FastifyInstance, options: OpenApiOptions, limits: LimitedRoute): void {
  let document: Promise<StaticDocument> | undefined
  app.get('/openapi.json', limits(120), async (request, reply) => {
    document ??= staticDocument(Buffer.from(JSON.stringify(openApi(options))), 'application/json; charset=utf-8')
    return sendDocument(request, reply.header('access-control-allow-origin', '*'), await document)
  })
}

export function openApi({ tables, serverUrl, authUrl, webhooks }: OpenApiOptions) {
  const schemas = collectSchemas()
  schemas.add('Pagination', pagination)
  const paths: Record<string, Record<string, object>> = {}
  const routes = tables.flatMap(routesOfTable)
  const servers = authUrl === serverUrl ? {} : { servers: [{ url: authUrl }] }
  for (const route of routes) {
    const path = (paths[route.path] ??= {})
    const own = operation(route, schemas)
    path[route.method.toLowerCase()] = { ...own, ...(route.session ? servers : {}) }
    for (const [file, get] of fileOperations(route, own)) paths[file] = { get }
  }
  const refusals = routes.flatMap((route) => [...route.refusals.values()])
  for (const refusal of refusals) schemas.add(refusal.name, refusalSchema(refusal))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stoa',
      version: '1',
      summary: 'A self-hosted multi-store commerce backend',
      description: introduction,
      contact: { name: 'Operator of this server' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    // The authorization of a whole collection in programs such as Postman; each operation names its own.
    security: [{ ApiKey: [] }],
    tags: listTags(routes.map(({ tag }) => tag)),
    paths,
    ...(webhooks ? { webhooks: webhookPaths(webhooks, schemas) } : {}),
    components: {
      schemas: splitNullableEnums(withDefaultsInWords(describeSchema(schemas.all()))),
      responses: Object.fromEntries(refusals.map((refusal) => [refusal.name, refusalResponse(refusal)])),
      parameters: parameterComponents,
      headers: headerComponents,
      securitySchemes: securitySchemes(authUrl, scopes),
    },
  }
}

const introduction = `
Every request under /v1 works with one store: the store of its credential, which is an API key in \`X-API-Key\` or a
Bearer token. Endpoints under /storefront are for shoppers: they name the store by its slug, require no credential and
accept any origin. Endpoints under /oauth/portal/api serve signed-in users and use the session cookie.

A success body is \`{"data": …}\`; lists add \`pagination\`. An error body is
\`{"error": {"code", "message", "details"}}\`: branch on \`code\`, not on \`message\`. Amounts are in decimal major
units, times are ISO 8601 in UTC, and IDs are opaque strings. Unknown fields are ignored, or rejected with
\`Prefer: handling=strict\`. With \`Prefer: dry-run\`, any write under /v1 returns the response it would have returned
and changes nothing; \`rehearsal\`, next to \`data\`, lists the side effects.

**API keys.** The operator creates one per store:
\`npm run -s stoa -- key create --store XX-XXXXXXXX --mode test --scopes all\`. The key is shown only once. Third-party
apps use OAuth 2.1 with PKCE instead.

**Rate limits.** A live key allows 1,000 requests per minute, a test key 100 and a token 1,000. Every response returns
the number left in \`X-RateLimit-Remaining\`; a 429 response returns the seconds to wait in \`Retry-After\`.

**Webhooks.** Events are sent as signed POST requests to the URLs registered with \`POST /v1/webhooks\`, in up to three
attempts. The signature is the hex HMAC-SHA256 of \`timestamp.body\`, keyed with the webhook's secret.`.trim()

/** A route with its whole path, and its table. */
type TableRoute = Route & { table: RouteTable; record: OneRecord; refusals: Map<number, ErrorResponse> }

function routesOfTable(table: RouteTable): TableRoute[] {
  return table.routes.map((route) => {
    const record = oneRecord(route, table.routes)
    return {
      ...route,
      path: table.prefix + route.path,
      words: { ...table.words, ...route.words },
      table,
      record,
      refusals: listRefusals(route, table, record.read !== undefined),
    }
  })
}

function webhookPaths(requests: readonly SentRequest[], schemas: Schemas): object {
  const items = requests.map(({ name, operation, body, example }) => {
    const content = { 'application/json': { schema: schemas.reference(body), example } }
    return [name, { post: { ...operation, requestBody: { required: true, content } } }]
  })
  return Object.fromEntries(items)
}

function operation(route: TableRoute, schemas: Schemas): object {
  const operationId = buildOperationId(route)
  return {
    operationId,
    tags: [route.tag],
    summary: route.summary,
    ...admission(route),
    parameters: [...pathParameters(route), ...queryParameters(route, schemas), ...headerParameters(route)],
    ...(route.body ? { requestBody: requestBody(operationId, route, schemas) } : {}),
    responses: responses(route, schemas),
  }
}

/** The credential and scopes that the route requires. */
function admission(route: TableRoute): object {
  if (route.table.isPublic) return { description: 'Public. Requires no credential.', security: [] }
  if (route.session) return { description: needsSession(route.session), security: [{ Session: [] }] }
  const scopes = [route.scope].flat()
  return {
    description: needs(route, scopes),
    'x-scopes': scopes,
    security: [{ ApiKey: [] }, ...scopes.map((scope) => ({ OAuth: [scope] }))],
  }
}

function needsSession({ roles, scope, isRecent }: NonNullable<Route['session']>): string {
  const roleText = roles ? ` with the role ${roles.join(' or ')}` : ''
  const role = scope ? ` with a role that has the scope \`${scope}\`` : roleText
  return `Requires a session${isRecent ? ' signed in within the last hour' : ''}${role}.`
}

function needs({ feature }: Route, scopes: string[]): string {
  const scope = `Requires the scope ${alternatives(scopes.map((name) => `\`${name}\``))}.`
  if (typeof feature === 'string') return `${scope} Requires the plan feature \`${feature}\`.`
  return feature ? `${scope} Some fields require a plan feature; the 403 response names it in details.feature.` : scope
}

/** a, b or c */
function alternatives(names: string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

function pathParameters({ path, params, words }: Route): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    const resource = params?.[name!]
    const description = words?.[name!] ?? {
      description: `ID of the ${(resource?.noun ?? 'record').toLowerCase()}`,
      example: resource?.prefix ? publicId(resource.prefix, exampleUuid) : exampleUuid,
    }
    return {
      name,
      in: 'path',
      required: true,
      schema: { type: 'string', minLength: 1, maxLength: 500 },
      ...description,
    }
  })
}

const exampleUuid = '01912d68-783e-7a03-8467-5661c1243ad4'

function queryParameters({ query }: Route, schemas: Schemas): object[] {
  const properties = Object.entries((query?.schema.properties ?? {}) as Record<string, JsonSchema>)
  const names = (query?.schema.required ?? []) as string[]
  return properties.map(([name, { description, deprecated, ...schema }]) => ({
    name,
    in: 'query',
    required: names.includes(name),
    ...(deprecated ? { deprecated } : {}),
    // `metadata[key]=value`
    ...(schema.type === 'object' ? { style: 'deepObject', explode: true } : {}),
    description: parameterDescription(name, description),
    schema: schemas.reference(schema),
  }))
}

function headerParameters(route: TableRoute): object[] {
  const { method, query, body, record } = route
  const names = [
    ...(takesKey(route, route.table) ? ['IdempotencyKey'] : []),
    ...(method === 'GET' && hasTag(route) ? ['IfNoneMatch'] : []),
    ...(record.read ? ['IfMatch'] : []),
    ...(hasDryRun(route) ? ['PreferInWrites'] : query || body ? ['Prefer'] : []),
  ]
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

function requestBody(operationId: string, { method, body, file }: Route, schemas: Schemas): object {
  const schema = schemas.addBody(`${pascalCase(operationId)}Body`, body!.schema)
  const isNeeded = method === 'POST' && ((body!.schema.required ?? []) as string[]).length > 0
  const form = file && {
    type: 'object',
    properties: { [file.field]: { type: 'string', format: 'binary' }, ...(body!.schema.properties as object) },
    required: [file.field],
  }
  const content = { 'application/json': { schema }, ...(form ? { 'multipart/form-data': { schema: form } } : {}) }
  return { required: isNeeded || file !== undefined, content }
}

/** Lists have one if their answers can be kept. */
function hasTag({ record, list, session, ...route }: TableRoute): boolean {
  return record.isAnswered || (list === true && !session && isCacheable(route))
}

function responses(route: TableRoute, schemas: Schemas): object {
  const data = schemas.reference(route.returns)
  const schema = route.list
    ? envelope({ data: { type: 'array', items: data }, ...(route.beside ?? pageSchema) })
    : envelope({ data }, hasDryRun(route) ? { rehearsal: schemas.reference(rehearsalSchema) } : {})
  const isRead = route.method === 'GET' && hasTag(route)
  const headers = [
    ...(route.makesRecord ? ['Location'] : []),
    ...(hasTag(route) ? ['ETag'] : []),
    ...(takesKey(route, route.table) ? ['Idempotent-Replayed'] : []),
    ...(hasDryRun(route) ? ['Preference-Applied'] : []),
    ...(takesFormerNames(route) ? ['Deprecation', 'Sunset'] : []),
  ]
  const success = {
    description: route.status === 201 ? 'Created' : 'OK',
    headers: responseHeaders(headers),
    content: { 'application/json': { schema, example: requiredExample(schema, schemas) } },
  }
  const errors = [...route.refusals].map(([status, { name }]) => [status, { $ref: `#/components/responses/${name}` }])
  const unpaidSchema = envelope({ data: schemas.reference(route.accepted ?? {}) })
  const answer = {
    description: 'Accepted: the shopper must pay before the order is placed',
    headers: responseHeaders([]),
    content: { 'application/json': { schema: unpaidSchema, example: requiredExample(unpaidSchema, schemas) } },
  }
  const notModified = { 304: { description: 'Not modified', headers: responseHeaders(['ETag']) } }
  const more = { ...(route.accepted ? { 202: answer } : {}), ...(isRead ? notModified : {}) }
  return { [route.status]: success, ...more, ...Object.fromEntries(errors) }
}

/** Leaves out headers that only some responses have. */
function requiredExample(whole: JsonSchema, schemas: Schemas): unknown {
  const properties = Object.entries(whole.properties as Record<string, JsonSchema>)
  const fields = properties.filter(([name]) => (whole.required as string[]).includes(name))
  return schemas.example({ ...whole, properties: Object.fromEntries(fields) })
}

function hasDryRun({ method, table }: TableRoute): boolean {
  return table.acceptsDryRuns === true && method !== 'GET'
}

function envelope(properties: Record<string, JsonSchema>, more: Record<string, JsonSchema> = {}): JsonSchema {
  return {
    type: 'object',
    properties: { ...properties, ...more },
    required: Object.keys(properties),
    additionalProperties: false,
  }
}

const pageSchema = { pagination: { $ref: '#/components/schemas/Pagination' } }

// prettier-ignore
const pagination: JsonSchema = {
  type: 'object',
  description: 'Place of the page. A request with `cursor` gets `per_page` and `next_cursor`, any other all but that.',
  properties: {
    page:        { type: 'integer', minimum: 1 },
    per_page:    { type: 'integer', minimum: 1, maximum: 100 },
    total:       { type: 'integer', minimum: 0, description: 'Number of records on all pages' },
    total_pages: { type: 'integer', minimum: 0 },
    next_cursor: { type: ['string', 'null'], description: '`cursor` of the next page; null on the last one' },
  },
  required: ['per_page'],
  additionalProperties: false,
  examples: [{ page: 1, per_page: 25, total: 1, total_pages: 1 }],
}
