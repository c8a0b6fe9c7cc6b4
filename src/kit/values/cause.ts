// The cause of a write, which the audit log, events and emails name.
import type { Actor } from './actor.ts'
import type { Trace } from './trace.ts'

export type Cause = {
  /** The X-Request-Id of the response; null without a request. */
  requestId: string | null
  /** The uuid of a request whose ID the caller chose: others may have the same. */
  requestUuid?: string
  actor: Actor
  /** The operationId of a route, method and path of a page, the name of a job, the words of a command. */
  operation: string
  /** The name of the shopper's agent that asks. */
  agent?: string
  /** Records the statements of the request, if they are wanted. */
  trace?: Trace
}

/** The default cause: the service's own bookkeeping. */
export const unnamed: Cause = { requestId: null, actor: { kind: 'system', id: 'stoa' }, operation: 'stoa' }

export function causeOfJob(name: string): Cause {
  return { requestId: null, actor: { kind: 'job', id: name }, operation: name }
}
