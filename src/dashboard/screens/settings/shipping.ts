// Settings > Checkout > Shipping: shipping rates with prices and countries.
import { nameOfCountry } from '../../../kit/values/countries.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { paymentMethod } from '../../../commerce/payments/method.ts'
import { shippingRate } from '../../../tenancy/stores/shippingrate.ts'
import type { Choices, PageContext } from '../../framework/screen.ts'
import { mark } from '../../framework/parts.ts'
import { settingScreens } from '../../framework/settinglist.ts'
import { messageOr } from '../../framework/messages.ts'
import { inSettings } from '../../framework/placement.ts'

/** Its own name, or the default name of its code. */
export function nameOfMethod({ name, code }: { name: string | null; code: string }, { t }: PageContext): string {
  return name ?? messageOr(t, `method_${code}`, code)
}

async function methodChoices(context: PageContext): Promise<Choices> {
  const query = { page: 1, per_page: 100, sort: 'position', order: 'asc' } as const
  const { data } = await entityPage(context.db, paymentMethod, context.store, query)
  return data.map((method) => [method.code, nameOfMethod(method, context)])
}

// prettier-ignore
export const shippingScreens = settingScreens({
  path: '/settings/checkout/shipping', title: 'shipping_rates', api: '/store/shipping-rates',
  ...inSettings('checkout', { text: 'shipping_rates_text', icon: 'truck' }),
  resource: shippingRate,
  empty: { title: 'rates_none', text: 'rates_none_text' },
  add: 'rate_add',
  defaults: { code: 'standard', price: 0, is_active: true, requires_address: true, free_by_code: true, position: 0 },
  nameOf: nameOfMethod,
  marks: ({ is_active }, { t }) => (is_active ? '' : mark(t('switched_off'), 'plain')),
  about: ({ price, free_from, country_codes }, context) => [
    price === 0 ? context.t('free') : context.price(price),
    free_from === null ? '' : context.t('free_from_amount', { amount: context.price(free_from) }),
    country_codes.length === 0 ? context.t('everywhere')
      : country_codes.map((code) => nameOfCountry(context.language, code)).join(', '),
  ].filter(Boolean).join(' · '),
  inputs: [
    { name: 'code', hint: 'rate_code_hint', isHalf: true },
    { name: 'name', hint: 'method_name_hint', isHalf: true },
    { name: 'description', hint: 'rate_description_hint' },
    { name: 'price', as: 'money', group: 'rate_costs', isHalf: true },
    { name: 'free_from', hint: 'free_from_hint', as: 'money', isHalf: true },
    { name: 'free_by_code' },
    { name: 'country_codes', hint: 'country_codes_hint', as: 'countries', group: 'rate_where' },
    { name: 'requires_address' },
    { name: 'pickup_address', hint: 'pickup_address_hint', as: 'area', rows: 3 },
    { name: 'payment_methods', hint: 'rate_methods_hint', as: 'boxes', options: methodChoices, group: 'rate_more' },
    { name: 'position', hint: 'position_hint', isHalf: true },
    { name: 'is_active' },
  ],
})
