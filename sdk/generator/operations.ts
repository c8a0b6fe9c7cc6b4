// Every endpoint of the route table as a method: `GET /v1/orders/{id}/refunds` is `orders.refunds.list(id)`.
import type { JsonSchema } from '../../src/kit/declare/field.ts'
import { buildOperationId } from '../../src/http/openapi/names.ts'
import { takesKey } from '../../src/http/openapi/refusals.ts'
import type { Route, RouteTable } from '../../src/kit/declare/route.ts'
import { openApi } from '../../src/http/openapi.ts'
import { tables } from '../../src/program/tables.ts'
import { sentRequests } from '../../src/developer/webhooks/openapi.ts'

export type Method = {
  /** The objects on the way to it, such as `orders`, `refunds`. */
  nouns: string[]
  verb: string
  http: string
  path: string
  summary: string
  params: string[]
  body: JsonSchema | null
  isBodyRequired: boolean
  query: { name: string; required: boolean; schema: JsonSchema; description: string }[]
  /** Name of the type of its query, in the manner of the schemas. */
  queryName: string
  data: JsonSchema
  list: 'paged' | 'whole' | null
  /** Loops read it by cursor: its order is none that somebody has chosen. */
  isWalked: boolean
  /** The properties beside the data of a list that is not paged. */
  beside: Record<string, JsonSchema>
  hasDryRun: boolean
  takesKey: boolean
  takesFile: boolean
}

export const document: any = openApi({ tables, serverUrl: '/', authUrl: '/', webhooks: sentRequests() })
export const schemas: Record<string, JsonSchema> = reachable(document.components.schemas)
// Loops find the next cursor by themselves: a page has been asked for by its number.
schemas.Pagination = { ...schemas.Pagination, required: ['page', 'per_page', 'total', 'total_pages'] }
/** Event type → the name of its payload's schema. */
export const payloads: Record<string, string> = Object.fromEntries(
  Object.entries<any>(document.webhooks).map(([event, { post }]) => [
    event,
    post.requestBody.content['application/json'].schema.$ref.split('/').at(-1),
  ]),
)
export const codes: string[] = [...new Set(codesIn(document.components.schemas))].sort()

/** All methods for programs: the portal's are for people who are signed in. */
export function methods(): Method[] {
  const served = tables.filter(({ routes }) => !routes.some(({ session }) => session))
  return served.flatMap((table) => table.routes.map((route) => methodOf(route, table)))
}

function methodOf(route: Route, table: RouteTable): Method {
  const path = table.prefix + route.path
  const operation = document.paths[path][route.method.toLowerCase()]
  const { data, rehearsal, pagination, ...beside } =
    operation.responses[route.status].content['application/json'].schema.properties
  const query = operation.parameters.filter((one: any) => one.in === 'query')
  const body = operation.requestBody?.content['application/json'].schema ?? null
  const operationId = buildOperationId({ ...route, path })
  const isArray = route.list || data.type === 'array'
  return {
    ...nameOf(path, isArray ? operationId.replace(/^get/, 'list') : operationId),
    http: route.method,
    path,
    summary: route.summary,
    params: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
    body,
    isBodyRequired: operation.requestBody?.required === true || hasRequired(body),
    query,
    queryName: `${operationId[0]!.toUpperCase()}${operationId.slice(1)}Query`,
    data: isArray ? data.items : data,
    list: isArray ? (pagination ? 'paged' : 'whole') : null,
    isWalked: isArray && path.startsWith('/v1/') && isWalked(query),
    beside,
    hasDryRun: rehearsal !== undefined,
    takesKey: takesKey(route, table),
    takesFile: route.file !== undefined,
  }
}

function isWalked(query: Method['query']): boolean {
  const sort = query.find(({ name }) => name === 'sort')
  return query.some(({ name }) => name === 'cursor') && sort?.schema.default !== 'position'
}

function hasRequired(body: JsonSchema | null): boolean {
  const schema = schemas[String(body?.$ref).split('/').at(-1)!] ?? body
  return Array.isArray(schema?.required) && schema.required.length > 0
}

// Their operationIds do not begin with what they do.
const verbs: Record<string, string> = { productsCollection: 'add', membersCustomerGroup: 'add' }

/** The nouns are those of the path. A verb at its end is the method's, and otherwise that of the operationId. */
function nameOf(path: string, operationId: string): { nouns: string[]; verb: string } {
  const words = path.split('/').filter((word) => !/^(v1|\{.*|)$/.test(word))
  const last = words.at(-1)!
  const verb = verbs[operationId] ?? /^[a-z]+/.exec(operationId)![0]
  const nouns = words.map(camelCase)
  return last.split('-')[0] === verb ? { nouns: nouns.slice(0, -1), verb: nouns.at(-1)! } : { nouns, verb }
}

function camelCase(words: string): string {
  return words.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** The schemas of methods and events, without those of errors and of the portal. */
function reachable(all: Record<string, JsonSchema>): Record<string, JsonSchema> {
  const found = new Set<string>()
  const visit = (text: string) => {
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name!)) continue
      found.add(name!)
      visit(JSON.stringify(all[name!]))
    }
  }
  const paths = Object.entries(document.paths).filter(([path]) => !path.startsWith('/oauth/'))
  visit(JSON.stringify([paths, document.webhooks]))
  return Object.fromEntries(Object.entries(all).filter(([name]) => found.has(name)))
}

/** The codes of the envelopes of errors. */
function codesIn(all: Record<string, JsonSchema>): string[] {
  const envelopes = Object.values(all).map(({ properties }) => (properties as any)?.error)
  return envelopes
    .flatMap((error) => (error?.oneOf ?? [error]).map((one: any) => one?.properties?.code?.const))
    .filter((code) => typeof code === 'string')
}
