// The list of discounts.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { discount, type Discount } from '../../../commerce/discounts/discount.ts'
import { endpoint } from '../../framework/api.ts'
import { list } from '../../framework/list.ts'
import { mark } from '../../framework/parts.ts'
import type { Action, Html, Visit } from '../../framework/page.ts'

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
    { title: 'code', sort: 'code', plain: ({ code }) => code,
      cell: ({ id, code }, { base }) => html`<a class="main" href="${base}/discounts/${id}">${code}</a>` },
    { title: 'gives', cell: gives, plain: ({ type, value }) => `${type} ${value}` },
    { title: 'status', plain: ({ unusable_reason }) => unusable_reason ?? 'usable', cell: usabilityMark },
    { title: 'uses', isWide: true, isNumber: true, plain: ({ current_uses }) => current_uses, cell: usesOf },
    { title: 'ends', isWide: true, plain: ({ expires_at }) => expires_at?.toISOString() ?? null,
      cell: ({ expires_at }, { when }) => (expires_at ? when(expires_at) : '–') },
  ],
  filters: [{ name: 'status', words: 'discount_status' }],
  empty: { title: 'discounts_none', text: 'discounts_none_text' },
  bulk: { act: 'switch', action: switching, nameOf: ({ code }) => code },
  buttons: ({ say, base, role }) =>
    mayUse(role, 'write:discounts')
      ? html`<a class="button" href="${base}/discounts/new">${say('discount_new')}</a>` : '',
})

function onOrOff({ say }: Visit) {
  return [
    ['true', say('discount_on')],
    ['false', say('discount_off')],
  ] as const
}

export function gives({ type, value }: Pick<Discount, 'type' | 'value'>, { say, price }: Visit): string {
  if (type === 'free_shipping') return say('free_shipping')
  return type === 'percentage' ? `${value} %` : price(value)
}

export function usesOf({ current_uses, max_uses }: Discount): string {
  return max_uses > 0 ? `${current_uses} / ${max_uses}` : String(current_uses)
}

const tones = { expired: 'plain', inactive: 'plain', not_started: 'warn', used_up: 'warn' } as const

export function usabilityMark({ unusable_reason: reason }: Discount, { say }: Visit): Html {
  return reason ? mark(say(`discount_${reason}`), tones[reason]) : mark(say('discount_usable'), 'good')
}
