// A mail to somebody, and what became of it.
import { choice, id, integer, text, time } from '../../kit/declare/scalars.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import { sql } from '../../kit/database/sql.ts'
import { uuidOf } from '../../kit/values/ids.ts'
import { languages } from '../../kit/values/language.ts'
import { mailKinds, statuses } from './kinds.ts'

const all = <V extends string>(values: readonly V[]) => choice([...values, 'all']).default('all')

// prettier-ignore
export const mail = resource('mails', {
  id:              id('mail').readonly(),
  kind:            choice(mailKinds).readonly(),
  status:          choice(statuses).readonly()
    .describe('queued: it is tried until it is taken. sent: the server took it. failed: none took it in three days. '
      + "refused: the recipient's server said no for good. suppressed: it was never sent, for a limit was reached or "
      + 'nobody needs it any more'),
  recipient:       text({ format: 'email' }).nullable().readonly().personal()
    .describe('null once the person was erased'),
  language:        choice(languages).readonly(),
  order_id:        id('ord').nullable().readonly(),
  checkout_id:     id('chk').nullable().readonly(),
  fulfillment_id:  id('ful').nullable().readonly(),
  refund_id:       id('ref').nullable().readonly(),
  payment_id:      id('pmt').nullable().readonly().describe('The payment that the email is about'),
  attempts:        integer().readonly(),
  next_attempt_at: time().nullable().readonly().describe('While it is queued'),
  message_id:      text().nullable().readonly().example('<01912d68-783e-7a03-8467-5661c1243ad4@shop.example>')
    .describe('Its Message-ID, the same in every attempt; null before the first'),
  error:           text({ max: 500 }).nullable().readonly()
    .describe('Why the last attempt failed, or why it is not sent'),
  request_id:      text({ max: 128 }).nullable().readonly()
    .describe('The X-Request-Id of the request that caused it; null where none did'),
  created_at:      time().readonly().sortable(),
  sent_at:         time().nullable().readonly(),
}, {
  status:    filter(all(statuses), (status) => (status === 'all' ? null : sql`mails.status = ${status}`)),
  kind:      filter(all(mailKinds), (kind) => (kind === 'all' ? null : sql`mails.kind = ${kind}`)),
  order_id:  filter(text({ max: 100 }), (id) => sql`mails.order_id = ${uuidOf('ord', id)}::uuid`),
  checkout_id: filter(text({ max: 100 }), (id) => sql`mails.checkout_id = ${uuidOf('chk', id)}::uuid`),
  recipient: filter(text({ max: 254 }), (email) => sql`lower(mails.recipient) = lower(${email})`),
}, { noun: 'Mail' })
