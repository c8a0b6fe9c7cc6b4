// Operations of a route table for callers without an HTTP request: the same checks in the same order.
import type { Route, RouteTable } from '../kit/declare/route.ts'
import { invalid } from '../kit/values/errors.ts'
import { fault } from '../kit/values/faults.ts'
import type { Perform } from '../developer/proposals/perform.ts'
import {
  authorize,
  prepareWrite,
  proposalScope,
  type CallServices,
  type Endpoint,
} from '../tenancy/dispatch/perform.ts'
import { oneRecord } from '../kit/declare/conditions.ts'
import { buildOperationId } from './openapi/names.ts'
import { dispatchFaults } from '../tenancy/dispatch/errors.ts'

/** `deps` are those of the table, including its way of calling itself. */
export function buildPerform({ prefix, routes }: RouteTable, deps: () => CallServices['deps']): Perform {
  const writes = routes
    .filter((route) => route.method !== 'GET')
    .map((route) => ({ endpoint: buildEndpoint(route, routes), form: buildPathPattern(prefix + route.path) }))
  return async ({ caller, request, db, isDryRun, isProposed }) => {
    const write = writes.flatMap(({ endpoint, form }) => {
      const match = endpoint.route.method === request.method && form.exec(request.path)
      return match ? [{ endpoint, params: { ...match.groups } }] : []
    })[0]
    if (!write) throw invalid(fault('path', dispatchFaults.no_such_write))
    const { endpoint, params } = write
    const { route, operation } = endpoint
    if (route.file || route.isConfidential || route.tag === 'Proposals')
      throw invalid(fault('path', dispatchFaults.not_proposable))
    const authorizedCaller = authorize(caller, route, { isProposed })
    const input = { path: request.path, params, body: request.body ?? {}, isStrict: true }
    const services = { db, deps: deps() }
    const how = { ifMatch: request.if_match ?? undefined, isDryRun: isDryRun }
    const { effect, params: ids } = await prepareWrite(endpoint, authorizedCaller, input, services, how)
    const scope = proposalScope([route.scope].flat()[0]!)
    return { operation, scope, records: listNamedRecords(endpoint, caller.store.id, ids), effect }
  }
}

function listNamedRecords(
  { route, record }: Endpoint,
  storeId: string,
  ids: Record<string, string>,
): { table: string; id: string }[] {
  const records = Object.entries(route.params ?? {}).map(([name, { table }]) => ({ table, id: ids[name]! }))
  return records.length === 0 && record.read ? [{ table: 'stores', id: storeId }] : records
}

/** The endpoint of a route in a table. */
export function buildEndpoint<R extends Route>(route: R, routes: readonly Route[]): Endpoint<R> {
  return { route, record: oneRecord(route, routes), operation: buildOperationId(route) }
}

function buildPathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/?#]+)')}$`)
}
