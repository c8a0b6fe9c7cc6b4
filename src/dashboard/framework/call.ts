// Calls an endpoint of the API or of the portal for a signed-in person: the same checks in the same order, the
// same operation.
import { buildEtag } from '../../kit/declare/conditions.ts'
import type { StoreDatabase } from '../../kit/database/database.ts'
import type { FileSent, Route } from '../../kit/declare/route.ts'
import { ApiError, invalid } from '../../kit/values/errors.ts'
import { fault } from '../../kit/values/faults.ts'
import { mayUse, portalScope } from '../../identity/accounts/roles.ts'
import { findMembership } from '../../identity/accounts/session.ts'
import { roleName, type HeldRole } from '../../identity/accounts/user.ts'
import { scopes } from '../../identity/apikeys/scopes.ts'
import { toComparedContent, proposalScope, type Caller, type CallInput } from '../../tenancy/dispatch/perform.ts'
import { serveCall, type IncomingCall, type OnceKey } from '../../tenancy/dispatch/serve.ts'
import { nowhere, type SignedIn } from '../../identity/account/portal.ts'
import { isRecent, SignInNeeded } from '../../identity/signin/page.ts'
import { getRouteRecord } from './api.ts'
import type { PageContext } from './screen.ts'
import { mediaFaults } from '../../commerce/media/errors.ts'

export type ApiCall = {
  /** Public ids of the path. */
  params: Record<string, string>
  body: Record<string, unknown>
  /** The ETag of the record that the form showed: the call is rejected if it changed since. */
  version?: string
  /** Idempotency key: a form that is sent twice waits for its first answer, and gets it too. */
  once?: string
}

/** True if the role has the scopes that the endpoint requires, and the endpoint accepts the role. */
export function mayCall(role: HeldRole, { scope, session }: Pick<Route, 'scope' | 'session'>): boolean {
  const isAccepted = session?.roles?.some((name) => name === role) ?? true
  const own = session?.scope ?? portalScope
  return isAccepted && mayUse(role, own) && mayUse(role, scope)
}

export function requireScope({ role }: Pick<PageContext, 'role'>, route: Pick<Route, 'scope' | 'session'>): void {
  if (mayCall(role, route)) return
  throw new ApiError(403, 'SCOPE_INSUFFICIENT', `The role ${roleName(role)} may not do this`)
}

/** The scopes of a key with all rights of this role. */
export function scopesOfRole({ role }: Pick<PageContext, 'role'>): ReadonlySet<string> {
  return new Set(scopes.filter((scope) => mayUse(role, scope)))
}

/** Returns the `data` of the endpoint's response. */
export async function call(context: PageContext, route: Route<any, any>, request: ApiCall): Promise<any> {
  return (await send(context, route, request)).data
}

/** Returns the result of the call, and rolls it back. */
export async function rehearse(context: PageContext, route: Route<any, any>, request: ApiCall): Promise<any> {
  return (
    await send(context, route, request, (db, _caller, effect) =>
      db.dryRun(effect, async (_tx, answer) => ({ ...answer, body: await answer.body })),
    )
  ).data
}

type ReadResult = { data: any; version: string }

/** Returns the `data` of a GET with its ETag, which a form can send back. */
export async function read(
  context: PageContext,
  route: Route<any, any>,
  { params = {}, query = {} }: Partial<Pick<ApiCall, 'params'>> & { query?: Record<string, string> } = {},
): Promise<ReadResult> {
  return send(context, route, { params, query })
}

async function send(
  context: PageContext,
  route: Route<any, any>,
  { version, once, ...request }: Partial<ApiCall> & { query?: object },
  rehearse?: IncomingCall['rehearse'],
): Promise<ReadResult> {
  requireScope(context, route)
  const { deps, allStores, role, operation } = context
  if (route.session?.isRecent && !isRecent(context.session, allStores.clock.now()))
    throw new SignInNeeded({ again: true })
  const input = { path: route.path, file: fileFor(route, context), params: {}, ...request }
  // Some endpoints are only for people: no key can have their scope.
  const own = [route.scope].flat().filter((name) => mayUse(role, name))
  const scopes = new Set([...scopesOfRole(context), ...own, ...own.map(proposalScope)])
  const { db, ...caller } = buildSessionCaller(context, route)
  const endpoint = { route, record: getRouteRecord(route), operation }
  const key = () => (once ? { ...buildOnceKey(context, route, input), key: `form ${once}` } : undefined)
  const incomingCall = {
    endpoint,
    caller: { ...caller, scopes },
    input,
    ifMatch: version || undefined,
    once: key,
    rehearse,
  }
  const { body } = await serveCall({ deps, open: () => db }, incomingCall)
  return { data: JSON.parse(body), version: buildEtag(body) }
}

/** The store that the endpoint works for. Endpoints for a person's own data have no store. */
function buildSessionCaller(
  context: PageContext,
  { path, session }: Route,
): Omit<Caller, 'scopes'> & { db: StoreDatabase } {
  const { store, db, allStores, actor, ip, userAgent, language } = context
  if (!session) return { store, actor, db }
  const person: SignedIn = { session: context.session, language }
  const isOfStore = path.includes('{store}')
  const membership = isOfStore ? findMembership(context.session, store.id)! : nowhere
  return { store: membership, actor: { ...actor, ip, userAgent }, person, db: isOfStore ? db : allStores }
}

/** The current state of the record that an endpoint changes. */
export function readNow(
  context: PageContext,
  route: Route<any, any>,
  params: Record<string, string>,
): Promise<ReadResult> {
  return read(context, getRouteRecord(route).read!, { params })
}

/** Checks the endpoint's own file limit, and reports it beside the file input. */
function fileFor({ file: fileField }: Route, { file = null }: PageContext): FileSent | null {
  if (!fileField) return null
  if (file === 'too_large')
    throw invalid(fault(fileField.field, mediaFaults.file_too_large, { limit: fileField.maxBytes }))
  return file
}

/** The fingerprint is signed, because its plain hash would help to guess a password in the form. */
function buildOnceKey(
  { deps: { vault }, store }: PageContext,
  { method, path }: Route,
  input: CallInput,
): Omit<OnceKey, 'key'> {
  const content = JSON.stringify([input.params, toComparedContent(input)])
  return {
    fingerprint: Buffer.from(vault.sign(`${method} ${path} ${content}`, 'form')),
    waits: true,
    storeId: store.id,
  }
}
