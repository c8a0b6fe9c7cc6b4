// Settings > Checkout > Shipping > Try an address: which rates a cart is offered there, and why not the others.
import { html } from 'hono/html'
import type { rateFaults } from '../../../commerce/orders/errors.ts'
import type { RatePreview } from '../../../storefront/checkout/cart/preview.ts'
import { endpoint } from '../../framework/api.ts'
import { countries } from '../../framework/choices.ts'
import { form } from '../../framework/form.ts'
import { mark, panel } from '../../framework/parts.ts'
import type { Html, PageContext, Screen, ScreenAction } from '../../framework/screen.ts'
import { itemFields, orderItems, toItemField } from '../orders/itemfields.ts'
import { nameOfMethod } from './methodcode.ts'

const tryRates: ScreenAction = {
  route: endpoint('POST /store/shipping-rates/preview'),
  inputs: [
    { name: 'country_code', label: 'country', options: countries, isHalf: true },
    { name: 'province', isHalf: true },
    { name: 'postal_code', label: 'ask_postal_code', isHalf: true },
    { name: 'discount_code', isHalf: true },
  ],
  body: (context) => ({ items: orderItems(context) }),
  fieldOf: toItemField,
  hasDryRun: true,
  done: 'saved',
}

export const tryAddressScreen: Screen = {
  path: '/settings/checkout/shipping/try',
  title: 'rate_try',
  section: 'settings',
  scope: 'read:store',
  within: { path: '/settings/checkout/shipping', title: 'shipping_rates' },
  actions: { preview: tryRates },
  async show(context) {
    const content = await form(context, {
      act: 'preview',
      action: tryRates,
      button: 'rate_try_now',
      values: { country_code: context.store.country_code },
      // Every submission is a dry run, which shows the form again with the answer.
      fixed: { rehearse: '1' },
      lead: await itemFields(context, 'items', { isClosed: true }),
      enterButton: ['pick', 'items'],
      isLoose: true,
    })
    const preview = context.dryRunResult as { shipping_rates: PreviewedRate[] } | undefined
    return {
      content: html`<p class="hint">${context.t('rate_try_text')}</p>
<div class="panel">${content}</div>${preview ? renderRates(context, preview.shipping_rates) : ''}`,
    }
  },
}

type PreviewedRate = Omit<RatePreview, 'reasons'> & {
  reasons: { code: keyof typeof rateFaults; values: Record<string, string> }[]
}

function renderRates(context: PageContext, rates: readonly PreviewedRate[]): Html {
  const { t, price } = context
  const rows = rates.map((rate) => {
    const state = rate.is_offered ? mark(t('rate_offered'), 'good') : mark(t('rate_not_offered'), 'plain')
    const reasons = rate.reasons.map((one) => html`<p class="hint">${t(`rate_${one.code}`, one.values)}</p>`)
    return html`<li class="whole-row"><div><p><b>${nameOfMethod(rate, context)}</b> ${state}</p>${reasons}
${explainSource(context, rate)}</div>
<b>${rate.price === 0 ? t('free') : price(rate.price)}</b></li>`
  })
  return panel(t('shipping_rates'), html`<ul class="records" aria-label="${t('shipping_rates')}">${rows}</ul>`)
}

/** Where the price comes from, unless it is that of the rate. */
function explainSource({ t }: PageContext, rate: PreviewedRate): Html | '' {
  const { price_source: source, quote_error: error, quote_error_detail: detail } = rate
  if (source === 'rate') return ''
  const reason = error && `: ${t(`quote_error_${error}`, { detail: detail ?? 'JSON' })}`
  return html`<p class="hint">${t(`price_source_${source}`)}${reason}</p>`
}
