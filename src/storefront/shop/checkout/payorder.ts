// The page that pays the amount due of an order, for anyone with its link. The provider sends shoppers back to it.
import { html } from 'hono/html'
import { ApiError, invalid, notFound } from '../../../kit/values/errors.ts'
import { fault, type Fault } from '../../../kit/values/faults.ts'
import { Decimal, toNumber } from '../../../kit/values/money.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { listProviderOrigins } from '../../../money/payments/providercalls.ts'
import type { CheckoutMethod } from '../../../money/payments/method.ts'
import { attributes, renderFieldFault, notice } from '../../../platform/pages/parts.ts'
import { checkoutFaults } from '../../checkout/errors.ts'
import { formatMethodName } from '../../checkout/offers/names.ts'
import { buildBalanceRows, findBalance } from '../../checkout/orderpayments/due.ts'
import { checkOrderPayment, payOrder } from '../../checkout/orderpayments/operations.ts'
import { fieldErrors } from '../frame/fielderrors.ts'
import { field, type Html, type ShopContext, type ShopResult } from '../frame/page.ts'
import { frame, note } from '../frame/view.ts'
import { buildSiteUrl } from './checkout.ts'
import { orderOfLink, orderPath } from './orderlink.ts'

export async function showOrderPayment(context: ShopContext): Promise<ShopResult> {
  const { db, store, tools, query } = context
  const id = orderIn(context)
  const open = await checkOrderPayment(db, store, id, tools)
  const balance = await findBalance(db, store.id, id)
  if (balance.due.isZero()) return { to: orderPath(context, publicId('ord', id)) }
  if (open?.status === 'processing') return renderWaitingPage(context)
  return renderPayOrderPage(context, balance, { byHand: methodNamed(context, query.method) })
}

