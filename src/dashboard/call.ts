// Calls an endpoint of the API or of the portal for somebody who is signed in: the same checks in the same order, the
// same operation.
import { hash } from 'node:crypto'
import type { Doer } from '../audit/securityevent.ts'
import { etagOf } from '../kit/declare/conditions.ts'
import { onlyOnce, type Answer } from '../kit/declare/once.ts'
import type { StoreDatabase, Tx } from '../kit/database/database.ts'
import { textOf, type FileSent, type Route } from '../kit/declare/route.ts'
import { ApiError, invalid, missingFeature } from '../kit/values/errors.ts'
import { fault } from '../kit/values/faults.ts'
import { mayUse } from '../accounts/roles.ts'
import { membershipOf } from '../accounts/session.ts'
import { roles, type Role } from '../accounts/user.ts'
import { scopes } from '../apikeys/scopes.ts'
import { checkFeature, effectOf, readCall } from '../calls/call.ts'
import { nowhere, type Workplace } from '../portal/workplace.ts'
import { isRecent, SignInNeeded } from '../signin/page.ts'
import type { Store } from '../stores/store.ts'
import { recordOf } from './api.ts'
import type { Visit } from './page.ts'

type Call = {
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

export function demandScope({ role }: Pick<Visit, 'role'>, route: Pick<Route, 'scope' | 'session'>): void {
  if (mayCall(role, route)) return
  throw new ApiError(403, 'SCOPE_INSUFFICIENT', `The role ${role} may not do this`)
}

/** What a key of somebody of this role would have. */
export function heldBy({ role }: Pick<Visit, 'role'>): ReadonlySet<string> {
  return new Set(scopes.filter((scope) => mayUse(role, scope)))
}

const plainly = ({ path }: Route) => ({ path, file: null, isStrict: false, isRehearsal: false })

/** What the endpoint answers in `data`. */
export async function call(visit: Visit, route: Route<any, any>, { version, once, ...sent }: Call): Promise<any> {
  const { db } = placeOf(visit, route)
  const effect = await effectOfCall(visit, route, { ...sent, ...(version ? { version } : {}) })
  const answer = await (once ? doOnce(db, visit, route, { ...sent, once }, effect) : db.transaction(effect))
  const further = answer.replayed ? undefined : await answer.afterwards?.(db)
  return JSON.parse(further ? further.json : answer.body)
}

/** What it would answer; nothing of it stays. */
export async function rehearse(visit: Visit, route: Route<any, any>, sent: Call): Promise<any> {
  const effect = await effectOfCall(visit, route, sent, true)
  const answer = await visit.db.rehearse(effect, async (_tx, tried) => tried)
  return JSON.parse(answer.body)
}

async function effectOfCall(
  visit: Visit,
  route: Route<any, any>,
  { version, ...sent }: Call,
  isRehearsal = false,
): Promise<(tx: Tx) => Promise<Answer>> {
  demandScope(visit, route)
  const { tools, actor } = visit
  const { store, db } = placeOf(visit, route)
  if (route.session?.isRecent && !isRecent(visit.session, db.clock.now())) throw new SignInNeeded(true)
  if (typeof route.feature === 'string') checkFeature(visit.store, route.feature)
  if (store.status === 'suspended') throw missingFeature('store_active', 'The store is suspended')
  const access = { store, actor, scopes: heldBy(visit) }
  const file = fileFor(route, visit)
  const asked = { ...sent, access, query: {}, ...plainly(route), file, isRehearsal, ifMatch: version || undefined }
  const mounted = { route, record: recordOf(route), operation: visit.operation }
  const read = await readCall(mounted, asked, tools, db.clock.now())
  return effectOf(mounted, asked, read, db)
}

/** The store that the endpoint works for; what is a person's own is of none. */
function placeOf(visit: Visit, { path, session }: Route): { store: Store; db: StoreDatabase } {
  const { store, db, allStores, actor, ip, userAgent, language } = visit
  if (!session) return { store, db }
  const by: Doer = { kind: 'user', id: actor.id, ip, userAgent }
  const isOfStore = path.includes('{store}')
  const membership = isOfStore ? membershipOf(visit.session, store.id, roles)! : nowhere
  const workplace: Workplace = { ...membership, session: visit.session, language, by }
  return { store: workplace as never, db: isOfStore ? db : allStores }
}

type Answered = { data: any; version: string }

/** What a GET of the API answers in `data`, and its version, which a form may name. */
export async function read(
  visit: Visit,
  route: Route<any, any>,
  { params = {}, query = {} }: Partial<Pick<Call, 'params'>> & { query?: Record<string, string> } = {},
): Promise<Answered> {
  demandScope(visit, route)
  const { store, db, tools, actor } = visit
  if (typeof route.feature === 'string') checkFeature(store, route.feature)
  const asked = { params, query, body: {}, access: { store, actor, scopes: heldBy(visit) }, ...plainly(route) }
  const known = await readCall(
    { route, record: recordOf(route), operation: visit.operation },
    asked,
    tools,
    db.clock.now(),
  )
  const text = textOf(await route.run({ ...known, db } as never))
  return { data: JSON.parse(text), version: etagOf(text) }
}

/** The record that an endpoint changes, as it is now. */
export function readNow(visit: Visit, route: Route<any, any>, params: Record<string, string>): Promise<Answered> {
  return read(visit, recordOf(route).read!, { params })
}

/** An endpoint's own limit, said beside the input of the file. */
function fileFor({ file: taken }: Route, { file = null }: Visit): FileSent | null {
  if (!taken) return null
  if (file === 'too_large') throw invalid(fault(taken.field, 'file_too_large', { limit: taken.maximumBytes }))
  return file
}

/** A form that is sent twice waits for its first answer, and gets it too. */
async function doOnce(
  db: StoreDatabase,
  { tools: { vault }, store, actor, file }: Visit,
  { method, path }: Route,
  { once, ...sent }: Call,
  effect: Awaited<ReturnType<typeof effectOf>>,
): Promise<Answer> {
  const picture = typeof file === 'object' && file ? hash('sha256', file.bytes) : ''
  // A password may be in it: its plain hash could be guessed at.
  const fingerprint = Buffer.from(vault.sign(`${method} ${path} ${JSON.stringify(sent)}${picture}`, 'form'))
  const credential = `${actor.kind}:${actor.id}`
  return onlyOnce(db, vault, { storeId: store.id, credential, key: `form ${once}`, fingerprint, waits: true }, effect)
}
