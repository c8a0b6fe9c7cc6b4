// Records changes of the disputes of a locked payment. A lost dispute counts as refunded.
import type { Tx } from '../../kit/database/database.ts'
import { records, sql } from '../../kit/database/sql.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { Decimal, sum } from '../../kit/values/money.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { PaymentState, PaymentDispute } from './provider.ts'
import type { SessionChange } from './events.ts'
import type { NewPaymentEvent } from './paymentevent.ts'
import type { PaymentSession } from './session.ts'

type StoredDispute = { reference: string; status: PaymentDispute['status']; evidence_due_at: Date | null }

export type DisputeUpdate = { events: NewPaymentEvent[]; change: SessionChange; lost: Decimal }

/** `sums` are the payment's sums without its disputes. */
export async function recordDisputes(
  tx: Tx,
  store: Pick<Store, 'id'>,
  session: PaymentSession,
  { disputes }: PaymentState,
  sums: { captured: Decimal; refunded: Decimal },
): Promise<DisputeUpdate> {
  if (disputes.length === 0) return { events: [], change: {}, lost: session.lost_amount }
  const storedDisputes = await tx.rows<StoredDispute>(sql`
    select reference, status, evidence_due_at
    from disputes
    where store_id = ${store.id}
      and session_id = ${session.id}`)
  const changes = disputes.flatMap((dispute) => {
    const before = storedDisputes.find(({ reference }) => reference === dispute.reference)
    return isSame(before, dispute) ? [] : [{ dispute, before }]
  })
  saveDisputes(
    tx,
    store.id,
    session,
    changes.map(({ dispute }) => dispute),
  )
  const lostAmount = computeLostAmount(session, disputes, sums)
  const events = [
    ...changes.flatMap((change) => buildDisputeEvents(session, change)),
    ...buildLossEvents(session, lostAmount),
  ]
  return { events, change: buildReviewChange(session, disputes, changes), lost: lostAmount }
}

type DisputeChange = { dispute: PaymentDispute; before: StoredDispute | undefined }

function isSame(before: StoredDispute | undefined, { status, evidence_due_at }: PaymentDispute): boolean {
  return before?.status === status && before.evidence_due_at?.getTime() === evidence_due_at?.getTime()
}

function isOpen({ status }: Pick<PaymentDispute, 'status'>): boolean {
  return status === 'needs_response' || status === 'under_review'
}

function saveDisputes(tx: Tx, storeId: string, { id, currency }: PaymentSession, disputes: PaymentDispute[]): void {
  if (disputes.length === 0) return
  const rows = disputes.map((dispute) => ({
    ...dispute,
    id: newUuid(),
    amount: String(dispute.amount),
    reason: dispute.reason?.slice(0, 255) ?? null,
    evidence_due_at: dispute.evidence_due_at?.toISOString() ?? null,
    closed_at: isOpen(dispute) ? null : tx.now.toISOString(),
  }))
  const columns = { id: 'uuid', reference: 'text', status: 'text', amount: 'numeric', reason: 'text' }
  const times = { evidence_due_at: 'timestamptz', closed_at: 'timestamptz' }
  tx.later(sql`
    insert into disputes (store_id, id, session_id, reference, status, amount, currency, reason, evidence_due_at,
      closed_at, created_at, updated_at)
    select ${storeId}, id, ${id}::uuid, reference, status, amount, ${currency}, reason, evidence_due_at, closed_at,
      ${tx.now}::timestamptz, ${tx.now}::timestamptz
    from ${records('dispute', { ...columns, ...times }, rows)}
    on conflict on constraint disputes_reference do update
    set status = excluded.status, amount = excluded.amount, reason = excluded.reason,
        evidence_due_at = excluded.evidence_due_at, updated_at = excluded.updated_at,
        closed_at = case when excluded.closed_at is null then null
                         else coalesce(disputes.closed_at, excluded.closed_at) end`)
}

/** At most the captured amount that is not refunded otherwise, pending refunds included. */
function computeLostAmount(
  session: PaymentSession,
  disputes: PaymentDispute[],
  sums: { captured: Decimal; refunded: Decimal },
): Decimal {
  const lostAmount = sum(disputes.filter(({ status }) => status === 'lost').map(({ amount }) => amount))
  const remaining = sums.captured.minus(sums.refunded).minus(session.refunding_amount)
  return Decimal.max(0, Decimal.min(lostAmount, remaining))
}

function buildDisputeEvents({ id }: PaymentSession, { dispute, before }: DisputeChange): NewPaymentEvent[] {
  const { reference, amount, reason, status } = dispute
  const key = `${id} ${reference}`
  return [
    ...(before ? [] : [{ kind: 'disputed', amount, reason, key: `${key} disputed` } as const]),
    ...(status === 'won' ? [{ kind: 'dispute_won', amount, reason, key: `${key} won` } as const] : []),
  ]
}

function buildLossEvents({ lost_amount }: PaymentSession, loss: Decimal): NewPaymentEvent[] {
  const more = loss.minus(lost_amount)
  if (more.isZero()) return []
  return [{ kind: more.isPositive() ? 'dispute_lost' : 'dispute_reversed', amount: more.abs() }]
}

/** An open or lost dispute needs review. A won one clears its flag. */
function buildReviewChange(
  { trouble }: PaymentSession,
  disputes: PaymentDispute[],
  changes: DisputeChange[],
): SessionChange {
  const hasNew = changes.some(({ dispute, before }) => isOpen(dispute) && !(before && isOpen(before)))
  if (hasNew) return { needs_review: true, trouble: 'disputed' }
  if (changes.length === 0 || disputes.some(isOpen)) return {}
  const isLost = changes.some(({ dispute, before }) => dispute.status === 'lost' && before?.status !== 'lost')
  if (isLost) return { needs_review: true, trouble: 'dispute_lost' }
  return trouble === 'disputed' || trouble === 'dispute_lost' ? { needs_review: false, trouble: null } : {}
}
