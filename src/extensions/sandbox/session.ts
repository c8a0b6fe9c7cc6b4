// A payment session: its states and movements. Amounts are integers in minor units.
import { randomBase62 } from '../../kit/values/secrets.ts'
import { SandboxError } from './errors.ts'
import type { Switches } from './switches.ts'

/**
 * pending ─ challenge ─▶ requires_action ┐
 *    ├──── approve, challenge passed ────┴▶ authorized ─ capture ─▶ captured
 *    ├──── pay late ─▶ processing ─────────▶ the same, some seconds later
 *    └──── decline ─▶ failed      cancel ─▶ canceled      too late ─▶ expired
 */
type SandboxSessionStatus =
  | 'pending'
  | 'requires_action'
  | 'processing'
  | 'authorized'
  | 'captured'
  | 'failed'
  | 'canceled'
  | 'expired'

type SandboxMovement = { id: string; type: 'authorize' | 'capture' | 'refund' | 'void'; amount: number; at: string }

export type SandboxSession = {
  id: string
  /** The API key of the merchant. */
  account: string
  status: SandboxSessionStatus
  amount: number
  currency: string
  capture: 'automatic' | 'manual'
  /** The merchant's own reference. */
  reference: string
  description: string
  return_url: string
  cancel_url: string
  created_at: string
  expires_at: string
  movements: SandboxMovement[]
  switches: Switches
}

export function isOpen({ status }: SandboxSession): boolean {
  return status === 'pending' || status === 'requires_action'
}

export function sumMovements({ movements }: SandboxSession): {
  authorized: number
  captured: number
  refunded: number
} {
  const sum = (type: SandboxMovement['type']) =>
    movements.filter((movement) => movement.type === type).reduce((total, { amount }) => total + amount, 0)
  return { authorized: sum('authorize') - sum('void'), captured: sum('capture'), refunded: sum('refund') }
}

/** The session as the API and webhooks show it. */
export function sessionBody(session: SandboxSession, url: string): object {
  const { account: _, switches: __, movements, ...fields } = session
  return { ...fields, ...sumMovements(session), url: `${url}/pay/${session.id}`, movements }
}

/** Authorizes the payment, and captures it at once unless the merchant captures manually. */
export function approve(session: SandboxSession, now: Date): SandboxSession {
  const newSession = addMovement(session, 'authorize', session.amount, now)
  return session.capture === 'manual'
    ? { ...newSession, status: 'authorized' }
    : { ...addMovement(newSession, 'capture', session.amount, now), status: 'captured' }
}

export function capture(session: SandboxSession, amount: number, now: Date): SandboxSession {
  const { authorized, captured } = sumMovements(session)
  if (amount > authorized - captured)
    throw new SandboxError(409, 'amount_too_large', 'the amount exceeds the authorized amount')
  return { ...addMovement(session, 'capture', amount, now), status: 'captured' }
}

export function refund(session: SandboxSession, amount: number, now: Date): SandboxSession {
  const { captured, refunded } = sumMovements(session)
  if (amount > captured - refunded)
    throw new SandboxError(409, 'amount_too_large', 'the amount exceeds the captured amount')
  return addMovement(session, 'refund', amount, now)
}

/** Voids what is authorized and not captured; the session cannot be paid afterwards. */
export function cancel(session: SandboxSession, now: Date): SandboxSession {
  if (session.status === 'canceled') return session
  const { authorized, captured } = sumMovements(session)
  if (captured > 0)
    throw new SandboxError(409, 'already_captured', 'a captured payment cannot be canceled; refund it instead')
  if (session.status === 'processing') throw new SandboxError(409, 'processing', 'the payment is processing')
  return { ...(authorized > 0 ? addMovement(session, 'void', authorized, now) : session), status: 'canceled' }
}

/** Returns the session as it is at this time; an expired one can no longer be paid. */
export function expireAt(session: SandboxSession, now: Date): SandboxSession {
  const isLate = isOpen(session) && new Date(session.expires_at) <= now
  return isLate ? { ...session, status: 'expired' } : session
}

function addMovement(
  session: SandboxSession,
  type: SandboxMovement['type'],
  amount: number,
  now: Date,
): SandboxSession {
  const movement = { id: `mv_${randomBase62(20)}`, type, amount, at: now.toISOString() }
  return { ...session, movements: [...session.movements, movement] }
}
