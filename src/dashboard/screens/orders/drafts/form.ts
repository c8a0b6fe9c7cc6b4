// The form of a draft order, new or existing. Its totals are those of a dry run.
import { html } from 'hono/html'
import type { Route } from '../../../../kit/declare/route.ts'
import type { DraftItem, DraftOrder } from '../../../../commerce/draftorders/draftorder.ts'
import { field, type Form } from '../../../../platform/pages/form.ts'
import { hidden } from '../../../../platform/pages/parts.ts'
import type { MessageKey } from '../../../framework/messages.ts'
import type { RecordForm } from '../../../framework/record.ts'
import type { FormInput, Html, PageContext, ScreenAction } from '../../../framework/screen.ts'
import { addressInputs } from '../actions.ts'
import { buyerInputs, listMethodChoices } from '../neworder.ts'
import { toDraftField, draftItemFields, draftItems } from './items.ts'

// prettier-ignore
const inputs: FormInput[] = [
  ...buyerInputs,
  { name: 'shipping_price', as: 'money', hint: 'shipping_cost_hint', isHalf: true },
  { name: 'discount_code', group: 'order_money', isHalf: true },
  { name: 'discount_type', label: 'draft_discount_type', isHalf: true,
    options: ({ t }) => (['percentage', 'fixed_amount'] as const).map((type) => [type, t(`draft_discount_${type}`)]) },
  { name: 'discount_value', isHalf: true },
  { name: 'payment_method', options: listMethodChoices, isHalf: true },
  { name: 'customer_notes', as: 'area', group: 'notes' },
  { name: 'internal_notes', as: 'area' },
  { name: 'tags', as: 'lines', hint: 'tags_hint' },
]

export function saveAction(route: Route<any, any>, message: MessageKey): ScreenAction {
  return {
    route,
    inputs,
    // Sends no address if there was none: the draft then uses its customer's.
    body: ({ form: input }: PageContext) => ({
      items: draftItems(input),
      ...(isAddressEmpty(input) ? { shipping_address: field(input, 'had_address') === '' ? undefined : null } : {}),
    }),
    fieldOf: toDraftField,
    hasDryRun: true,
    done: message,
    to: ({ id }: DraftOrder) => `/orders/drafts/${id}`,
  }
}

function isAddressEmpty(input: Form): boolean {
  return addressInputs.every(({ name }) => field(input, name) === '')
}

/** The form of a draft, which is empty if it is new. */
export const draftForm: RecordForm<Partial<DraftOrder>> = {
  act: 'save',
  button: 'draft_save',
  buttonText: (context, draft) => {
    const { t, price } = context
    const { total } = shownAmounts(context, draft)
    return total === undefined ? t('draft_save') : t('draft_save_total', { total: price(total) })
  },
  edits: true,
  lead: async (context, { items, shipping_address }) =>
    html`${shipping_address ? hidden('had_address', '1') : ''}${await draftItemFields(context, items as DraftItem[])}`,
  more: (context, draft) => totals(context, shownAmounts(context, draft)),
  enterButton: ['pick', 'items'],
}

/** The draft of the dry run, if there was one. */
function shownAmounts({ dryRunResult, rejection }: PageContext, draft: Partial<DraftOrder>): Partial<DraftOrder> {
  const isTried = rejection === null || rejection.act === 'save'
  return (isTried && (dryRunResult as DraftOrder | undefined)) || draft
}

/** Every amount has an element, so that a script can show the amounts of a dry run. */
function totals({ t, price }: PageContext, draft: Partial<DraftOrder>): Html {
  const { subtotal = 0, discount_amount = 0, shipping_cost = 0, tax_amount = 0, total = 0, included_tax = 0 } = draft
  const line = (text: string, amount: number, name = '') =>
    html`<div class="${name}"><dt>${text}</dt><dd data-total>${price(amount)}</dd></div>`
  return html`<dl class="sums" id="draft-sums">${line(t('subtotal'), subtotal)}
${line(t('discount'), discount_amount === 0 ? 0 : -discount_amount)}${line(t('shipping'), shipping_cost)}
${line(t('tax'), tax_amount)}${line(t('total'), total, 'total')}${line(t('included_tax'), included_tax)}</dl>
<live-total><button class="quiet" name="rehearse" value="1">${t('sums_now')}</button></live-total>`
}
