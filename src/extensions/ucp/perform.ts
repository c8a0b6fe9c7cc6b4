// Serves a call of an agent, by REST or MCP: its profile, its capabilities, the key, the operation, and the response to
// a failure.
import type { Database } from '../../kit/database/database.ts'
import { ApiError } from '../../kit/values/errors.ts'
import { formatReason, type Fault } from '../../kit/values/faults.ts'
import { serveCall, type NamedRequest, type Transport } from '../../tenancy/dispatch/serve.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { findOffer } from '../../storefront/checkout/offers/offer.ts'
import { shopperActor, storefrontScope } from '../../storefront/checkout/routes.ts'
import type { Agent, FindAgent } from './agent.ts'
import { requireKey } from './checkout/once.ts'
import { errorMessage, type UcpMessage } from './messages.ts'
import type { Operation } from './operations.ts'
import { Problem, Refusal } from './problems.ts'
import type { Signer } from './signer.ts'
import type { Visit } from './visit.ts'

export type AgentCaller = Pick<Visit, 'origin' | 'guard' | 'findFace' | 'deps'> & {
  db: Database
  store: Store
  /** The request of the call, and its name in the audit log. */
  request: NamedRequest
  operation: string
  transport: Transport
  /** Receives the call once its agent is known, for the log of requests. */
  note(agent: Agent, call: AgentCall): void
  findAgent: FindAgent
  /** The agent that signed the request; null without a signature. */
  signer: Signer | null
}

export type AgentCall = {
  operation: Operation
  /** The URL of the agent's profile. */
  profile: string | null
  key: string | null
  id: string
  body: unknown
}

/** Throws a Problem for invalid calls; any other outcome is a response. */
export async function performCall(caller: AgentCaller, call: AgentCall): Promise<string> {
  try {
    return await answer(caller, call)
  } catch (error) {
    throw toProblem(error)
  }
}

async function answer(caller: AgentCaller, call: AgentCall): Promise<string> {
  const { findAgent, signer, note, request, transport, store, operation: name, ...own } = caller
  const { operation, profile, key: idempotencyKey, id, body } = call
  const agent = await findAgent(profile)
  if (signer) requireSignedCall(signer, agent, operation, idempotencyKey)
  note(agent, call)
  const key = operation.isRead ? null : requireKey(idempotencyKey)
  const visit = { ...own, store, agent, db: own.db.ofStore(store.id), isSigned: signer !== null, key }
  if (!agent.active.has(operation.capability)) return outcome(visit, [incompatible(operation)], { capabilities: {} })
  if (operation.needsKey && key === null) {
    throw new Problem('idempotency_key_required', `${operation.name} needs an idempotency key: a UUID`)
  }
  try {
    const answer = await serveCall(transport, {
      endpoint: { route: operation, record: { isAnswered: false, read: undefined }, operation: `UCP ${name}` },
      caller: { store, actor: shopperActor, scopes, person: visit },
      input: { path: operation.path, params: { id }, body: body ?? {} },
      request,
      agent: agent.name,
    })
    return answer.body
  } catch (error) {
    if (error instanceof Refusal) return outcome(visit, error.messages)
    throw error
  }
}

const scopes: ReadonlySet<string> = new Set([storefrontScope])

/**
 * A signature holds for one agent. A repeat of a write has to be known by its key, which is signed too, and kept for
 * longer than the signature holds.
 */
function requireSignedCall(signer: Signer, agent: Agent, { isRead, name }: Operation, key: string | null): void {
  if (signer.profile !== agent.profile) {
    throw new Problem('signature_invalid', 'The request is signed by another agent than the one that its call names')
  }
  if (isRead) return
  if (key === null)
    throw new Problem('idempotency_key_required', `${name} needs an idempotency key if it is signed: a UUID`)
  if (!signer.isDated) throw new Problem('signature_invalid', 'The signature of a write says when it was created')
}

function incompatible({ capability }: Operation): UcpMessage {
  return errorMessage('capabilities_incompatible', `The profile does not declare ${capability} in this release`, {
    severity: 'unrecoverable',
  })
}

/** A response without a checkout, but with a link to the shop. */
async function outcome(visit: Visit, messages: readonly UcpMessage[], more: object = {}): Promise<string> {
  const { storefront_url } = await findOffer(visit.db, visit.store)
  const ucp = { version: visit.agent.release, status: 'error', ...more }
  return JSON.stringify({ ucp, messages, continue_url: storefront_url })
}

/** Turns the server's errors into problems of the protocol. */
export function toProblem(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  const { status, code, message, headers, faults } = error
  if (code === 'STORE_UNAVAILABLE') return new Problem('store_unavailable', message, headers)
  if (status === 429) return new Problem('rate_limited', message, headers)
  if (status === 413) return new Problem('request_too_large', message)
  if (status === 401) return new Problem('unauthorized', message, headers)
  if (status === 404) return new Problem('not_found', message)
  if (status === 422) return new Problem('invalid_request', nameFaults(faults) || message)
  if (status === 503 || 'retry-after' in headers) return new Problem('unavailable', message, headers)
  return error
}

const maxNamed = 10

/** The protocol has no list of faults: the message names them. */
function nameFaults(faults: readonly Fault[]): string {
  return faults
    .slice(0, maxNamed)
    .map((fault) => `${fault.field} ${formatReason(fault)}`)
    .join('; ')
}
