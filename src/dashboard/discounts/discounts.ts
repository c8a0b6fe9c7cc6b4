// The list of discounts.
import { html } from 'hono/html'
import { discount, type Discount } from '../../discounts/discount.ts'
import { endpoint } from '../api.ts'
import { list } from '../list.ts'
import { mark } from '../parts.ts'
import type { Action, Visit } from '../page.ts'

const switching: Action = {
  route: endpoint('PATCH /discounts/{id}'),
  inputs: [{ name: 'is_active', label: 'mark_as', options: onOrOff }],
  isForEach: true,
  done: 'changed_count',
}

// prettier-ignore
export const discounts = list({
  path: '/discounts', section: 'discounts', scope: 'read:discounts', title: 'discounts', resource: discount,
  columns: [
    { title: 'code', sort: 'code', cell: ({ code }) => html`<strong>${code}</strong>`, plain: ({ code }) => code },
    { title: 'gives', cell: givenBy, plain: ({ type, value }) => `${type} ${value}` },
    { title: 'status', plain: ({ is_usable }) => String(is_usable), cell: stateOf },
    { title: 'uses', isWide: true, isNumber: true, plain: ({ current_uses }) => current_uses,
      cell: ({ current_uses, max_uses }) => (max_uses > 0 ? `${current_uses} / ${max_uses}` : String(current_uses)) },
    { title: 'ends', isWide: true, plain: ({ expires_at }) => expires_at?.toISOString() ?? null,
      cell: ({ expires_at }, { when }) => (expires_at ? when(expires_at) : '–') },
  ],
  filters: [{ name: 'status', words: 'discount_status' }],
  empty: { title: 'discounts_none', text: 'discounts_none_text' },
  bulk: { act: 'switch', action: switching, nameOf: ({ code }) => code },
})

function onOrOff({ say }: Visit) {
  return [
    ['true', say('discount_on')],
    ['false', say('discount_off')],
  ] as const
}

function givenBy({ type, value }: Discount, { say, price }: Visit): string {
  if (type === 'free_shipping') return say('free_shipping')
  return type === 'percentage' ? `${value} %` : price(value)
}

function stateOf({ is_usable, is_active, is_expired, starts_at }: Discount, { say, db }: Visit) {
  if (is_usable) return mark(say('discount_usable'), 'good')
  if (is_expired) return mark(say('discount_expired'), 'plain')
  if (!is_active) return mark(say('discount_off'), 'plain')
  return mark(say(starts_at && starts_at > db.clock.now() ? 'discount_planned' : 'discount_used_up'), 'warn')
}
