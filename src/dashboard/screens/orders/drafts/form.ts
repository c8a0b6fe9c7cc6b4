// The form of a draft order, new or existing. Its totals are those of a dry run.
import { html } from 'hono/html'
import type { Route } from '../../../../kit/declare/route.ts'
import type { DraftItem, DraftOrder } from '../../../../commerce/draftorders/draftorder.ts'
import { field, type Form } from '../../../../platform/pages/form.ts'
import { hidden } from '../../../../platform/pages/parts.ts'
import { fields, form, type FormProps } from '../../../framework/form.ts'
import type { MessageKey } from '../../../framework/messages.ts'
import { foldedPanel, panel } from '../../../framework/parts.ts'
import type { FormInput, Html, PageContext, ScreenAction } from '../../../framework/screen.ts'
import { addressInputs, billingInputs, isEmptyIn } from '../actions.ts'
import { suggestOrderTags } from '../../tagsuggestions.ts'
import { contactInputs, customerInput, deliveryInputs, listMethodChoices } from '../neworder.ts'
import { customerCard, fillBuyer } from './buyer.ts'
import { toDraftField, draftItemFields, draftItems } from './items.ts'

// prettier-ignore
const inputs = {
  buyer: [customerInput, ...contactInputs],
  delivery: [...deliveryInputs, { name: 'shipping_price', as: 'money', hint: 'shipping_cost_hint', isHalf: true }],
  billing: billingInputs.map((input, at) => (at === 0 ? { ...input, hint: 'billing_hint' } : input)),
  money: [
    { name: 'discount_codes', as: 'lines', rows: 2, hint: 'discount_codes_hint', isHalf: true },
    { name: 'payment_method', options: listMethodChoices, isHalf: true },
    { name: 'discount_type', label: 'draft_discount_type', isHalf: true,
      options: ({ t }) =>
        (['percentage', 'fixed_amount'] as const).map((type) => [type, t(`draft_discount_${type}`)]) },
    { name: 'discount_value', isHalf: true },
  ],
  notes: [
    { name: 'customer_notes', as: 'area', rows: 3 },
    { name: 'internal_notes', as: 'area', rows: 3 },
    { name: 'tags', as: 'lines', hint: 'tags_hint', suggests: suggestOrderTags },
  ],
} satisfies Record<string, readonly FormInput[]>

export function saveAction(route: Route<any, any>, message: MessageKey): ScreenAction {
  return {
    route,
    inputs: Object.values(inputs).flat(),
    // Sends no address if there was none: the draft then uses those of its customer.
    body: ({ form: input, language }: PageContext) => ({
      items: draftItems({ form: input, language }),
      ...(isEmptyIn(input, addressInputs) ? { shipping_address: emptied(input, 'had_address') } : {}),
      ...(isEmptyIn(input, billingInputs) ? { billing_address: emptied(input, 'had_billing') } : {}),
    }),
    fieldOf: toDraftField,
    hasDryRun: true,
    done: message,
    to: ({ id }: DraftOrder) => `/orders/drafts/${id}`,
  }
}

function emptied(input: Form, mark: string): null | undefined {
  return field(input, mark) === '' ? undefined : null
}

/** The form of a draft, which is empty if it is new: the items at the left, the customer and the sums at the right. */
export async function draftEditor(
  visit: PageContext,
  action: ScreenAction,
  draft: Partial<DraftOrder>,
  version: string,
): Promise<Html> {
  const context = await fillBuyer(visit)
  const { t } = context
  const props: FormProps = { act: 'save', action, button: 'draft_save', values: draft, version }
  const [items, customer, delivery, billing, money, notes] = await Promise.all([
    draftItemFields(context, draft.items as DraftItem[]),
    customerCard(context, props, draft),
    fields(context, props, inputs.delivery),
    fields(context, props, inputs.billing),
    fields(context, props, inputs.money),
    fields(context, props, inputs.notes),
  ])
  const amounts = shownAmounts(context, draft)
  const had = (own: readonly FormInput[], mark: string, address: unknown) =>
    hasAddress(context, own, mark, address) ? '1' : ''
  const hadBilling = had(billingInputs, 'had_billing', draft.billing_address)
  const content = html`<div class="columns"><div>${panel(t('items'), items)}
<div id="draft-delivery">${hidden('had_address', had(addressInputs, 'had_address', draft.shipping_address))}
${hidden('had_billing', hadBilling)}
${panel(t('delivery'), delivery)}${foldedPanel(t('billing_address'), billing, { isOpen: hadBilling !== '' })}</div>
${panel(t('order_money'), money)}${foldedPanel(t('notes'), notes, { isOpen: hasNotes(context, draft) })}</div>
<div>${panel(t('customer_name'), customer)}${panel(t('sums'), totals(context, amounts))}</div></div>`
  return html`<div id="draft">${await form(context, { ...props, content, enterButton: ['pick', 'items'] })}</div>`
}

function hasAddress(
  { form: input, rejection }: PageContext,
  own: readonly FormInput[],
  mark: string,
  address: unknown,
): boolean {
  return rejection ? field(input, mark) !== '' || !isEmptyIn(input, own) : Boolean(address)
}

function hasNotes({ form: input }: PageContext, draft: Partial<DraftOrder>): boolean {
  const { customer_notes, internal_notes, tags = [] } = draft
  const isSaved = Boolean(customer_notes || internal_notes || tags.length > 0)
  return isSaved || inputs.notes.some(({ name }) => field(input, name) !== '')
}

/** The draft of the dry run, if there was one. */
function shownAmounts({ dryRunResult, rejection }: PageContext, draft: Partial<DraftOrder>): Partial<DraftOrder> {
  const isTried = rejection === null || rejection.act === 'save'
  return (isTried && (dryRunResult as DraftOrder | undefined)) || draft
}

/** Every amount has an element, so that a script can show the amounts of a dry run. */
function totals(context: PageContext, draft: Partial<DraftOrder>): Html {
  const { t, price } = context
  const { subtotal = 0, discount_amount = 0, shipping_cost = 0, tax_amount = 0, total = 0, included_tax = 0 } = draft
  const line = (text: string, amount: number, name = '') =>
    html`<div class="${name}"><dt>${text}</dt><dd data-total>${price(amount)}</dd></div>`
  return html`<dl class="sums" id="draft-sums">${line(t('subtotal'), subtotal)}
${line(t('discount'), discount_amount === 0 ? 0 : -discount_amount)}${line(t('shipping'), shipping_cost)}
${line(t('tax'), tax_amount)}${line(t('total'), total, 'total')}${line(t('included_tax'), included_tax)}</dl>
<p class="hint" data-total>${describeDiscounts(context, draft)}</p>
<live-total><button class="quiet" name="rehearse" value="1">${t('sums_now')}</button></live-total>
<p class="send"><button>${total > 0 ? t('draft_save_total', { total: price(total) }) : t('draft_save')}</button></p>`
}

/** What each discount takes off, or why a code does not apply: a line each. */
function describeDiscounts({ t, price }: PageContext, { discounts = [] }: Partial<DraftOrder>): string {
  const lines = discounts.map(({ code, label, amount, free_shipping, reason }) => {
    const effect = free_shipping ? t('try_free_shipping') : t('try_gives', { amount: price(amount) })
    return `${reason ? code : label}: ${reason ? t(`try_${reason}`) : effect}`
  })
  return lines.join('\n')
}
