// Settings > Checkout > Shipping: shipping rates with prices, conditions and places.
import { html } from 'hono/html'
import type { Entity } from '../../../kit/declare/field.ts'
import { nameOfCountry } from '../../../kit/values/countries.ts'
import { formatPriceRange } from '../../../kit/values/prices.ts'
import { paymentMethod } from '../../../commerce/payments/method.ts'
import { priceBases, quoteFallbacks, shippingRate, surchargeUnits } from '../../../tenancy/stores/shippingrate.ts'
import type { Choices, FormInput, Html, PageContext, Screen } from '../../framework/screen.ts'
import { readNumber } from '../../assets/numbers.ts'
import { formRows, typedRows } from '../../framework/formrows.ts'
import { mark, panel } from '../../framework/parts.ts'
import { endpoint } from '../../framework/api.ts'
import { button } from '../../framework/form.ts'
import { newScreen, settingScreens, type SettingListProps } from '../../framework/settinglist.ts'
import { listInOrder } from '../../framework/sortlist.ts'
import { categoryChoices } from '../products/fields.ts'
import { chooseCode, nameOfMethod, typeInput } from './methodcode.ts'
import { inSettings } from '../../framework/placement.ts'

async function methodChoices(context: PageContext): Promise<Choices> {
  return (await listInOrder(context, paymentMethod)).map((method) => [method.code, nameOfMethod(method, context)])
}

const bases = ({ t }: PageContext): Choices => priceBases.map((basis) => [basis, t(`price_by_${basis}`)])

// prettier-ignore
const offered: readonly FormInput[] = [
  { name: 'name', hint: 'method_name_hint' },
  { name: 'description', hint: 'rate_description_hint' },
  { name: 'price_by', options: bases, group: 'rate_costs', hint: 'price_by_hint' },
  { name: 'price', hint: 'rate_price_hint', as: 'money', isHalf: true },
  { name: 'free_from', hint: 'free_from_hint', as: 'money', isHalf: true },
]

const fallbacks = ({ t }: PageContext): Choices => quoteFallbacks.map((name) => [name, t(`quote_fallback_${name}`)])

const quote: readonly FormInput[] = [
  { name: 'quote_url', hint: 'quote_url_hint', group: 'rate_quote' },
  { name: 'quote_fallback', options: fallbacks },
]

const pickup: readonly FormInput[] = [
  { name: 'pickup_address', hint: 'pickup_address_hint', as: 'area', rows: 3 },
  { name: 'pickup_hours', hint: 'pickup_hours_hint', as: 'area', rows: 2 },
]

// prettier-ignore
const destinations: readonly FormInput[] = [
  { name: 'country_codes', hint: 'country_codes_hint', as: 'countries', group: 'rate_where' },
  { name: 'provinces', hint: 'rate_provinces_hint', as: 'provinces', rows: 2 },
  { name: 'postal_codes', hint: 'rate_postal_codes_hint', as: 'lines', rows: 2 },
]

// prettier-ignore
const conditions: readonly FormInput[] = [
  { name: 'min_weight', group: 'rate_conditions', isHalf: true },
  { name: 'max_weight', isHalf: true },
  { name: 'min_amount', as: 'money', isHalf: true },
  { name: 'max_amount', as: 'money', isHalf: true },
  { name: 'excluded_categories', picks: 'categories', hint: 'excluded_categories_hint' },
]

const times: readonly FormInput[] = [
  { name: 'handling_days', hint: 'handling_days_hint', group: 'rate_times', isHalf: true },
  { name: 'min_days', isHalf: true },
  { name: 'max_days', isHalf: true },
]

const allowedMethods: FormInput = {
  name: 'payment_methods',
  hint: 'rate_methods_hint',
  as: 'boxes',
  options: methodChoices,
  group: 'rate_more',
}

const columns = { tiers: ['from', 'price'], surcharges: ['category_id', 'amount', 'per'] } as const

function readRows({ form, language }: PageContext): object {
  return {
    tiers: typedRows(form, 'tiers', columns.tiers).map(({ from, price }) => ({
      from: readNumber(from!, language),
      price: readNumber(price!, language),
    })),
    surcharges: typedRows(form, 'surcharges', columns.surcharges).map(({ category_id, amount, per }) => ({
      category_id,
      amount: readNumber(amount!, language),
      ...(per ? { per } : {}),
    })),
  }
}

type RateRows = Pick<Entity<typeof shippingRate.fields>, 'tiers' | 'surcharges'>

