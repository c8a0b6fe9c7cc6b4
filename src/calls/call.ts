// What a route is asked, read and checked, and what it does in its transaction.
import { hash } from 'node:crypto'
import type { StoreDatabase, Tx } from '../kit/database/database.ts'
import { demandMatch, demandReadOnly, type OneRecord } from '../kit/declare/conditions.ts'
import type { Answer } from '../kit/declare/once.ts'
import { pathIds, textOf, type FileSent, type Route, type Written } from '../kit/declare/route.ts'
import type { Actor } from '../kit/values/cause.ts'
import { invalid, missingFeature } from '../kit/values/errors.ts'
import { fault } from '../kit/values/faults.ts'
import { hasFeature, type Feature } from '../plans/plan.ts'
import { demandHour, isLimited, keepWithin, type Policy } from './policy.ts'
import type { Store } from '../stores/store.ts'

export type MountedRoute = { route: Route<Store>; record: OneRecord; operation: string }

/** Who asks, and for which store. */
type Caller = {
  store: Store
  actor: Actor
  scopes: ReadonlySet<string>
  /** What limits it beside its scopes. */
  policy?: Policy | null
}

export type Asked = {
  access: Caller
  /** Of the address, without its query. */
  path: string
  params: Record<string, string>
  query: unknown
  body: unknown
  file: FileSent | null
  isStrict: boolean
  /** Nothing of it will stay. */
  isRehearsal: boolean
  ifMatch?: string | undefined
}

export type Call = Record<string, unknown> & { store: Store; params: Record<string, string> }

/** Refuses what can be refused before there is a transaction. */
export async function readCall({ route }: MountedRoute, asked: Asked, tools: object, now: Date): Promise<Call> {
  const { access, isStrict } = asked
  const { store, actor, scopes } = access
  const context = { ...store, now }
  if (route.body && asked.body === null) throw invalid(fault('body', 'not_json_object'))
  const input = asked.body ?? {}
  if (typeof route.feature === 'function' && typeof input === 'object' && !Array.isArray(input)) {
    const feature = route.feature(input as Record<string, unknown>)
    if (feature) checkFeature(store, feature)
  }
  const query = route.query ? route.query.read(asked.query as never, context, isStrict) : {}
  const outsideFaults = await route.outside?.(input as Record<string, unknown>, tools as never, store)
  const body = route.body ? route.body.read(input as never, context, isStrict, outsideFaults) : {}
  const params = pathIds(asked.params, route)
  return { ...tools, store, actor, scopes, params, query, body }
}

export function checkFeature(store: Store, feature: string): void {
  if (!hasFeature(store.plan, feature as Feature)) throw missingFeature(feature)
}

/** What a write does in its transaction, once what takes time is done. */
export async function effectOf(
  { route, record }: MountedRoute,
  { access, body, file, isRehearsal, isStrict, ifMatch, path }: Asked,
  call: Call,
  db: StoreDatabase,
): Promise<(tx: Tx) => Promise<Answer>> {
  const policy = isLimited(route) ? (access.policy ?? null) : null
  if (policy) demandHour(policy, access.store, db.clock.now())
  const prepared = await route.prepare?.({ ...call, file, isRehearsal, db } as never)
  return async (tx) => {
    if (ifMatch !== undefined && record.read) await demandMatch(ifMatch, { read: record.read, route }, { ...call, tx })
    const sent = isStrict && route.method === 'PATCH' && route.body ? (body as Record<string, unknown> | null) : null
    if (sent && record.read) await demandReadOnly(sent, { read: record.read, route }, { ...call, tx })
    const written = await route.run({ ...call, prepared, tx } as never)
    if (policy) await keepWithin(tx, access.store, access.actor.id, policy)
    const { id, afterwards } = typeof written === 'object' ? written : { id: null }
    return {
      status: statusOf(written, route),
      body: textOf(written),
      ...(route.makesRecord && id !== null ? { location: `${path}/${id}` } : {}),
      ...(afterwards ? { afterwards } : {}),
    }
  }
}

export function statusOf(written: unknown, { status }: Pick<Route, 'status'>): number {
  return (typeof written === 'object' && (written as Written<any>).status) || status
}

/** What tells two bodies apart, files included. */
export function sentBody({ body, file }: Asked): unknown {
  return file ? { ...(body as object | null), file: hash('sha256', file.bytes) } : (body ?? {})
}
