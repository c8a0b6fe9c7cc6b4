// A payment disputed by the shopper's bank, as reported by the provider.
import { choice, id, money, text, time } from '../../kit/declare/scalars.ts'
import { resource } from '../../kit/declare/resource.ts'
import { currency } from '../../tenancy/stores/store.ts'
import { disputeStatuses } from './provider.ts'

// prettier-ignore
export const dispute = resource('disputes', {
  id:              id('dsp').readonly(),
  reference:       text().readonly().describe("Provider's ID of the dispute"),
  status:          choice(disputeStatuses).readonly(),
  amount:          money().readonly().describe('Disputed amount'),
  currency:        currency().readonly(),
  reason:          text({ max: 255 }).nullable().readonly().example('product_not_received'),
  evidence_due_at: time().nullable().readonly().describe('Deadline for sending evidence to the provider'),
  closed_at:       time().nullable().readonly().describe('Time the dispute was closed; null while it is open'),
  created_at:      time().readonly(),
  updated_at:      time().readonly(),
}, {}, { noun: 'Dispute', parent: { column: 'session_id', order: 'disputes.id' } })

export type Dispute = NonNullable<typeof dispute.type>
