// The form of a draft order, new or existing. Its totals are those of a dry run.
import { html } from 'hono/html'
import type { Route } from '../../../../kit/declare/route.ts'
import type { DraftOrder } from '../../../../commerce/draftorders/draftorder.ts'
import { field, type Form } from '../../../../platform/pages/form.ts'
import { hidden } from '../../../../platform/pages/parts.ts'
import { form } from '../../../framework/form.ts'
import type { MessageKey } from '../../../framework/messages.ts'
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

export function saveAction(route: Route<any, any>, done: MessageKey): ScreenAction {
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
    done,
    to: ({ id }: DraftOrder) => `/orders/drafts/${id}`,
  }
}

function isAddressEmpty(input: Form): boolean {
  return addressInputs.every(({ name }) => field(input, name) === '')
}

type DraftFormProps = { action: ScreenAction; record?: DraftOrder; version?: string }

export async function draftForm(context: PageContext, { action, record, version }: DraftFormProps): Promise<Html> {
  const { t, price, dryRunResult, rejection } = context
  const tried = rejection === null || rejection.act === 'save' ? (dryRunResult as DraftOrder | undefined) : undefined
  const shown = tried ?? record
  return form(context, {
    act: 'save',
    action,
    button: 'draft_save',
    buttonText: shown ? t('draft_save_total', { total: price(shown.total) }) : t('draft_save'),
    values: record ?? {},
    ...(version ? { version } : {}),
    lead: html`${record?.shipping_address ? hidden('had_address', '1') : ''}${await draftItemFields(
      context,
      record?.items as Parameters<typeof draftItemFields>[1],
    )}`,
    more: totals(context, shown),
    enterButton: ['pick', 'items'],
  })
}

/** Every amount has an element, so that a script can show the amounts of a dry run. */
function totals({ t, price }: PageContext, draft: Partial<DraftOrder> = {}): Html {
  const { subtotal = 0, discount_amount = 0, shipping_cost = 0, tax_amount = 0, total = 0, included_tax = 0 } = draft
  const line = (text: string, amount: number, name = '') =>
    html`<div class="${name}"><dt>${text}</dt><dd data-total>${price(amount)}</dd></div>`
  return html`<dl class="sums" id="draft-sums">${line(t('subtotal'), subtotal)}
${line(t('discount'), discount_amount === 0 ? 0 : -discount_amount)}${line(t('shipping'), shipping_cost)}
${line(t('tax'), tax_amount)}${line(t('total'), total, 'total')}${line(t('included_tax'), included_tax)}</dl>
<live-total><button class="quiet" name="rehearse" value="1">${t('sums_now')}</button></live-total>`
}
