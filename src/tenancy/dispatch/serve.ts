// The one way to serve a call, whichever transport brought it: a request to an API, a form of the dashboard, a tool of
// MCP, an agent of UCP. It authorizes the caller, names the cause, guards and runs the operation, and counts what the
// answer weighs. Transports differ in who calls, how input arrives, and how an answer is put into words.
import type { Database, ReadWitness, StoreDatabase } from '../../kit/database/database.ts'
import { takesDatabase } from '../../kit/declare/route.ts'
import { runOnce, type WriteAnswer } from '../../kit/declare/idempotency.ts'
import type { Cause } from '../../kit/values/cause.ts'
import { newTrace, type Trace } from '../../kit/values/trace.ts'
import {
  authorize,
  chooseStatus,
  prepareWrite,
  readAnswer,
  type Authorized,
  type CallServices,
  type Caller,
  type CallInput,
  type Effect,
  type Endpoint,
} from './perform.ts'

/** What the calls of a transport share. */
export type Transport = {
  /** Dependencies of the operations beside the database. */
  deps: CallServices['deps']
  /** The database of the caller's store, which knows the cause of the call. */
  open(call: IncomingCall, caller: Caller): StoreDatabase
}

/** The request of a call, which the log of requests and the audit log name. */
export type NamedRequest = {
  id: string
  uuid: string
  /** True if the caller chose the ID. */
  isNamed: boolean
  ip: string
  /** Receives the statements of a write. */
  trace: Trace | null
}

/** A call as its transport has read it. */
export type IncomingCall = {
  endpoint: Endpoint
  input: CallInput
  /** Absent for a form: its page has counted and named the request. */
  request?: NamedRequest
  /** The shopper's agent that calls. */
  agent?: string
  /** Faults that only the transport knows; throws them after the caller is authorized. */
  check?(): void
  /** Executes the call once for this key. It is read after the body, whose faults are reported first. */
  once?(): OnceKey | undefined
  ifMatch?: string | undefined
  /** Runs the effect, undoes it, and returns its response. `sent` is the body. */
  rehearse?: ((db: StoreDatabase, caller: Caller, effect: Effect, body: unknown) => Promise<WriteAnswer>) | undefined
  /** Observes what a read depends on, to cache its response. */
  witness?: ReadWitness
  /** Counts the length of the answer, which is sent afterwards. */
  weigh?(length: number): Promise<void>
} & ({ caller: Caller } | { /** Authorized before its body was read. */ admitted: Authorized })

/** A key chosen by the credential, and a hash of the request. `storeId` is the store that keeps the response. */
export type OnceKey = { key: string; fingerprint: Buffer; waits?: boolean; storeId?: string }

export async function serveCall(transport: Transport, call: IncomingCall): Promise<WriteAnswer> {
  const { route } = call.endpoint
  const isProposed = call.rehearse !== undefined
  const caller = 'admitted' in call ? call.admitted : authorize(call.caller, route, { isProposed })
  call.check?.()
  const services = { db: transport.open(call, caller), deps: transport.deps }
  const answer = await (route.guard ? performGuarded(call, caller, services) : run(call, caller, services))
  if (call.weigh) await call.weigh(answer.body.length)
  return answer
}

/** Opens the store's database. A write has its cause in the audit log, and its statements in the log of requests. */
export function openCaused(db: Database): Transport['open'] {
  return ({ endpoint: { route, operation }, request, agent, witness }, { store, actor }) => {
    if (route.method === 'GET') return db.ofStore(store.id, witness)
    const { id, uuid, isNamed } = request!
    const cause: Cause = { requestId: id, actor, operation, trace: (request!.trace = newTrace()) }
    if (isNamed) cause.requestUuid = uuid
    if (agent !== undefined) cause.agent = agent
    return db.because(cause).ofStore(store.id)
  }
}

async function run(
  { endpoint, input, once, ifMatch, rehearse, witness }: IncomingCall,
  caller: Authorized,
  services: CallServices,
): Promise<WriteAnswer> {
  const { route } = endpoint
  if (takesDatabase(route)) {
    const body = await readAnswer(route, caller, input, services, witness?.markUncacheable)
    return { status: route.status, body }
  }
  const isDryRun = rehearse !== undefined
  const { effect } = await prepareWrite({ ...endpoint, route }, caller, input, services, { ifMatch, isDryRun })
  const { db, deps } = services
  const { store, actor } = caller
  if (rehearse) return rehearse(db, caller, effect, input.body)
  const key = once?.()
  const credential = `${actor.kind}:${actor.id}`
  const answer = await (key
    ? runOnce(db, deps.vault, { storeId: store.id, ...key, credential }, effect)
    : db.transaction(effect))
  const further = await answer.afterwards?.(db)
  const status = further ? chooseStatus(further, route) : answer.status
  return { ...answer, status, body: await (further ? further.json : answer.body) }
}

/** Applies the guard of the route to the address of the request. */
async function performGuarded(call: IncomingCall, caller: Authorized, services: CallServices): Promise<WriteAnswer> {
  const { endpoint, input, request } = call
  const { params, body } = input
  const end = await endpoint.route.guard!({ ip: request!.ip, body, params, store: caller.store }, services.deps)
  let failure: unknown
  try {
    return await run(call, caller, services)
  } catch (error) {
    failure = error
    throw error
  } finally {
    // The client may repeat at once after the response: the count is right before that.
    await end?.(failure)
  }
}
