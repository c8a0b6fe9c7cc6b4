// Settings > Checkout > Shipping: shipping rates with prices and countries.
import { nameOfCountry } from '../../../kit/values/countries.ts'
import { paymentMethod } from '../../../commerce/payments/method.ts'
import { shippingRate } from '../../../tenancy/stores/shippingrate.ts'
import type { Choices, FormInput, PageContext, Screen } from '../../framework/screen.ts'
import { mark } from '../../framework/parts.ts'
import { newScreen, settingScreens, type SettingListProps } from '../../framework/settinglist.ts'
import { listInOrder } from '../../framework/sortlist.ts'
import { chooseCode, nameOfMethod, typeInput } from './methodcode.ts'
import { inSettings } from '../../framework/placement.ts'

async function methodChoices(context: PageContext): Promise<Choices> {
  return (await listInOrder(context, paymentMethod)).map((method) => [method.code, nameOfMethod(method, context)])
}

// prettier-ignore
const offered: readonly FormInput[] = [
  { name: 'name', hint: 'method_name_hint' },
  { name: 'description', hint: 'rate_description_hint' },
  { name: 'price', as: 'money', group: 'rate_costs', isHalf: true },
  { name: 'free_from', hint: 'free_from_hint', as: 'money', isHalf: true },
]

const pickupAddress: FormInput = { name: 'pickup_address', hint: 'pickup_address_hint', as: 'area', rows: 3 }

const destinations: FormInput = {
  name: 'country_codes',
  hint: 'country_codes_hint',
  as: 'countries',
  group: 'rate_where',
}

const allowedMethods: FormInput = {
  name: 'payment_methods',
  hint: 'rate_methods_hint',
  as: 'boxes',
  options: methodChoices,
  group: 'rate_more',
}

// prettier-ignore
const rates: SettingListProps<typeof shippingRate.fields> = {
  path: '/settings/checkout/shipping', title: 'shipping_rates', api: '/store/shipping-rates',
  ...inSettings('checkout', { text: 'shipping_rates_text', icon: 'truck' }),
  resource: shippingRate,
  isOrdered: true,
  empty: { title: 'rates_none', text: 'rates_none_text' },
  add: 'rate_add',
  nameOf: nameOfMethod,
  marks: ({ is_active }, { t }) => (is_active ? '' : mark(t('switched_off'), 'plain')),
  about: ({ price, free_from, country_codes }, context) => [
    price === 0 ? context.t('free') : context.price(price),
    free_from === null ? '' : context.t('free_from_amount', { amount: context.price(free_from) }),
    country_codes.length === 0 ? context.t('everywhere')
      : country_codes.map((code) => nameOfCountry(context.language, code)).join(', '),
  ].filter(Boolean).join(' · '),
  inputs: [
    ...offered,
    { name: 'free_by_code' },
    destinations,
    { name: 'requires_address' },
    pickupAddress,
    allowedMethods,
    { name: 'is_active' },
  ],
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
      pickupAddress,
      destinations,
      allowedMethods,
    ],
    defaults: { code: 'standard', price: 0 },
    body: (context, input) => chooseCode(context, shippingRate, input),
  }),
  one,
]
