// The operations of the API for a model: found by words, and each described in at most 4 KB.
import type { JsonSchema } from '../../kit/declare/field.ts'
import type { Route, RouteTable } from '../../kit/declare/route.ts'
import { schemaFaults } from '../../kit/declare/schema.ts'
import { invalid, notFound } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { describeSchema, parameterDescription } from '../../http/openapi/descriptions.ts'
import { buildOperationId } from '../../http/openapi/names.ts'
import { bare, compact, outline, shallow, withoutLimits } from './schemas.ts'

export const operationUri = 'stoa://openapi/'
export const maxDocumentBytes = 4096
const maxRows = 10

type OperationRow = { operation: string; method: string; path: string; summary: string; scope: string }

export type OperationIndex = {
  /** Operations that have any of the words, best first. */
  search(query: string): OperationRow[]
  /** The OpenAPI document of one operation, as JSON; undefined if there is none. */
  describe(operation: string): string | undefined
}

export function buildOperationIndex({ routes, prefix }: RouteTable): OperationIndex {
  const entries = new Map(routes.map((route) => [buildOperationId(route), buildEntry(route, prefix)]))
  return {
    search: (query) => {
      const words = splitWords(query)
      const results = [...entries.values()].map(({ row, texts }) => ({ row, score: scoreWords(words, texts) }))
      const matches = results.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score)
      return matches.slice(0, maxRows).map(({ row }) => row)
    },
    describe: (operation) => {
      const entry = entries.get(operation)
      return entry && (entry.document ??= buildDocument(entry.row, entry.route))
    },
  }
}

type IndexEntry = { row: OperationRow; route: Route; texts: Set<string>[]; document?: string }

function buildEntry(route: Route, prefix: string): IndexEntry {
  const { method, summary, tag } = route
  const path = prefix + route.path
  const operation = buildOperationId(route)
  const row = { operation, method, path, summary, scope: [route.scope].flat()[0]! }
  const fields = Object.keys(((route.body ?? route.query)?.schema.properties ?? {}) as object)
  // Words of the first text count most.
  const texts = [`${operation} ${summary}`, `${path} ${tag}`, fields.join(' ')]
  return { row, route, texts: texts.map((text) => new Set(splitWords(text))) }
}

/** createOrderRefund → create, order, refund. A plural is its singular. */
function splitWords(text: string): string[] {
  const words = text
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  return words.filter((word) => word.length > 1).map((word) => word.replace(/ies$/, 'y').replace(/([^s])s$/, '$1'))
}

function scoreWords(words: readonly string[], texts: readonly Set<string>[]): number {
  const weights = [4, 2, 1]
  const scores = words.map((word) => weights[texts.findIndex((text) => text.has(word))] ?? 0)
  return scores.reduce((sum: number, score) => sum + score, 0)
}

type Detail = { request: (schema: JsonSchema) => JsonSchema; answer: (schema: JsonSchema) => JsonSchema }

/** The first that fits is used: what a request takes says more than what it returns. */
const details: readonly Detail[] = [
  { request: compact, answer: bare },
  { request: compact, answer: outline },
  { request: withoutLimits, answer: outline },
  { request: bare, answer: outline },
  { request: shallow, answer: outline },
]

function buildDocument(row: OperationRow, route: Route): string {
  const documents = details.map((detail) => () => JSON.stringify(describeOperation(row, route, detail)))
  for (const build of documents) {
    const document = build()
    if (Buffer.byteLength(document) <= maxDocumentBytes) return document
  }
  throw new Error(`the document of ${row.operation} is too long`)
}

function describeOperation({ operation, method, path, summary, scope }: OperationRow, route: Route, detail: Detail) {
  const { query, body, returns, list, status } = route
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const ids = names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
  const properties = Object.entries((query?.schema.properties ?? {}) as Record<string, JsonSchema>)
  const required = (query?.schema.required ?? []) as string[]
  const parameters = properties
    .filter(([, { deprecated }]) => !deprecated)
    .map(([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      ...(required.includes(name) ? { required: true } : {}),
      schema: detail.request({ ...schema, description: parameterDescription(name, description) }),
    }))
  const data = detail.answer(list ? { type: 'array', items: returns } : returns)
  const envelope = { type: 'object', properties: { data } }
  const own = {
    operationId: operation,
    summary,
    'x-scopes': [scope],
    ...(ids.length + parameters.length > 0 ? { parameters: [...ids, ...parameters] } : {}),
    ...(body
      ? { requestBody: { content: { 'application/json': { schema: detail.request(describeSchema(body.schema)) } } } }
      : {}),
    responses: { [status]: { description: 'OK', content: { 'application/json': { schema: envelope } } } },
  }
  return { openapi: '3.1.0', info: { title: 'Stoa', version: '1' }, paths: { [path]: { [method.toLowerCase()]: own } } }
}

// The tool over it.

const inputSchema = {
  type: 'object' as const,
  properties: {
    query: { type: 'string', minLength: 1, maxLength: 200, description: 'Words such as: add note to order' },
    operation: { type: 'string', minLength: 1, maxLength: 100, description: 'Operation to describe, from a search' },
  },
  additionalProperties: false,
}

export const findOperationTool = {
  name: 'find_operation',
  title: 'Find an operation of the API',
  description:
    'Search the operations of the REST API by words in English: up to ten with method and path. With operation, get ' +
    'its parameters and its body, for propose_change.',
  inputSchema,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
}

const faultsOfInput = schemaFaults(inputSchema)

/** The result of the tool, as JSON. */
export function findOperation(index: OperationIndex, input: { query?: string; operation?: string }): string {
  const faults = faultsOfInput(input)
  if (faults.length > 0) throw invalid(...faults)
  if (input.operation !== undefined) {
    const document = index.describe(input.operation)
    if (!document) throw notFound('Operation')
    return `{"data":${document}}`
  }
  if (input.query === undefined) throw invalid(fault('query', generalFaults.required))
  return JSON.stringify({ data: index.search(input.query) })
}