export async function submitOrderPayment(context: ShopContext): Promise<ShopResult> {
  const { db, store, tools, form, offer } = context
  const id = orderIn(context)
  const path = `${orderPath(context, publicId('ord', id))}/pay`
  const only = offer.payment_methods.length === 1 ? offer.payment_methods[0] : undefined
  const method = only ?? methodNamed(context, field(form, 'payment_method'))
  const pay = field(form, 'pay') === 'fail' ? 'fail' : 'ok'
  try {
    if (!method) throw invalid(fault('payment_method', checkoutFaults.not_offered))
    const amount = readShownAmount(field(form, 'total'))
    const paid = await payOrder(db, store, id, { method, amount, pay, returnUrl: buildSiteUrl(context) + path }, tools)
    switch (paid.step) {
      case 'redirect':
        return { location: paid.url }
      case 'manual':
        return { to: `${path}?method=${method.code}` }
      case 'paid':
        return { to: orderPath(context, publicId('ord', id)) }
      case 'waiting':
        return { to: path }
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const away = error.status === 503 ? [fault('payment_method', checkoutFaults.provider_away)] : []
    const faults = [...error.faults, ...away]
    if (faults.length === 0) throw error
    const balance = await findBalance(db, store.id, id)
    return { ...renderPayOrderPage(context, balance, { faults, chosen: method }), status: 422 }
  }
}

function orderIn(context: ShopContext): string {
  const id = orderOfLink(context, context.params.link!)
  if (!id) throw notFound('Order')
  return id
}

/** The amount that the shopper was shown. */
export function readShownAmount(text: string): Decimal {
  return new Decimal(/^\d{1,12}(\.\d{1,4})?$/.test(text) ? text : 0)
}

export function methodNamed({ offer }: ShopContext, code: string | undefined): CheckoutMethod | undefined {
  return offer.payment_methods.find((method) => method.code === code)
}

const waitSeconds = 5

export function renderWaitingPage(context: ShopContext): ShopResult {
  const { t, here } = context
  const more = html`<p><a class="button" href="${here}">${t('look_again')}</a></p>`
  return {
    page: note(context, { title: t('payment_waiting'), text: t('payment_waiting_text'), more }),
    headers: { refresh: `${waitSeconds}; url=${here}` },
  }
}

type Balance = Awaited<ReturnType<typeof findBalance>>

type PaymentProps = {
  faults?: readonly Fault[]
  chosen?: CheckoutMethod | undefined
  byHand?: CheckoutMethod | undefined
}

function renderPayOrderPage(
  context: ShopContext,
  { total, due }: Balance,
  { faults = [], chosen, byHand }: PaymentProps,
): ShopResult {
  const { t, price, root, offer, tools, params } = context
  const amount = price(toNumber(due))
  const errors = fieldErrors(context, faults)
  const link = `${root}/orders/${params.link}`
  const back = html`<p><a class="button quiet" href="${link}">${t('back_to_order')}</a></p>`
  const content = byHand
    ? html`<p>${t('pay_by_hand', { price: amount })}</p>${instructions(context, byHand)}`
    : methodForm(context, due, { errors, chosen, action: `${link}/pay`, methods: offer.payment_methods })
  return {
    formTo: offer.payment_methods.flatMap(({ provider }) => listProviderOrigins(provider, tools)),
    page: frame(context, {
      title: t('amount_due'),
      bare: true,
      content: html`<div class="ask"><h1>${t('amount_due')}</h1>
<p class="lead">${t('amount_due_text', { price: amount })}</p>
${balanceRows(context, { total: toNumber(total), amount_due: toNumber(due) })}
${errors.total ? notice('error', html`<p>${errors.total}</p>`) : ''}
${content}${back}</div>`,
    }),
  }
}

function balanceRows({ t, price }: ShopContext, sums: { total: number; amount_due: number }): Html | '' {
  const rows = buildBalanceRows(sums)
  if (rows.length === 0) return ''
  const renderBalanceRow = (name: 'total' | 'paid' | 'to_pay', amount: number) =>
    html`<div class="row${name === 'to_pay' ? ' total' : ''}"><dt>${t(name)}</dt> <dd>${price(amount)}</dd></div>`
  const others = rows.map(({ name, amount }) => renderBalanceRow(name, amount))
  return html`<dl class="totals">${renderBalanceRow('total', sums.total)}${others}</dl>`
}

function instructions({ language }: ShopContext, method: CheckoutMethod): Html {
  return html`<h2>${formatMethodName(method, language)}</h2>
${method.instructions ? html`<p class="instructions">${method.instructions}</p>` : ''}`
}

type MethodFormProps = {
  errors: Record<string, string>
  chosen: CheckoutMethod | undefined
  action: string
  methods: readonly CheckoutMethod[]
}

/** The methods that can pay an amount. */
export function methodForm(context: ShopContext, due: Decimal, props: MethodFormProps): Html {
  const { errors, chosen, action, methods } = props
  const { t, price } = context
  if (methods.length === 0) return notice('warning', html`<p>${t('no_method_for_due')}</p>`)
  const selected = methods.length === 1 ? methods[0] : chosen
  const fault = errors.payment_method
  const group = attributes({
    role: 'radiogroup',
    'aria-labelledby': 'methods-title',
    'aria-describedby': fault && 'payment_method-fault',
  })
  return html`<form method="post" action="${action}" data-once>
<input type="hidden" name="total" value="${toNumber(due)}">
<h2 id="methods-title">${t('payment')}</h2>
<div${group}>${methods.map((method) => choice(context, method, method === selected))}</div>
${renderFieldFault('payment_method', fault)}
${methods.some(({ provider }) => provider === 'test') ? testPayment(context) : ''}
<p><button class="full">${t('pay_amount', { price: price(toNumber(due)) })}</button></p>
</form>`
}

function choice({ language }: ShopContext, method: CheckoutMethod, isSelected: boolean): Html {
  const { code, provider } = method
  const radio = { type: 'radio', name: 'payment_method', value: code, checked: isSelected, required: true }
  return html`<label class="choice"><input${attributes({ ...radio, 'data-test': provider === 'test' })}>
<span>${formatMethodName(method, language)}</span></label>`
}

function testPayment({ t }: ShopContext): Html {
  return html`<p class="field pay"><label for="pay">${t('test_payment')}</label>
<select id="pay" name="pay"><option value="ok">${t('test_ok')}<option value="fail">${t('test_fail')}</select></p>`
}

/** Shown on the order's page once part of it is paid, or after a change. */
export function dueNotice(
  { t, price }: ShopContext,
  { amount_due, captured_amount, edited_at }: { amount_due: number; captured_amount: number; edited_at: Date | null },
  link: string,
): Html | '' {
  if (amount_due === 0 || (captured_amount === 0 && edited_at === null)) return ''
  return html`<section class="notice warning"><h2>${t('amount_due')}</h2>
<p>${t('amount_due_text', { price: price(amount_due) })}</p>
<p><a class="button" href="${link}/pay">${t('pay_amount', { price: price(amount_due) })}</a></p></section>`
}
