// An email and its delivery status.
import { choice, id, integer, text, time } from '../../kit/declare/scalars.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { languages } from '../../kit/values/language.ts'
import { statuses, storeKinds } from './kinds.ts'

const all = <V extends string>(values: readonly V[]) => choice([...values, 'all']).default('all')

// prettier-ignore
export const mail = resource('mails', {
  id:              id('mail').readonly(),
  kind:            choice(storeKinds).readonly().describe('Kind of email; extension: one that an extension composes'),
  status:          choice(statuses).readonly()
    .describe('Status. queued: waiting to be sent. sent: accepted by the server. failed: not accepted in three days. '
      + "refused: permanently rejected by the recipient's server. suppressed: never sent, because a limit was reached "
      + 'or it was no longer needed'),
  recipient:       text({ format: 'email' }).nullable().readonly().personal()
    .describe('Email address of the recipient; null after their data is erased'),
  language:        choice(languages).readonly().describe('Language of the email'),
  order_id:        id('ord').nullable().readonly(),
  checkout_id:     id('chk').nullable().readonly(),
  fulfillment_id:  id('ful').nullable().readonly().describe('ID of the fulfillment'),
  refund_id:       id('ref').nullable().readonly().describe('ID of the refund'),
  return_id:       id('ret').nullable().readonly().describe('ID of the return'),
  payment_id:      id('pmt').nullable().readonly().describe('ID of the payment that the email is about'),
  draft_order_id:  id('dord').nullable().readonly().describe('ID of the draft order that the email is about'),
  attempts:        integer().readonly().describe('Number of attempts so far'),
  next_attempt_at: time().nullable().readonly().describe('Time of the next attempt; null unless queued'),
  message_id:      text().nullable().readonly().example('<01912d68-783e-7a03-8467-5661c1243ad4@shop.example>')
    .describe('Message-ID, the same for every attempt; null before the first one'),
  error:           text({ max: 500 }).nullable().readonly()
    .describe('Why the last attempt failed, or why the email is not sent'),
  request_id:      text({ max: 128 }).nullable().readonly()
    .describe('X-Request-Id of the request that caused the email; null if none did'),
  created_at:      time().readonly().sortable(),
  sent_at:         time().nullable().readonly().describe('Time it was sent; null if it was not'),
}, {
  status:    filter(all(statuses), (status) => (status === 'all' ? null : hasStatus(status))),
  kind:      filter(all(storeKinds), (kind) => (kind === 'all' ? null : sql`mails.kind = ${kind}`)),
  order_id:  filter(text({ max: 100 }), (id) => sql`mails.order_id = ${toUuid('ord', id)}::uuid`),
  checkout_id: filter(text({ max: 100 }), (id) => sql`mails.checkout_id = ${toUuid('chk', id)}::uuid`),
  recipient: filter(text({ max: 254 }), (email) => sql`lower(mails.recipient) = lower(${email})`),
}, { noun: 'Email', title: 'Mail' })

/** A constant lets a statement use the partial index of failed emails. */
function hasStatus(status: string): Sql {
  return status === 'failed' ? raw(`mails.status = 'failed'`) : sql`mails.status = ${status}`
}
