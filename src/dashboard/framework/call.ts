// Calls an endpoint of the API or of the portal for somebody who is signed in: the same checks in the same order, the
// same operation.
import { hash } from 'node:crypto'
import { etagOf } from '../../kit/declare/conditions.ts'
import type { Answer } from '../../kit/declare/once.ts'
import type { StoreDatabase } from '../../kit/database/database.ts'
import type { FileSent, Route } from '../../kit/declare/route.ts'
import { ApiError, invalid } from '../../kit/values/errors.ts'
import { fault } from '../../kit/values/faults.ts'
import { mayUse } from '../../identity/accounts/roles.ts'
import { membershipOf } from '../../identity/accounts/session.ts'
import { roles, type Role } from '../../identity/accounts/user.ts'
import { scopes } from '../../identity/apikeys/scopes.ts'
import {
  authorize,
  perform,
  proposalScope,
  type Caller,
  type Effect,
  type CallOptions,
  type OnceKey,
} from '../../tenancy/dispatch/perform.ts'
import { nowhere, type SignedIn } from '../../identity/account/portal.ts'
import { isRecent, SignInNeeded } from '../../identity/signin/page.ts'
import { recordOf } from './api.ts'
import type { PageContext } from './screen.ts'
import { mediaFaults } from '../../commerce/media/errors.ts'

type ApiCall = {
  /** Public ids of the path. */
  params: Record<string, string>
  body: Record<string, unknown>
  /** The record as whoever asks has seen it; it is refused when that is no longer so. */
  version?: string
  /** The same is done once, however often the form comes. */
  once?: string
}

/** Whether somebody of this role may: by the scope that a key would need, and by what the portal says of people. */
export function mayCall(role: Role, { scope, session }: Pick<Route, 'scope' | 'session'>): boolean {
  return [scope].flat().some((name) => mayUse(role, name)) && (session?.roles?.includes(role) ?? true)
}

export function requireScope({ role }: Pick<PageContext, 'role'>, route: Pick<Route, 'scope' | 'session'>): void {
  if (mayCall(role, route)) return
  throw new ApiError(403, 'SCOPE_INSUFFICIENT', `The role ${role} may not do this`)
}

/** What a key of somebody of this role would have. */
export function scopesOfRole({ role }: Pick<PageContext, 'role'>): ReadonlySet<string> {
  return new Set(scopes.filter((scope) => mayUse(role, scope)))
}

/** What the endpoint answers in `data`. */
export async function call(
  context: PageContext,
  route: Route<any, any>,
  { version, once, ...sent }: ApiCall,
): Promise<any> {
  const how = { ifMatch: version || undefined, once: () => (once ? onceOf(context, route, sent, once) : undefined) }
  return JSON.parse((await send(context, route, sent, how)).body)
}

/** What it would answer; nothing of it stays. */
export async function rehearse(context: PageContext, route: Route<any, any>, sent: ApiCall): Promise<any> {
  const dryRun = (effect: Effect) => context.db.rehearse(effect, async (_tx, tried) => tried)
  return JSON.parse((await send(context, route, sent, { dryRun })).body)
}

type ReadResult = { data: any; version: string }

/** What a GET of the API answers in `data`, and its version, which a form may name. */
export async function read(
  context: PageContext,
  route: Route<any, any>,
  { params = {}, query = {} }: Partial<Pick<ApiCall, 'params'>> & { query?: Record<string, string> } = {},
): Promise<ReadResult> {
  const { body } = await send(context, route, { params, query })
  return { data: JSON.parse(body), version: etagOf(body) }
}

type Sent = Pick<ApiCall, 'params'> & { body?: object; query?: object }

function send(context: PageContext, route: Route<any, any>, sent: Sent, how: CallOptions = {}): Promise<Answer> {
  requireScope(context, route)
  const { tools, allStores } = context
  if (route.session?.isRecent && !isRecent(context.session, allStores.clock.now())) throw new SignInNeeded(true)
  const endpoint = { route, record: recordOf(route), operation: context.operation }
  const input = { path: route.path, file: fileFor(route, context), ...sent }
  // Some endpoints are for people alone: no key can have their scope.
  const own = [route.scope].flat().filter((name) => mayUse(context.role, name))
  const held = new Set([...scopesOfRole(context), ...own, ...own.map(proposalScope)])
  const { db, ...caller } = callerOf(context, route)
  const authorized = authorize({ ...caller, scopes: held }, route, { isProposed: how.dryRun !== undefined })
  return perform(endpoint, authorized, input, { db, tools }, how)
}

/** The store that the endpoint works for; what is a person's own is of none. */
function callerOf(context: PageContext, { path, session }: Route): Omit<Caller, 'scopes'> & { db: StoreDatabase } {
  const { store, db, allStores, actor, ip, userAgent, language } = context
  if (!session) return { store, actor, db }
  const person: SignedIn = { session: context.session, language }
  const isOfStore = path.includes('{store}')
  const membership = isOfStore ? membershipOf(context.session, store.id, roles)! : nowhere
  return { store: membership, actor: { ...actor, ip, userAgent }, person, db: isOfStore ? db : allStores }
}

/** The record that an endpoint changes, as it is now. */
export function readNow(
  context: PageContext,
  route: Route<any, any>,
  params: Record<string, string>,
): Promise<ReadResult> {
  return read(context, recordOf(route).read!, { params })
}

/** An endpoint's own limit, said beside the input of the file. */
function fileFor({ file: taken }: Route, { file = null }: PageContext): FileSent | null {
  if (!taken) return null
  if (file === 'too_large') throw invalid(fault(taken.field, mediaFaults.file_too_large, { limit: taken.maximumBytes }))
  return file
}

/** A form that is sent twice waits for its first answer, and gets it too. */
function onceOf(
  { tools: { vault }, store, file }: PageContext,
  { method, path }: Route,
  sent: Sent,
  once: string,
): OnceKey {
  const picture = typeof file === 'object' && file ? hash('sha256', file.bytes) : ''
  // A password may be in it: its plain hash could be guessed at.
  const fingerprint = Buffer.from(vault.sign(`${method} ${path} ${JSON.stringify(sent)}${picture}`, 'form'))
  return { key: `form ${once}`, fingerprint, waits: true, storeId: store.id }
}
