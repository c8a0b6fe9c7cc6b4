// Which mail the customer of an order gets, and of which change.
import type { Tx } from '../kit/database/database.ts'
import { uuidOf } from '../kit/values/ids.ts'
import { languageOf } from '../kit/values/language.ts'
import type { MailKind } from '../mails/kinds.ts'
import { queueMail } from '../mails/queue.ts'
import type { Store } from '../stores/store.ts'
import type { Changes } from './changes.ts'
import type { Order } from './order.ts'
import type { PaymentStatus, Status } from './states.ts'

const ofStatus: Partial<Record<Status, MailKind>> = { cancelled: 'order_cancelled' }
const ofPayment: Partial<Record<PaymentStatus, MailKind>> = { paid: 'order_paid' }

type Mailed = Pick<Order, 'id' | 'customer_email' | 'locale' | 'notify_customer'>

/** Nothing for an order whose customer is not to be written to, or has no address. */
export function mailOrder(tx: Tx, store: Store, kind: MailKind, order: Mailed): void {
  const { id, customer_email: recipient, locale, notify_customer } = order
  if (!notify_customer || !recipient) return
  const language = locale ?? languageOf(store.country_code)
  queueMail(tx, store.id, { kind, recipient, language, about: { order_id: uuidOf('ord', id) } })
}

export function mailChange(tx: Tx, store: Store, order: Order, { status, payment_status }: Changes): void {
  const kinds = [status && ofStatus[status], payment_status && ofPayment[payment_status]]
  for (const kind of kinds) if (kind) mailOrder(tx, store, kind, order)
}
