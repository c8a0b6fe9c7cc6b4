// Emails about a return: to the customer at each step that concerns them, and to the merchant about a new request.
import type { Tx } from '../../kit/database/database.ts'
import { toUuid } from '../../kit/values/ids.ts'
import type { MailKind } from '../../tenancy/emails/kinds.ts'
import { queueNotice } from '../../tenancy/emails/queue.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { mailOrder, type MailableOrder } from '../orders/mail.ts'
import type { ReturnEvent } from './payload.ts'
import type { Return } from './return.ts'

const mailOfEvent: Partial<Record<ReturnEvent, MailKind>> = {
  'return.approved': 'return_approved',
  'return.declined': 'return_declined',
}

/** The refund has an email of its own. */
export function mailReturn(tx: Tx, store: Store, order: MailableOrder, record: Return, event: ReturnEvent): void {
  const about = { order_id: toUuid('ord', record.order_id), return_id: toUuid('ret', record.id) }
  const isNew = event === 'return.created'
  const ofNew = record.status === 'approved' ? 'return_approved' : 'return_requested'
  const kind = isNew ? ofNew : mailOfEvent[event]
  if (kind) mailOrder(tx, store, kind, order, about)
  if (isNew && record.requested_by === 'customer') queueNotice(tx, store, 'return_notice', about)
}
