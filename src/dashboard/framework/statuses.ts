// The color and shape of each status of each noun. The shape repeats the color, and the text says both. Gray and full
// is done, yellow and empty needs attention, half is in progress, red has failed, a green dot is active. All else is
// neutral.
import { html } from 'hono/html'
import type { Html } from './screen.ts'
import type { MessageKey, Translate } from './messages.ts'

export type Tone = 'done' | 'warn' | 'half' | 'part' | 'bad' | 'good' | 'plain'

/** Each noun with the prefix of its messages. */
// prettier-ignore
const table = {
  order:       ['status', { pending: 'plain', confirmed: 'plain', in_progress: 'half', completed: 'done',
                            cancelled: 'plain', returned: 'plain' }],
  payment:     ['payment_status', { pending: 'warn', partly_paid: 'half', paid: 'done', partly_refunded: 'part',
                                    refunded: 'done', failed: 'bad' }],
  fulfillment: ['fulfillment_status', { unfulfilled: 'warn', partial: 'half', fulfilled: 'done' }],
  product:     ['product_status', { active: 'good', draft: 'plain', scheduled: 'half', archived: 'plain' }],
  stock:       ['stock_status', { in_stock: 'good', low_stock: 'warn', out_of_stock: 'bad' }],
  checkout:    ['draft_status', { active: 'plain', abandoned: 'warn', recovered: 'done', expired: 'plain' }],
  draft_order: ['draft_order', { open: 'plain', sent: 'half', expired: 'warn', completed: 'done' }],
  discount:    ['discount', { usable: 'good', not_started: 'plain', inactive: 'plain', expired: 'plain',
                              used_up: 'plain' }],
  mail:        ['mail_status', { queued: 'plain', sent: 'done', failed: 'bad', refused: 'bad', suppressed: 'plain' }],
  webhook:     ['webhook', { active: 'good', failing: 'bad', paused: 'bad', disabled: 'plain' }],
  delivery:    ['delivery', { pending: 'plain', held: 'warn', delivered: 'done', failed: 'bad', skipped: 'plain' }],
  proposal:    ['proposal', { open: 'warn', approved: 'done', refused: 'plain', expired: 'plain' }],
  attempt:     ['payment_is', { pending: 'plain', requires_action: 'plain', processing: 'plain', authorized: 'warn',
                                captured: 'done', failed: 'bad', cancelled: 'plain', expired: 'plain' }],
  return:      ['return_status', { requested: 'warn', approved: 'half', received: 'warn', closed: 'done',
                                   declined: 'plain', cancelled: 'plain' }],
  shipment:    ['parcel', { shipped: 'done', delivered: 'done', cancelled: 'plain' }],
  recovery:    ['recovery_mail', { none: 'plain', queued: 'plain', sent: 'done', withheld: 'plain', failed: 'bad' }],
  key:         ['key', { active: 'good', inactive: 'plain', expired: 'plain' }],
  dispute:     ['dispute', { needs_response: 'bad', under_review: 'warn', won: 'done', lost: 'bad' }],
} as const satisfies Record<string, readonly [words: string, tones: Record<string, Tone>]>

export type StatusNoun = keyof typeof table
export type StatusOf<N extends StatusNoun> = keyof (typeof table)[N][1]

export function getStatusTones<N extends StatusNoun>(noun: N): (typeof table)[N][1] {
  return table[noun][1]
}

/** A status as a labeled mark. */
export function mark(text: Html | string, tone: Tone): Html {
  return html`<span class="mark ${tone}">${text}</span>`
}

export function statusMark<N extends StatusNoun>(t: Translate, noun: N, status: StatusOf<N> & string): Html {
  const [words, tones] = table[noun] as readonly [string, Record<string, Tone>]
  return mark(t(`${words}_${status}` as MessageKey), tones[status]!)
}

/** All nouns, for the style page. */
export const nouns = Object.keys(table) as StatusNoun[]

export function listStatuses<N extends StatusNoun>(noun: N): (StatusOf<N> & string)[] {
  return Object.keys(table[noun][1]) as (StatusOf<N> & string)[]
}
