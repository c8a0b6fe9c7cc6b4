// A comment on an order, written by staff for each other. Customers never see it.
import { set } from '../../../kit/declare/composites.ts'
import { resource } from '../../../kit/declare/resource.ts'
import { choice, id, text, time } from '../../../kit/declare/scalars.ts'

export const maxMentions = 50

const authorKinds = ['user', 'key', 'client', 'command', 'job', 'system'] as const

// prettier-ignore
export const orderComment = resource('order_comments', {
  id:          id('cmt').readonly(),
  order_id:    id('ord').readonly(),
  body:        text({ min: 1, max: 5000 }).required().personal().example('@Ana, can you check the address?')
    .describe('Plain text. @ and the name or email of a member of the store mentions them'),
  author_kind: choice(authorKinds).readonly().example('user')
    .describe('Whether a person, an API key or an app wrote it'),
  author_id:   text({ max: 128 }).readonly().example('usr_01j4ppgy1yf81r8stpc70j8epm').describe('ID of the author'),
  mentions:    set(id('usr'), { max: maxMentions }).readonly()
    .describe('IDs of the mentioned members, who can read orders'),
  created_at:  time().readonly().sortable(),
  edited_at:   time().nullable().readonly().describe('Time of the last change of the text; null if there was none'),
  updated_at:  time().readonly(),
}, {}, { noun: 'Comment', title: 'Order comment' })

export type OrderComment = NonNullable<typeof orderComment.type>
