// Emails about a payment: a refund to a shopper, a failed refund, a dispute.
import { toNumber } from '../../kit/values/money.ts'
import type { Db } from '../../kit/database/database.ts'
import { publicId } from '../../kit/values/ids.ts'
import type { Language } from '../../kit/values/language.ts'
import { priceIn } from '../../kit/values/prices.ts'
import { baseUrl, sql } from '../../kit/database/sql.ts'
import { getMailKind, type PaymentMail } from '../../tenancy/emails/kinds.ts'
import type { DisputeState } from '../../commerce/payments/provider.ts'
import type { Block, LetterContent } from './letter.ts'
import { nameIn, oneLine } from './safe.ts'
import { buildLetterSender, textOfStore, type LetterStore } from './store.ts'
import { letterTranslator } from './messages.ts'

export type LetterPayment = {
  /** The amount of the payment, the refund or the dispute. */
  amount: number
  currency: string
  order_id: string | null
  order_number: number | null
  customer_id: string | null
  customer_name: string | null
  reason: string | null
  dispute: { status: DisputeState['status']; evidence_due_at: Date | null } | null
  site_url: string
}

type PaymentLetterRow = Omit<LetterPayment, 'amount' | 'dispute'> & {
  came: string
  failed: { amount: number; reason: string | null } | null
  dispute: {
    amount: number
    reason: string | null
    status: DisputeState['status']
    evidence_due_at: string | null
  } | null
}

/** Reads the payment when the email is sent. */
export async function findLetterPayment(
  db: Db,
  { storeId, id, kind }: { storeId: string; id: string; kind: PaymentMail },
): Promise<LetterPayment | null> {
  const row = await db.one<PaymentLetterRow>(sql`
    select greatest(payment_sessions.captured_amount, payment_sessions.authorized_amount) as came,
      payment_sessions.currency, payment_sessions.order_id, orders.order_number, orders.customer_id,
      coalesce(orders.customer_name, checkouts.customer_name) as customer_name, null as reason,
      ${baseUrl}::text as site_url, (
        select json_build_object('amount', amount, 'reason', reason)
        from payment_events
        where payment_events.store_id = ${storeId}
          and session_id = payment_sessions.id
          and kind in ('refund_failed', 'refund_reversed')
        order by id desc
        limit 1) as failed, (
        select json_build_object('amount', amount, 'reason', reason, 'status', status,
          'evidence_due_at', evidence_due_at)
        from disputes
        where disputes.store_id = ${storeId}
          and session_id = payment_sessions.id
        order by updated_at desc, id desc
        limit 1) as dispute
    from payment_sessions
    left join orders on orders.store_id = payment_sessions.store_id
      and orders.id = payment_sessions.order_id
    left join checkouts on checkouts.store_id = payment_sessions.store_id
      and checkouts.id = payment_sessions.checkout_id
    where payment_sessions.store_id = ${storeId}
      and payment_sessions.id = ${id}`)
  if (!row) return null
  const { came, failed, dispute, ...payment } = row
  const isDispute = kind === 'dispute_opened' || kind === 'dispute_closed'
  const about = kind === 'refund_failed' ? failed : isDispute ? dispute : null
  const due = dispute?.evidence_due_at
  return {
    ...payment,
    amount: toNumber(about?.amount ?? came),
    reason: about?.reason ?? null,
    dispute: isDispute && dispute ? { status: dispute.status, evidence_due_at: due ? new Date(due) : null } : null,
  }
}

export function paymentLetter(
  kind: PaymentMail,
  payment: LetterPayment,
  { store, language }: { store: LetterStore; language: Language },
): LetterContent {
  const { country_code } = store
  const total = priceIn(language, { currency: payment.currency, country_code })(payment.amount)
  const words = (field: 'subject' | 'introduction') => textOfStore(kind, { store, language }, field, { total })
  const introduction: Block = { kind: 'text', text: words('introduction') }
  return {
    language,
    subject: oneLine(words('subject')),
    sender: buildLetterSender(store),
    blocks:
      getMailKind(kind).to === 'customer'
        ? [greeting(payment, language), introduction, { kind: 'soft', text: letterTranslator(language)('takes_days') }]
        : [introduction, ...details(payment, { store, language }), ...toOrder(payment, { store, language })],
  }
}

function greeting({ customer_name }: LetterPayment, language: Language): Block {
  const name = nameIn(customer_name)
  return { kind: 'text', text: name ? letterTranslator(language)('hello', { name }) : letterTranslator(language)('hi') }
}

type PaymentLetterContext = { store: LetterStore; language: Language }

function details(
  { order_number, customer_name, reason, dispute }: LetterPayment,
  { store, language }: PaymentLetterContext,
): Block[] {
  const t = letterTranslator(language)
  const due = dispute?.evidence_due_at
  const isOpen = dispute?.status === 'needs_response' || dispute?.status === 'under_review'
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: store.timezone })
  const when = due ? format.format(due) : null
  const outcome = dispute?.status === 'won' || dispute?.status === 'lost' ? t(`dispute_${dispute.status}`) : null
  const candidates = [
    { name: t('order_number'), value: order_number === null ? null : String(order_number) },
    { name: t('customer'), value: customer_name && oneLine(customer_name) },
    // Reasons are the provider's own codes.
    { name: t('reason'), value: reason && oneLine(reason.replaceAll('_', ' ')) },
    { name: t('dispute_due'), value: isOpen ? when : null },
    { name: t('dispute_outcome'), value: outcome },
  ]
  const facts = candidates.flatMap(({ name, value }) => (value ? [{ name, value }] : []))
  return facts.length > 0 ? [{ kind: 'facts', facts }] : []
}

/** Links the order in the dashboard, where staff can act. */
function toOrder({ order_id, site_url }: LetterPayment, { store, language }: PaymentLetterContext): Block[] {
  if (order_id === null) return []
  const url = `${site_url}/dashboard/${store.id}/orders/${publicId('ord', order_id)}`
  return [{ kind: 'button', text: letterTranslator(language)('see_the_order'), url }]
}

/** For previews. */
export function samplePayment({ currency }: { currency: string }): LetterPayment {
  return {
    amount: 1035,
    currency,
    order_id: null,
    order_number: 1001,
    customer_id: null,
    customer_name: 'Ana Torres',
    reason: 'product_not_received',
    dispute: { status: 'needs_response', evidence_due_at: new Date('2026-12-01T12:00:00Z') },
    site_url: '',
  }
}
