// The list of discounts.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { discount, type Discount } from '../../../commerce/discounts/discount.ts'
import { endpoint } from '../../framework/api.ts'
import { list } from '../../framework/list.ts'
import { mark, percentText } from '../../framework/parts.ts'
import type { ScreenAction, Html, PageContext } from '../../framework/screen.ts'

const setActive: ScreenAction = {
  route: endpoint('PATCH /discounts/{id}'),
  inputs: [{ name: 'is_active', label: 'mark_as', options: activeChoices }],
  perRecord: true,
  done: 'changed_count',
}

// prettier-ignore
export const discounts = list({
  path: '/discounts', section: 'discounts', scope: 'read:discounts', title: 'discounts', resource: discount,
  exports: endpoint('GET /discounts'),
  columns: [
    { title: 'code', sort: 'code',
      cell: ({ id, code, title, is_automatic }, { base, t }) => {
        const hint = [title, is_automatic && t('discount_automatic')].filter(Boolean).join(' · ')
        return html`<a class="main" href="${base}/discounts/${id}">${code}</a>
${hint && html`<small class="hint">${hint}</small>`}`
      } },
    { title: 'discount_value', cell: formatDiscountEffect },
    { title: 'status', cell: usabilityMark },
    { title: 'uses', isWide: true, isNumber: true, cell: formatDiscountUses },
    { title: 'ends', isWide: true,
      cell: ({ expires_at }, { formatTime }) => (expires_at ? formatTime(expires_at) : '–') },
  ],
  filters: [{ name: 'status', words: 'discount_status' }],
  empty: { title: 'discounts_none', text: 'discounts_none_text' },
  bulk: { act: 'switch', action: setActive, nameOf: ({ code }) => code },
  buttons: ({ t, base, role }) =>
    mayUse(role, 'write:discounts')
      ? html`<a class="button" href="${base}/discounts/new">${t('discount_new')}</a>` : '',
})

function activeChoices({ t }: PageContext) {
  return [
    ['true', t('discount_on')],
    ['false', t('discount_off')],
  ] as const
}

export function formatDiscountEffect(
  { type, value, ...discount }: Pick<Discount, 'type' | 'value' | 'buy_quantity' | 'get_quantity'>,
  { t, price, language }: PageContext,
): string {
  if (type === 'free_shipping') return t('free_shipping')
  if (type === 'buy_x_get_y') {
    const { buy_quantity: buy, get_quantity: get } = discount
    return t('buy_get_effect', { buy, get, percent: percentText(language, value) })
  }
  return type === 'percentage' ? percentText(language, value) : price(value)
}

export function formatDiscountUses({ current_uses, max_uses }: Discount): string {
  return max_uses > 0 ? `${current_uses} / ${max_uses}` : String(current_uses)
}

const tones = { expired: 'plain', inactive: 'plain', not_started: 'warn', used_up: 'warn' } as const

export function usabilityMark({ unusable_reason: reason }: Discount, { t }: PageContext): Html {
  return reason ? mark(t(`discount_${reason}`), tones[reason]) : mark(t('discount_usable'), 'good')
}
