// The steps of a call, which serve.ts takes for every transport. The checks run in this order: scope → feature → store
// status → body and query → ids → policy → transaction (If-Match, operation, limits).
import { hash } from 'node:crypto'
import type { StoreDatabase, Tx } from '../../kit/database/database.ts'
import { lockRecord, requireMatch, type OneRecord } from '../../kit/declare/conditions.ts'
import { hasMetadata, mergeMetadata } from '../../kit/declare/metadata.ts'
import { pick } from '../../kit/declare/row.ts'
import { readRecord, unchangedBy } from '../../kit/declare/unchanged.ts'
import type { PendingAnswer } from '../../kit/declare/idempotency.ts'
import {
  pathIds,
  toAnswerJson,
  type FileSent,
  type ReadRoute,
  type Route,
  type WriteRoute,
  type WriteResult,
} from '../../kit/declare/route.ts'
import type { Actor } from '../../kit/values/actor.ts'
import { invalid } from '../../kit/values/errors.ts'
import { missingFeature } from '../plans/errors.ts'
import { missingScope } from './errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import { hasCustomValues, mergeCustomValues } from '../stores/customvalues.ts'
import { hasFeature, type Feature, type Plan } from '../plans/plan.ts'
import { requireHour, isLimited, enforcePolicy, type CredentialPolicy } from './policy.ts'

/** A route, its record if it has one, and its operationId. */
export type Endpoint<R extends Route = Route> = { route: R; record: OneRecord; operation: string }

/** The store of a call. Routes with features need its plan. */
export type Tenant = {
  id: string
  status: string
  currency: string
  timezone: string
  country_code: string
  plan?: Plan
  /** Kinds of records for which it has custom fields. */
  custom_field_kinds?: readonly string[]
  /** Moves when its settings or its credentials change. */
  version?: number
}

export type Caller<Store extends Tenant = Tenant> = {
  store: Store
  actor: Actor
  scopes: ReadonlySet<string>
  /** Limits the credential beside its scopes. */
  policy?: CredentialPolicy | null
  /** The signed-in user's context for the operations. */
  person?: object
}

declare const authorization: unique symbol

/** Only authorize() returns this type, so that unauthorized calls do not compile. */
export type Authorized<C extends Caller = Caller> = C & { readonly [authorization]: true }

export type CallInput = {
  /** The path of the URL, without its query. */
  path: string
  params: Record<string, string>
  query?: unknown
  /** Null if the body is not a JSON object. */
  body?: unknown
  file?: FileSent | null
  isStrict?: boolean
  /** Ends the wait of routes with `waitSeconds`. */
  signal?: AbortSignal
}

/** `db` records the cause of the call; `deps` are what operations use beside the database. */
export type CallServices = { db: StoreDatabase; deps: { vault: Vault } }

/** The part of a write that runs in its transaction. */
export type Effect = (tx: Tx) => Promise<PendingAnswer>

/** Checks scope, feature and store status, which do not depend on the body. */
export function authorize<C extends Caller>(
  caller: C,
  route: Route,
  { isProposed = false }: { isProposed?: boolean } = {},
): Authorized<C> {
  const { store } = caller
  const scopes = [route.scope].flat()
  requireScope(caller, isProposed ? scopes.map(proposalScope) : scopes)
  if (typeof route.feature === 'string') requireFeature(store, route.feature)
  if (route.method !== 'GET' && store.status === 'suspended') {
    throw missingFeature('store_active', 'The store is suspended: it is read-only')
  }
  return caller as Authorized<C>
}

/** The scope for proposing or rehearsing a write. If read access is enough for the write, that scope is used. */
export function proposalScope(scope: string): string {
  return scope.replace('write:', 'propose:')
}

export function requireScope(
  { scopes, actor }: Pick<Caller, 'scopes' | 'actor'>,
  acceptedScopes: readonly string[],
): void {
  if (acceptedScopes.some((name) => scopes.has(name))) return
  const [first] = acceptedScopes as [string]
  const mayPropose = acceptedScopes.some((name) => scopes.has(proposalScope(name)))
  throw missingScope(first, { mayPropose, isToken: actor.kind === 'client' })
}

export function requireFeature({ plan }: Pick<Tenant, 'plan'>, feature: string): void {
  if (!plan || !hasFeature(plan, feature as Feature)) throw missingFeature(feature)
}

