// What a merchant can do: each by its path, what its body may say, and what becomes of the session.
import type { Account } from './account.ts'
import type { Provider } from './provider.ts'
import { cancel, capture, refund, shown, sumsOf, type Session } from './session.ts'
import { readSwitches } from './switches.ts'

export type Asked = { params: { id: string }; body: any }
/** `body`: what is answered, now and to the same idempotency key ever after. */
export type Act = (account: Account, asked: Asked) => { session: Session; body: object }

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength })
const amount = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
export const url = { type: 'string', maxLength: 2000, pattern: '^https?://' }

export function object(properties: object, required: string[] = []): object {
  return { type: 'object', properties, required }
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
/** Without an amount, all that is left. */
const some = object({ amount })

export function writesOf(provider: Provider): { path: string; body: object; act: Act }[] {
  const { find, change, now } = provider
  const move = (next: (session: Session, asked: Asked['body']) => Session): Act => {
    return (account, { params, body }) => {
      const session = find(params.id, account)
      const after = change(session, next(session, body))
      return { session: after, body: shown(after, provider.url) }
    }
  }
  const open: Act = (account, { body }) => {
    const session = provider.open(account, { ...body, switches: readSwitches(body.switches) })
    return { session, body: shown(session, provider.url) }
  }
  const refunding = move((session, { amount: part }) => refund(session, part ?? refundable(session), now()))
  const refundAs: Act = (account, asked) => {
    const { session } = refunding(account, asked)
    return { session, body: { ...session.movements.at(-1), status: 'succeeded', session: session.id } }
  }
  const capturing = move((session, { amount: part }) => capture(session, part ?? capturable(session), now()))
  return [
    { path: '/v1/sessions', body: newSession, act: open },
    { path: '/v1/sessions/:id/capture', body: some, act: capturing },
    { path: '/v1/sessions/:id/refund', body: some, act: refundAs },
    { path: '/v1/sessions/:id/cancel', body: object({}), act: move((session) => cancel(session, now())) },
  ]
}

function capturable(session: Session): number {
  const { authorized, captured } = sumsOf(session)
  return authorized - captured
}

function refundable(session: Session): number {
  const { captured, refunded } = sumsOf(session)
  return captured - refunded
}
