// Calls an endpoint of the API for somebody who is signed in: the same checks in the same order, the same operation.
import { createHash } from 'node:crypto'
import { etagOf } from '../kit/declare/conditions.ts'
import { onlyOnce, type Answer } from '../kit/declare/once.ts'
import type { Tx } from '../kit/database/database.ts'
import { textOf, type Route } from '../kit/declare/route.ts'
import { ApiError, missingFeature } from '../kit/values/errors.ts'
import { mayUse } from '../accounts/roles.ts'
import { scopes } from '../apikeys/scopes.ts'
import { checkFeature, effectOf, readCall } from '../calls/call.ts'
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

export function mayCall(role: Visit['role'], { scope }: Pick<Route, 'scope'>): boolean {
  return [scope].flat().some((name) => mayUse(role, name))
}

export function demandScope({ role }: Pick<Visit, 'role'>, route: Pick<Route, 'scope'>): void {
  if (mayCall(role, route)) return
  throw new ApiError(403, 'SCOPE_INSUFFICIENT', `The role ${role} may not do this`)
}

const heldBy = ({ role }: Visit) => new Set(scopes.filter((scope) => mayUse(role, scope)))

const plainly = ({ path }: Route) => ({ path, file: null, isStrict: false, isRehearsal: false })

/** What the endpoint answers in `data`. */
export async function call(visit: Visit, route: Route<any, any>, { version, once, ...sent }: Call): Promise<any> {
  const { db } = visit
  const effect = await effectOfCall(visit, route, { ...sent, ...(version ? { version } : {}) })
  const answer = await (once ? doOnce(visit, route, { ...sent, once }, effect) : db.transaction(effect))
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
  const { store, db, tools, actor } = visit
  if (typeof route.feature === 'string') checkFeature(store, route.feature)
  if (store.status === 'suspended') throw missingFeature('store_active', 'The store is suspended')
  const access = { store, actor, scopes: heldBy(visit) }
  const asked = { ...sent, access, query: {}, ...plainly(route), isRehearsal, ifMatch: version || undefined }
  const mounted = { route, record: recordOf(route), operation: visit.operation }
  const read = await readCall(mounted, asked, tools, db.clock.now())
  return effectOf(mounted, asked, read, db)
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

/** A form that is sent twice waits for its first answer, and gets it too. */
async function doOnce(
  { db, tools: { vault }, store, actor }: Visit,
  { method, path }: Route,
  { once, ...sent }: Call,
  effect: Awaited<ReturnType<typeof effectOf>>,
): Promise<Answer> {
  const fingerprint = createHash('sha256')
    .update(`${method} ${path} ${JSON.stringify(sent)}`)
    .digest()
  const credential = `${actor.kind}:${actor.id}`
  return onlyOnce(db, vault, { storeId: store.id, credential, key: `form ${once}`, fingerprint, waits: true }, effect)
}