/** Reads body, query and path IDs, and reports all faults. */
export async function parse(
  route: Route,
  { store, actor, scopes, person }: Authorized,
  { params, query, body = {}, isStrict = false, signal = noAbort }: CallInput,
  { deps }: Pick<CallServices, 'deps'>,
) {
  if (route.body && body === null) throw invalid(fault('body', generalFaults.not_json_object))
  const fields = (body ?? {}) as Record<string, unknown>
  if (typeof route.feature === 'function' && typeof fields === 'object' && !Array.isArray(fields)) {
    const feature = route.feature(fields)
    if (feature) requireFeature(store, feature)
  }
  const filters = route.query ? route.query.read(query ?? {}, store, isStrict) : {}
  const outsideFaults = await route.outside?.(fields, deps, store)
  const values = route.body ? route.body.read(fields, store, isStrict, outsideFaults) : {}
  const ids = pathIds(params, route)
  return { ...deps, ...person, store, actor, scopes, params: ids, query: filters, body: values, signal }
}

const noAbort = new AbortController().signal

/** The response of a read. `sawCaller` is called when it depends on the caller. */
export async function readAnswer(
  route: ReadRoute,
  caller: Authorized,
  input: CallInput,
  services: CallServices,
  sawCaller: () => void = () => {},
): Promise<string> {
  const { actor, scopes, ...call } = await parse(route, caller, input, services)
  const context = {
    ...call,
    db: route.readsReplica ? services.db.fromReplica() : services.db,
    get actor() {
      sawCaller()
      return actor
    },
    get scopes() {
      sawCaller()
      return scopes
    },
  }
  return toAnswerJson(await route.run(context))
}

type PreparedWrite = { effect: Effect; params: Record<string, string> }

/** The part of a write before its transaction. It can take time, because nothing is locked. */
export async function prepareWrite(
  { route, record }: Pick<Endpoint<WriteRoute>, 'route' | 'record'>,
  caller: Authorized,
  input: CallInput,
  services: CallServices,
  { ifMatch, isDryRun }: { ifMatch?: string | undefined; isDryRun: boolean },
): Promise<PreparedWrite> {
  const call = await parse(route, caller, input, services)
  const { db } = services
  const { store, actor } = caller
  const policy = isLimited(route) ? (caller.policy ?? null) : null
  if (policy) requireHour(policy, store, db.clock.now())
  const { file = null } = input
  const preparation = await route.prepare?.({ ...call, file, isDryRun, db })
  const effect: Effect = async (tx) => {
    const read = { ...call, prepared: preparation, tx }
    if (ifMatch !== undefined && record.read) await requireMatch(ifMatch, { read: record.read, route }, read)
    const [context, sent] = hasKeyedValues(read, { route, record })
      ? await withAllKeys(read, input.body, { route, record })
      : [read, input.body]
    const same = await unchangedBy(sent ?? {}, { route, record }, context)
    if (same !== null) return { status: route.status, body: same }
    const result = await route.run(context)
    if (policy) await enforcePolicy(tx, store, actor, policy)
    const { id, afterwards } = typeof result === 'object' ? result : { id: null }
    return {
      status: chooseStatus(result, route),
      body: toAnswerJson(result),
      ...(route.makesRecord && id !== null ? { location: `${input.path}/${id}` } : {}),
      ...(afterwards ? { afterwards } : {}),
    }
  }
  return { effect, params: call.params }
}

type WrittenRecord = Pick<Endpoint<WriteRoute>, 'route' | 'record'>
type WriteContext = { tx: Tx; store: Tenant; params: Record<string, string>; body: any }

function hasKeyedValues({ store, body }: WriteContext, { route, record }: WrittenRecord): boolean {
  const schema = route.body?.schema ?? {}
  return hasMetadata(body, schema) || hasCustomValues(body, schema, store, !record.read)
}

/**
 * Operations write metadata and the values of custom fields as a whole, so the keys that a change leaves as they are
 * join those of its body.
 */
async function withAllKeys<C extends WriteContext>(
  call: C,
  sent: unknown,
  { route, record }: WrittenRecord,
): Promise<[context: C, sent: unknown]> {
  const { tx, store } = call
  const { read } = record
  // Locked, so that no other change is lost between the read and the write.
  if (read) void lockRecord(route, call)
  const current = read ? (await readRecord(read, call)).record : null
  const { schema } = route.body!
  const body = await mergeCustomValues(tx, store, mergeMetadata(call.body, current ?? {}, schema), current, schema)
  return [
    { ...call, body },
    {
      ...(sent as object),
      ...pick(
        body,
        ['metadata', 'custom_fields'].filter((name) => body[name] !== undefined),
      ),
    },
  ]
}

export function chooseStatus(result: unknown, { status }: Pick<Route, 'status'>): number {
  return (typeof result === 'object' && (result as WriteResult<any>).status) || status
}

/** The content used to compare two bodies, including files. */
export function toComparedContent({ body, file }: CallInput): unknown {
  return file ? { ...(body as object | null), file: hash('sha256', file.bytes) } : (body ?? {})
}