async function priceRows(context: PageContext, rate: RateRows | null): Promise<Html> {
  const { t } = context
  const act = rate ? 'save' : 'create'
  const units: Choices = surchargeUnits.map((unit) => [unit, t(`per_${unit}`)])
  const tiers = formRows(context, {
    name: 'tiers',
    act,
    title: t('rate_tiers'),
    values: rate?.tiers ?? [],
    columns: [
      { name: 'from', label: t('tier_from'), isNumber: true },
      { name: 'price', label: t('price'), isNumber: true },
    ],
  })
  const surcharges = formRows(context, {
    name: 'surcharges',
    act,
    title: t('rate_surcharges'),
    values: rate?.surcharges ?? [],
    blank: 2,
    columns: [
      { name: 'category_id', label: t('category_id'), options: await categoryChoices(context) },
      { name: 'amount', label: t('surcharge_amount'), isNumber: true },
      { name: 'per', label: t('surcharge_per'), options: units },
    ],
  })
  return html`${tiers}${surcharges}`
}

function showPrices({ t, language, store }: PageContext, prices: readonly number[]): string {
  return prices.every((price) => price === 0) ? t('free') : formatPriceRange(language, store, prices)
}

// prettier-ignore
const rates: SettingListProps<typeof shippingRate.fields> = {
  path: '/settings/checkout/shipping', title: 'shipping_rates', api: '/store/shipping-rates',
  ...inSettings('checkout', { text: 'shipping_rates_text', icon: 'truck' }),
  resource: shippingRate,
  isOrdered: true,
  before: ({ t, base }) => html`
<p><a class="button quiet" href="${base}/settings/checkout/shipping/try">${t('rate_try')}</a></p>`,
  empty: { title: 'rates_none', text: 'rates_none_text' },
  add: 'rate_add',
  nameOf: nameOfMethod,
  marks: ({ is_active }, { t }) => (is_active ? '' : mark(t('switched_off'), 'plain')),
  body: readRows,
  more: priceRows,
  about: ({ price_by, price, tiers, free_from, country_codes }, context) => [
    showPrices(context, price_by === 'flat' ? [price] : [price, ...tiers.map((tier) => tier.price)]),
    price_by === 'flat' ? '' : context.t(`price_by_${price_by}`),
    free_from === null ? '' : context.t('free_from_amount', { amount: context.price(free_from) }),
    country_codes.length === 0 ? context.t('everywhere')
      : country_codes.map((code) => nameOfCountry(context.language, code)).join(', '),
  ].filter(Boolean).join(' · '),
  inputs: [
    ...offered,
    { name: 'free_by_code' },
    ...destinations,
    { name: 'requires_address' },
    ...pickup,
    ...conditions,
    ...times,
    ...quote,
    allowedMethods,
    { name: 'is_active' },
  ],
  after: (context, rate) => (rate.quote_url === null ? '' : quotePanel(context, rate)),
  actions: {
    rotate: {
      route: endpoint('POST /store/shipping-rates/{id}/rotate-secret'),
      done: 'saved',
      renderResult: showSecret,
      confirm: { title: 'quote_secret_ask', text: 'quote_secret_text', button: 'quote_secret_new' },
    },
  },
}

type Rate = Entity<typeof shippingRate.fields>

/** The secret that signs the requests to the app, and its last failure. */
function quotePanel(context: PageContext, rate: Rate): Html {
  const { t, formatTime } = context
  const { quote_secret_last4: end, quote_error: error, quote_error_detail: detail, quote_failed_at: failedAt } = rate
  const reason = error && t(`quote_error_${error}`, { detail: detail ?? 'JSON' })
  const failure = failedAt && html`<p>${t('quote_last_failure', { time: formatTime(failedAt) })}: ${reason}</p>`
  const secret = end ? html`<p>${t('quote_secret')}: <code>…${end}</code></p>` : html`<p>${t('quote_secret_none')}</p>`
  return panel(
    t('rate_quote'),
    html`${secret}${failure}${button(context, { act: 'rotate', text: 'quote_secret_new' })}`,
  )
}

function showSecret({ t, base }: PageContext, { id, quote_secret }: { id: string; quote_secret: string }): Html {
  return html`<div class="panel"><h2>${t('secret_made')}</h2><p>${t('quote_secret_once')}</p>
<copy-text class="secret" label="${t('copy')}" done="${t('copied')}"><code>${quote_secret}</code></copy-text>
<p><a class="button" href="${base}/settings/checkout/shipping/${id}">${t('key_kept')}</a></p></div>`
}

const [list, , one] = settingScreens(rates)

/** The type decides what a new rate has no input for, such as whether it needs an address. */
export const shippingScreens: Screen[] = [
  list,
  newScreen({
    ...rates,
    inputs: [
      typeInput(['standard', 'express', 'local_delivery', 'pickup', 'digital']),
      ...offered,
      ...pickup,
      ...destinations,
      ...times,
      allowedMethods,
    ],
    defaults: { code: 'standard', price: 0 },
    body: async (context, input) => ({ ...readRows(context), ...(await chooseCode(context, shippingRate, input)) }),
  }),
  one,
]
