// A note on a customer, written by staff for each other. Customers never see it.
import { resource } from '../../../kit/declare/resource.ts'
import { choice, id, text, time } from '../../../kit/declare/scalars.ts'

// prettier-ignore
export const customerNote = resource('customer_notes', {
  id:          id('note').readonly(),
  customer_id: id('cus').readonly(),
  body:        text({ min: 1, max: 5000 }).required().personal().example('Called about a larger size')
    .describe('Plain text'),
  author_kind: choice(['user', 'key', 'client', 'command', 'job', 'system']).readonly().example('user')
    .describe('Whether a person, an API key or an app wrote it'),
  author_id:   text({ max: 128 }).readonly().example('usr_01j4ppgy1yf81r8stpc70j8epm').describe('ID of the author'),
  created_at:  time().readonly().sortable(),
}, {}, { noun: 'Note', title: 'Customer note' })

export type CustomerNote = NonNullable<typeof customerNote.type>
