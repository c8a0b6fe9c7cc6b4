// A tool with its endpoints: its public description, its audience, and the call that its arguments make.
import type { Endpoint } from '../../tenancy/dispatch/perform.ts'
import { proposalScope, type CallInput } from '../../tenancy/dispatch/perform.ts'
import type { Route, RouteTable } from '../../kit/declare/route.ts'
import type { JsonSchema } from '../../kit/declare/field.ts'
import { schemaFaults } from '../../kit/declare/schema.ts'
import { invalid, maxFaults } from '../../kit/values/errors.ts'
import { fault, generalFaults, type Fault } from '../../kit/values/faults.ts'
import { buildEndpoint } from '../../http/operations.ts'
import { buildOperationId } from '../../http/openapi/names.ts'
import { buildRouteFacts, type RouteFacts } from '../../http/requestrecord.ts'
import { toArgumentName, idSchema, inputSchema, pathArguments, rowArguments, writeArguments } from './schemas.ts'
import { toolDeclarations, type ToolDeclaration } from './tools.ts'

export type Tool = {
  /** The entry in tools/list. */
  listed: {
    name: string
    title: string
    description: string
    inputSchema: JsonSchema & { type: 'object' }
    annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean }
  }
  operations: readonly ToolOperation[]
  defaults: NonNullable<ToolDeclaration['defaults']>
  row: ToolDeclaration['row']
}

export type ToolOperation = {
  endpoint: Endpoint
  /** Its path under the root, with {name} in it. */
  path: string
  /** {name} of the path → argument. */
  ids: Map<string, string>
  /** The arguments that are neither in the query nor in the body. */
  own: { names: ReadonlySet<string>; faults: (body: object) => readonly Fault[] }
  /** Argument → parameter of the query or field of the body, where their names differ. */
  renamed: Map<string, string>
  facts: RouteFacts
}

/** The call that the arguments make. */
export type ToolCall = {
  operation: ToolOperation
  input: CallInput & { params: Record<string, string> }
  isDryRun: boolean
  key: string | undefined
  note: string | undefined
  /** The fields of its rows, if they are short. */
  row: ToolDeclaration['row']
  /** Faults of arguments that the operation does not read. */
  faults: readonly Fault[]
}

export function buildTools(table: RouteTable): ReadonlyMap<string, Tool> {
  const byId = new Map(table.routes.map((route) => [buildOperationId(route), route]))
  // An extension that is off has no endpoints.
  const declarations = toolDeclarations.filter(({ operations }) => operations.every((id) => byId.has(id)))
  return new Map(declarations.map((declaration) => [declaration.name, buildTool(declaration, byId, table)]))
}

function buildTool(declaration: ToolDeclaration, byId: ReadonlyMap<string, Route>, table: RouteTable): Tool {
  const { operations: names, defaults = {}, row, isDestructive, ...described } = declaration
  const routes = names.map((name) => byId.get(name)!)
  const isRead = routes.every(({ method }) => method === 'GET')
  const changes = routes.some(({ method }) => method === 'PATCH' || method === 'DELETE')
  return {
    listed: {
      ...described,
      inputSchema: inputSchema(routes, declaration) as Tool['listed']['inputSchema'],
      annotations: {
        readOnlyHint: isRead,
        destructiveHint: isDestructive ?? changes,
        idempotentHint: isRead,
        openWorldHint: false,
      },
    },
    operations: routes.map((route) => buildToolOperation(route, table, row ? rowArguments : {})),
    defaults,
    row,
  }
}

function buildToolOperation(
  route: Route,
  { prefix, routes }: RouteTable,
  more: Record<string, JsonSchema>,
): ToolOperation {
  const properties = Object.keys(((route.query ?? route.body)?.schema.properties ?? {}) as object)
  const others = properties.map((name) => [toArgumentName(name), name] as const).filter(([own, name]) => own !== name)
  const ids = pathArguments(route)
  const names = [...ids.values()]
  const own = {
    ...Object.fromEntries(names.map((name) => [name, idSchema(name)])),
    ...(route.method === 'GET' ? more : writeArguments),
  }
  return {
    endpoint: buildEndpoint(route, routes),
    path: prefix + route.path,
    ids,
    own: {
      names: new Set(Object.keys(own)),
      faults: schemaFaults({ type: 'object', properties: own, required: names }),
    },
    renamed: new Map(others),
    facts: buildRouteFacts(route, prefix),
  }
}

/** True if the scopes allow one of its operations, or to propose it. */
export function isFor({ operations }: Tool, scopes: ReadonlySet<string>): boolean {
  return operations.some(({ endpoint: { route } }) =>
    [route.scope].flat().some((scope) => scopes.has(scope) || scopes.has(proposalScope(scope))),
  )
}

export function readToolCall({ operations, defaults, row }: Tool, input: Record<string, unknown>): ToolCall {
  const isGiven = (name: string) => input[name] !== undefined && input[name] !== null
  const operation = operations.find(({ ids }) => ids.size > 0 && [...ids.values()].every(isGiven)) ?? operations.at(-1)!
  const { endpoint, path, ids, own, renamed } = operation
  const { route } = endpoint
  const params = Object.fromEntries([...ids].map(([name, argument]) => [name, String(input[argument])]))
  const rest = Object.entries(input).filter(([name]) => !own.names.has(name))
  const content = Object.fromEntries(rest.map(([name, value]) => [renamed.get(name) ?? name, value]))
  const isRead = route.method === 'GET'
  const hasReader = route.query || route.body
  const { dry_run, idempotency_key: key, proposal_note: note, all_fields } = input as Controls
  return {
    operation,
    input: {
      path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!)),
      params,
      isStrict: true,
      ...(isRead ? { query: { ...listQueryDefaults(route, defaults), ...content } } : { body: content }),
    },
    row: all_fields ? undefined : row,
    faults: [
      ...own.faults(Object.fromEntries(Object.entries(input).filter(([name]) => own.names.has(name)))),
      ...(hasReader ? [] : rest.slice(0, maxFaults).map(([name]) => fault(name, generalFaults.unknown_field))),
    ],
    ...(isRead ? { isDryRun: false, key: undefined, note: undefined } : { isDryRun: dry_run === true, key, note }),
  }
}

type Controls = { dry_run?: boolean; idempotency_key?: string; proposal_note?: string; all_fields?: boolean }

function listQueryDefaults({ query }: Route, defaults: Tool['defaults']): Record<string, string> {
  const properties = (query?.schema.properties ?? {}) as object
  const entries = Object.entries(defaults).filter(([name]) => Object.hasOwn(properties, name))
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
}

/** Faults name arguments, as the caller knows them. */
export function argumentNames({ renamed }: ToolOperation, faults: readonly Fault[]): Fault[] {
  const back = new Map([...renamed].map(([argument, name]) => [name, argument]))
  back.set('Idempotency-Key', 'idempotency_key')
  return faults.map((each) => ({ ...each, field: back.get(each.field) ?? each.field }))
}

/** All faults at once: those of the arguments, and those that the operation would find. */
export function requireArguments({ operation, input, faults }: ToolCall, store: any): void {
  if (faults.length === 0) return
  const { route } = operation.endpoint
  throw invalid(...faults, ...faultsIn(() => (route.query ?? route.body)?.read(input.query ?? input.body, store, true)))
}

function faultsIn(read: () => unknown): readonly Fault[] {
  try {
    read()
    return []
  } catch (error) {
    return (error as { faults?: readonly Fault[] }).faults ?? []
  }
}
