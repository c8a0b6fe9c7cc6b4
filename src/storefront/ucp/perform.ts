// Performs a call of any transport: the agent's profile, its capabilities, the key, the body, the operation, and the
// response to a failure.
import type { StoreDatabase } from '../../kit/database/database.ts'
import { ApiError } from '../../kit/values/errors.ts'
import { formatReason } from '../../kit/values/faults.ts'
import { findOffer } from '../checkout/offers/offer.ts'
import type { Agent, FindAgent } from './agent.ts'
import { requireKey } from './checkout/once.ts'
import { errorMessage, type UcpMessage } from './messages.ts'
import { runUcpOperation, type Operation } from './operations.ts'
import { Problem, Refusal } from './problems.ts'
import type { Signer } from './signer.ts'
import type { Visit } from './visit.ts'

export type AgentCaller = Omit<Visit, 'agent' | 'key' | 'isSigned' | 'db'> & {
  /** The store's database, for a call of this agent. */
  open(agent: Agent, call: AgentCall): StoreDatabase
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

async function answer({ findAgent, signer, open, ...caller }: AgentCaller, call: AgentCall): Promise<string> {
  const { operation, profile, key, id, body } = call
  const agent = await findAgent(profile)
  if (signer) requireSignedCall(signer, agent, operation, key)
  const own = { agent, db: open(agent, call), isSigned: signer !== null }
  const visit: Visit = { ...caller, ...own, key: operation.isRead ? null : requireKey(key) }
  if (!agent.active.has(operation.capability)) return outcome(visit, [incompatible(operation)], { capabilities: {} })
  if (operation.needsKey && visit.key === null) {
    throw new Problem('idempotency_key_required', `${operation.name} needs an idempotency key: a UUID`)
  }
  const input = operation.body ? read(operation, body, visit) : undefined
  try {
    return await runUcpOperation(operation, visit, { id, body: input })
  } catch (error) {
    if (error instanceof Refusal) return outcome(visit, error.messages)
    throw error
  }
}

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

function read({ body: reader }: Operation, body: unknown, { store }: Visit): unknown {
  try {
    return reader!.read(body ?? {}, store)
  } catch (error) {
    if (!(error instanceof ApiError) || error.faults.length === 0) throw error
    const faults = error.faults.map((fault) => `${fault.field} ${formatReason(fault)}`)
    throw new Problem('invalid_request', faults.slice(0, maxSaid).join('; '))
  }
}

const maxSaid = 10

/** Turns the server's errors into problems of the protocol. */
export function toProblem(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  const { status, code, message, headers } = error
  if (code === 'STORE_UNAVAILABLE') return new Problem('store_unavailable', message, headers)
  if (status === 429) return new Problem('rate_limited', message, headers)
  if (status === 413) return new Problem('request_too_large', message)
  if (status === 401) return new Problem('unauthorized', message, headers)
  if (status === 404) return new Problem('not_found', message)
  if (status === 422) return new Problem('invalid_request', message)
  if (status === 503 || 'retry-after' in headers) return new Problem('unavailable', message, headers)
  return error
}
