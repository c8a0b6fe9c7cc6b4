// Why something is written: what everything that a transaction leaves behind may name.
import type { Actor } from './actor.ts'
import type { Trace } from './trace.ts'

export type Cause = {
  /** What X-Request-Id of the answer says; null where nothing was requested. */
  requestId: string | null
  /** The request where that is its caller's own, who may give it to others too. */
  requestUuid?: string
  actor: Actor
  /** The operationId of a route, method and path of a page, the name of a job, the words of a command. */
  operation: string
  /** Notes what is asked for it, where somebody wants to know. */
  trace?: Trace
}

/** Of what nobody has given a cause: the service's own bookkeeping. */
export const unnamed: Cause = { requestId: null, actor: { kind: 'system', id: 'stoa' }, operation: 'stoa' }

export function causeOfJob(name: string): Cause {
  return { requestId: null, actor: { kind: 'job', id: name }, operation: name }
}
