// The page that pays the amount due of an order, for anyone with its link.
import { html } from 'hono/html'
import { invalid, notFound } from '../../../kit/values/errors.ts'
import { fault } from '../../../kit/values/faults.ts'
import { toNumber } from '../../../kit/values/money.ts'
import { publicId } from '../../../kit/values/ids.ts'
import type { CheckoutMethod } from '../../../commerce/payments/method.ts'
import { notice } from '../../../platform/pages/parts.ts'
import { checkoutFaults } from '../../checkout/errors.ts'
import { formatMethodName } from '../../checkout/offers/names.ts'
import { buildBalanceRows, findBalance } from '../../checkout/orderpayments/due.ts'
import { checkOrderPayment, payOrder } from '../../checkout/orderpayments/operations.ts'
import { fieldErrors } from '../frame/fielderrors.ts'
import type { Html, ShopContext, ShopResult } from '../frame/page.ts'
import { frame } from '../frame/view.ts'
import { orderOfLink, orderPath } from './orderlink.ts'
import {
  methodForm,
  methodNamed,
  providerFault,
  providerOrigins,
  renderWaitingPage,
  submitPayment,
  type PageFaults,
} from './pay.ts'

export async function showOrderPayment(context: ShopContext): Promise<ShopResult> {
  const { db, store, deps, query } = context
  const id = orderIn(context)
  const open = await checkOrderPayment(db, store, id, deps)
  const balance = await findBalance(db, store.id, id)
  if (balance.due.isZero()) return { to: orderPath(context, publicId('ord', id)) }
  if (open?.status === 'processing') return renderWaitingPage(context)
  return renderPayOrderPage(context, balance, { byHand: methodNamed(context, query.method) })
}

export async function submitOrderPayment(context: ShopContext): Promise<ShopResult> {
  const { db, store, deps, offer } = context
  const id = orderIn(context)
  const path = `${orderPath(context, publicId('ord', id))}/pay`
  return submitPayment(context, {
    path,
    methods: offer.payment_methods,
    async pay({ method, total: amount, pay, returnUrl }) {
      if (!method) throw invalid(fault('payment_method', checkoutFaults.not_offered))
      const result = await payOrder(db, store, id, { method, amount, pay, returnUrl }, deps).catch(providerFault)
      switch (result.step) {
        case 'redirect':
          return { location: result.url }
        case 'manual':
          return { to: `${path}?method=${method.code}` }
        case 'paid':
          return { to: orderPath(context, publicId('ord', id)) }
        case 'waiting':
          return { to: path }
      }
    },
    showFaults: async (faults) => renderPayOrderPage(context, await findBalance(db, store.id, id), faults),
  })
}

function orderIn(context: ShopContext): string {
  const id = orderOfLink(context, context.params.link!)
  if (!id) throw notFound('Order')
  return id
}

type Balance = Awaited<ReturnType<typeof findBalance>>

type PaymentProps = PageFaults & { byHand?: CheckoutMethod | undefined }

function renderPayOrderPage(
  context: ShopContext,
  { total, due }: Balance,
  { faults = [], chosen, byHand }: PaymentProps,
): ShopResult {
  const { t, price, root, offer, params } = context
  const amount = price(toNumber(due))
  const errors = fieldErrors(context, faults)
  const path = `/orders/${params.link}`
  const back = html`<p><a class="button quiet" href="${root}${path}">${t('back_to_order')}</a></p>`
  const content = byHand
    ? html`<p>${t('pay_by_hand', { price: amount })}</p>${instructions(context, byHand)}`
    : methodForm(context, due, { errors, chosen, path: `${path}/pay`, methods: offer.payment_methods })
  return {
    status: faults.length > 0 ? 422 : 200,
    formTo: providerOrigins(context),
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
