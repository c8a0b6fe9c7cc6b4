// Paying by a link, for an order with an amount due and for a draft order alike: the form with the methods that can pay
// an amount, what happens when it is sent, and the page while the provider decides. The provider sends shoppers back to
// the page of the link.
import { html } from 'hono/html'
import { ApiError, invalid } from '../../../kit/values/errors.ts'
import { fault, type Fault } from '../../../kit/values/faults.ts'
import { Decimal, toNumber } from '../../../kit/values/money.ts'
import { listProviderOrigins } from '../../../commerce/payments/providercalls.ts'
import type { CheckoutMethod } from '../../../commerce/payments/method.ts'
import { listWallets } from '../../../commerce/payments/providers.ts'
import { attributes, renderFieldFault, notice } from '../../../platform/pages/parts.ts'
import { checkoutFaults } from '../../checkout/errors.ts'
import { formatMethodName } from '../../checkout/offers/names.ts'
import { small } from './formfields.ts'
import { field, type Html, type ShopContext, type ShopResult } from '../frame/page.ts'
import { note } from '../frame/view.ts'

type PaymentInput = {
  method: CheckoutMethod | undefined
  /** The amount that the shopper was shown; nobody pays more. */
  total: Decimal
  /** Outcome that the test provider simulates. */
  pay: 'ok' | 'fail'
  returnUrl: string
}

export type PageFaults = { faults?: readonly Fault[]; chosen?: CheckoutMethod | undefined }

export type Payable = {
  /** The path of the page below the store's root. */
  path: string
  methods: readonly CheckoutMethod[]
  pay(input: PaymentInput): Promise<ShopResult>
  /** The page again, with the faults that refused the payment. */
  showFaults(props: { faults: readonly Fault[]; chosen: CheckoutMethod | undefined }): Promise<ShopResult>
}

export async function submitPayment(
  context: ShopContext,
  { path, methods, pay, showFaults }: Payable,
): Promise<ShopResult> {
  const { form } = context
  const method = methods.length === 1 ? methods[0] : methodNamed(context, field(form, 'payment_method'))
  try {
    return await pay({
      method,
      total: readShownAmount(field(form, 'total')),
      pay: field(form, 'pay') === 'fail' ? 'fail' : 'ok',
      returnUrl: buildSiteUrl(context) + path,
    })
  } catch (error) {
    if (!(error instanceof ApiError) || error.faults.length === 0) throw error
    return showFaults({ faults: error.faults, chosen: method })
  }
}

function readShownAmount(text: string): Decimal {
  return new Decimal(/^\d{1,12}(\.\d{1,4})?$/.test(text) ? text : 0)
}

export function methodNamed({ offer }: ShopContext, code: string | undefined): CheckoutMethod | undefined {
  return offer.payment_methods.find((method) => method.code === code)
}

/** The URL of this site: a store with its own domain has its cookies there. */
export function buildSiteUrl({ root, deps, offer }: ShopContext): string {
  return root === '' ? offer.storefront_url : new URL(root, deps.checkout.baseUrl).href
}

/** A provider that does not answer is a fault beside the methods. */
export function providerFault(error: unknown): never {
  throw error instanceof ApiError && error.status === 503
    ? invalid(fault('payment_method', checkoutFaults.provider_away))
    : error
}

/** Forms may lead to these origins: some browsers check a form's redirects as well. */
export function providerOrigins({ offer, deps }: ShopContext): string[] {
  return offer.payment_methods.flatMap(({ provider }) => listProviderOrigins(provider, deps))
}

const waitSeconds = 5

/** Needs no script: it reloads itself. */
export function renderWaitingPage(context: ShopContext): ShopResult {
  const { t, here } = context
  const more = html`<p><a class="button" href="${here}">${t('look_again')}</a></p>`
  return {
    page: note(context, { title: t('payment_waiting'), text: t('payment_waiting_text'), more }),
    headers: { refresh: `${waitSeconds}; url=${here}` },
  }
}

type MethodFormProps = {
  errors: Record<string, string>
  chosen: CheckoutMethod | undefined
  path: string
  methods: readonly CheckoutMethod[]
}

/** The methods that can pay an amount. */
export function methodForm(context: ShopContext, due: Decimal, props: MethodFormProps): Html {
  const { errors, chosen, path, methods } = props
  const { t, price, root } = context
  if (methods.length === 0) return notice('warning', html`<p>${t('no_method_for_due')}</p>`)
  const selectedMethod = methods.length === 1 ? methods[0] : chosen
  const fault = errors.payment_method
  const group = attributes({
    role: 'radiogroup',
    'aria-labelledby': 'methods-title',
    'aria-describedby': fault && 'payment_method-fault',
  })
  return html`<form method="post" action="${root}${path}" data-once>
<input type="hidden" name="total" value="${toNumber(due)}">
<h2 id="methods-title">${t('payment')}</h2>
<div${group}>${methods.map((method) => choice(context, method, method === selectedMethod))}</div>
${renderFieldFault('payment_method', fault)}
${methods.some(({ provider }) => provider === 'test') ? testPayment(context) : ''}
<p><button class="full">${t('pay_amount', { price: price(toNumber(due)) })}</button></p>
</form>`
}

function choice({ language }: ShopContext, method: CheckoutMethod, isSelected: boolean): Html {
  const { code, provider } = method
  const radio = { type: 'radio', name: 'payment_method', value: code, checked: isSelected, required: true }
  return html`<label class="choice"><input${attributes({ ...radio, 'data-test': provider === 'test' })}>
<span>${formatMethodName(method, language)}${small(listWallets(provider).join(' · '))}</span></label>`
}

/** Shown while a method of the test provider is chosen. */
export function testPayment({ t }: ShopContext): Html {
  return html`<p class="field pay"><label for="pay">${t('test_payment')}</label>
<select id="pay" name="pay"><option value="ok">${t('test_ok')}<option value="fail">${t('test_fail')}</select></p>`
}
