import { conflict, invalid } from '../../kit/values/errors.ts'
import { fault } from '../../kit/values/faults.ts'
import { set } from '../../kit/declare/composites.ts'
import { flag, id, integer, money, text, time } from '../../kit/declare/scalars.ts'
import { resource } from '../../kit/declare/resource.ts'
import { methodCode, type CheckoutSetting } from './setting.ts'
import { countryCode } from './store.ts'
import { storeFaults } from './errors.ts'

// prettier-ignore
export const shippingRate = resource('shipping_rates', {
  id:               id('rate').readonly(),
  code:             methodCode().required().example('standard')
    .describe('Built-in (standard, express, local_delivery, pickup, digital) or custom code'),
  name:             text({ min: 1, max: 120 }).nullable().example('Home delivery')
    .describe('Name shown to shoppers; if null, the default name of the built-in shipping method'),
  description:      text({ max: 500 }).nullable().example('2 to 4 days'),
  price:            money().required().example(99),
  free_from:        money().nullable().example(1000)
    .describe('Order amount from which shipping is free, after discounts'),
  free_by_code:     flag().example(true)
    .describe('Whether free-shipping codes apply; defaults to true, except for express'),
  country_codes:    set(countryCode(), { max: 250 }).default([]).example(['MX'])
    .describe('Countries it ships to; empty: worldwide'),
  requires_address: flag().example(true)
    .describe('Whether an address is required; defaults to true, except for pickup and digital'),
  payment_methods:  set(methodCode(), { max: 20 }).default([]).example(['cod'])
    .describe('Codes of the payment methods offered with it; empty: all'),
  pickup_address:   text({ max: 500 }).nullable().example('Calle 60 no. 482, Mérida')
    .describe('Pickup address, shown at checkout and with the order'),
  position:         integer({ min: 0, max: 1000 }).default(0).sortable(),
  is_active:        flag().default(true),
  created_at:       time().readonly(),
  updated_at:       time().readonly(),
}, {}, { noun: 'Shipping rate', defaultSort: 'position', defaultOrder: 'asc' })

const withoutAddress = ['pickup', 'digital']

export const shippingRates: CheckoutSetting = {
  resource: shippingRate,
  path: '/store/shipping-rates',
  plural: 'shipping rates',
  maximum: 50,
  complete: ({ code }) => ({ requires_address: !withoutAddress.includes(code), free_by_code: code !== 'express' }),
  refusals: ({ code }) => ({
    shipping_rates_code: () => conflict(`A shipping rate with the code ${code} already exists`),
    shipping_rates_name: () => invalid(fault('name', storeFaults.name_required)),
  }),
}
