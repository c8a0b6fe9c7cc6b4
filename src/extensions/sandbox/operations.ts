// The merchant's operations: path, body schema and effect on the session.
import type { SandboxAccount } from './account.ts'
import type { SandboxProvider } from './provider.ts'
import { cancel, capture, refund, sessionBody, sumMovements, type SandboxSession } from './session.ts'
import { readSwitches } from './switches.ts'

export type OperationInput = { params: { id: string }; body: any }
/** `body` is the response, also for later requests with the same idempotency key. */
export type SandboxOperation = (
  account: SandboxAccount,
  input: OperationInput,
) => { session: SandboxSession; body: object }

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength })
const amount = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
export const url = { type: 'string', maxLength: 2000, pattern: '^https?://' }

export function object(properties: object, names: string[] = []): object {
  return { type: 'object', properties, required: names }
}

const newSession = object(
  {
    amount,
    currency: { type: 'string', pattern: '^[A-Z]{3}$' },
    reference: text(200),
    description: text(500),
    return_url: url,
    cancel_url: url,
    capture: { enum: ['automatic', 'manual'], default: 'automatic' },
    expires_in_s: { type: 'integer', minimum: 1, maximum: 604_800, default: 86_400 },
    switches: { type: 'object', default: {} },
  },
  ['amount', 'currency', 'reference', 'description', 'return_url', 'cancel_url'],
)
/** The default is the whole remaining amount. */
const optionalAmount = object({ amount })

export function buildSandboxOperations(
  provider: SandboxProvider,
): { path: string; body: object; act: SandboxOperation }[] {
  const { find, change, now } = provider
  const move = (next: (session: SandboxSession, input: OperationInput['body']) => SandboxSession): SandboxOperation => {
    return (account, { params, body }) => {
      const session = find(params.id, account)
      const after = change(session, next(session, body))
      return { session: after, body: sessionBody(after, provider.url) }
    }
  }
  const open: SandboxOperation = (account, { body }) => {
    const session = provider.open(account, { ...body, switches: readSwitches(body.switches) })
    return { session, body: sessionBody(session, provider.url) }
  }
  const refunding = move((session, { amount: part }) => refund(session, part ?? refundable(session), now()))
  const refundAs: SandboxOperation = (account, input) => {
    const { session } = refunding(account, input)
    return { session, body: { ...session.movements.at(-1), status: 'succeeded', session: session.id } }
  }
  const capturing = move((session, { amount: part }) => capture(session, part ?? capturable(session), now()))
  return [
    { path: '/v1/sessions', body: newSession, act: open },
    { path: '/v1/sessions/:id/capture', body: optionalAmount, act: capturing },
    { path: '/v1/sessions/:id/refund', body: optionalAmount, act: refundAs },
    { path: '/v1/sessions/:id/cancel', body: object({}), act: move((session) => cancel(session, now())) },
  ]
}

function capturable(session: SandboxSession): number {
  const { authorized, captured } = sumMovements(session)
  return authorized - captured
}

function refundable(session: SandboxSession): number {
  const { captured, refunded } = sumMovements(session)
  return captured - refunded
}
