// Operations of a table of routes for who has no request of its own: the same checks, in the same order.
import type { Route, Table } from '../kit/declare/route.ts'
import { invalid, missingFeature, missingScope } from '../kit/values/errors.ts'
import { fault } from '../kit/values/faults.ts'
import type { Perform } from '../proposals/perform.ts'
import { checkFeature, effectOf, readCall, type Call, type MountedRoute } from '../calls/call.ts'
import type { Access } from './authenticate.ts'
import { oneRecord } from '../kit/declare/conditions.ts'
import { operationIdOf } from './openapi/names.ts'

/** `tools` are those of the table, which has its own way of calling itself among them. */
export function operationsOf({ prefix, routes }: Table, tools: () => object): Perform {
  const writes = routes
    .filter(({ method }) => method !== 'GET')
    .map((route) => ({ mounted: mountedOf(route, routes), form: formOf(prefix + route.path) }))
  return async ({ caller, request, db, isRehearsal, isProposed }) => {
    const found = writes.flatMap(({ mounted, form }) => {
      const match = mounted.route.method === request.method && form.exec(request.path)
      return match ? [{ mounted, params: { ...match.groups } }] : []
    })[0]
    if (!found) throw invalid(fault('path', 'no_such_write'))
    const { mounted, params } = found
    const { route, operation } = mounted
    if (route.file || route.isConfidential || route.tag === 'Proposals') throw invalid(fault('path', 'not_proposable'))
    const scope = [route.scope].flat()[0]!
    checkScope(caller, isProposed ? [route.scope].flat().map(proposing) : [route.scope].flat())
    if (typeof route.feature === 'string') checkFeature(caller.store, route.feature)
    if (caller.store.status === 'suspended') throw missingFeature('store_active')
    const asked = {
      access: caller,
      path: request.path,
      params,
      query: {},
      body: request.body ?? {},
      file: null,
      isStrict: true,
      isRehearsal,
      ifMatch: request.if_match ?? undefined,
    }
    const call = await readCall(mounted, asked, tools(), db.clock.now())
    const records = recordsOf(mounted, call)
    return { operation, scope: proposing(scope), records, effect: await effectOf(mounted, asked, call, db) }
  }
}

/** What lets propose a write; a write that reading suffices for is proposed with that. */
export function proposing(scope: string): string {
  return scope.replace('write:', 'propose:')
}

export function checkScope({ scopes, actor }: Pick<Access, 'scopes' | 'actor'>, accepted: readonly string[]): void {
  if (accepted.some((name) => scopes.has(name))) return
  const [first] = accepted as [string]
  const mayPropose = accepted.some((name) => scopes.has(proposing(name)))
  throw missingScope(first, { mayPropose, isToken: actor.kind === 'client' })
}

function recordsOf({ route, record }: MountedRoute, { store, params }: Call): { table: string; id: string }[] {
  const named = Object.entries(route.params ?? {}).map(([name, { table }]) => ({ table, id: params[name]! }))
  return named.length === 0 && record.read ? [{ table: 'stores', id: store.id }] : named
}

function mountedOf(route: Route, routes: readonly Route[]): MountedRoute {
  return { route, record: oneRecord(route, routes), operation: operationIdOf(route) }
}

function formOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/?#]+)')}$`)
}
