// A payment at the provider: what may happen to it, and what has. Amounts are whole minor units, and always the sums of
// its movements.
import { randomBase62 } from '../../kit/values/secrets.ts'
import { Refusal } from './refusal.ts'
import type { Switches } from './switches.ts'

/**
 * pending ─ challenge ─▶ requires_action ┐
 *    ├──── approve, challenge passed ────┴▶ authorized ─ capture ─▶ captured
 *    ├──── pay late ─▶ processing ─────────▶ the same, some seconds later
 *    └──── decline ─▶ failed      cancel ─▶ canceled      too late ─▶ expired
 */
type Status =
  | 'pending'
  | 'requires_action'
  | 'processing'
  | 'authorized'
  | 'captured'
  | 'failed'
  | 'canceled'
  | 'expired'

type Movement = { id: string; type: 'authorize' | 'capture' | 'refund' | 'void'; amount: number; at: string }

export type Session = {
  id: string
  /** The API key of whom it is paid to. */
  account: string
  status: Status
  amount: number
  currency: string
  capture: 'automatic' | 'manual'
  /** The merchant's own name for it. */
  reference: string
  description: string
  return_url: string
  cancel_url: string
  created_at: string
  expires_at: string
  movements: Movement[]
  switches: Switches
}

export function isOpen({ status }: Session): boolean {
  return status === 'pending' || status === 'requires_action'
}

export function sumsOf({ movements }: Session): { authorized: number; captured: number; refunded: number } {
  const sum = (type: Movement['type']) =>
    movements.filter((movement) => movement.type === type).reduce((total, { amount }) => total + amount, 0)
  return { authorized: sum('authorize') - sum('void'), captured: sum('capture'), refunded: sum('refund') }
}

/** What the API and webhooks tell of it. */
export function shown(session: Session, url: string): object {
  const { account: _, switches: __, movements, ...told } = session
  return { ...told, ...sumsOf(session), url: `${url}/pay/${session.id}`, movements }
}

/** The shopper has paid: the money is reserved, and taken at once unless the merchant wants to do that later. */
export function approve(session: Session, now: Date): Session {
  const authorized = moved(session, 'authorize', session.amount, now)
  return session.capture === 'manual'
    ? { ...authorized, status: 'authorized' }
    : { ...moved(authorized, 'capture', session.amount, now), status: 'captured' }
}

export function capture(session: Session, amount: number, now: Date): Session {
  const { authorized, captured } = sumsOf(session)
  if (amount > authorized - captured) throw new Refusal(409, 'amount_too_large', 'more than is authorized')
  return { ...moved(session, 'capture', amount, now), status: 'captured' }
}

export function refund(session: Session, amount: number, now: Date): Session {
  const { captured, refunded } = sumsOf(session)
  if (amount > captured - refunded) throw new Refusal(409, 'amount_too_large', 'more than was captured')
  return moved(session, 'refund', amount, now)
}

/** Gives back what is reserved and not taken; nobody can pay afterwards. */
export function cancel(session: Session, now: Date): Session {
  if (session.status === 'canceled') return session
  const { authorized, captured } = sumsOf(session)
  if (captured > 0) throw new Refusal(409, 'already_captured', 'what was captured is refunded, not canceled')
  if (session.status === 'processing') throw new Refusal(409, 'processing', 'the money is on its way')
  return { ...(authorized > 0 ? moved(session, 'void', authorized, now) : session), status: 'canceled' }
}

/** As it is at this time: nobody pays a session that has expired. */
export function agedTo(session: Session, now: Date): Session {
  const isLate = isOpen(session) && new Date(session.expires_at) <= now
  return isLate ? { ...session, status: 'expired' } : session
}

function moved(session: Session, type: Movement['type'], amount: number, now: Date): Session {
  const movement = { id: `mv_${randomBase62(20)}`, type, amount, at: now.toISOString() }
  return { ...session, movements: [...session.movements, movement] }
}
