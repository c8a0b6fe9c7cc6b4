import { conflict, invalid } from '../kit/values/errors.ts'
import { fault } from '../kit/values/faults.ts'
import { choice, flag, id, integer, text, time } from '../kit/declare/scalars.ts'
import type { Entity } from '../kit/declare/field.ts'
import { resource } from '../kit/declare/resource.ts'
import { methodCode, type Setting } from '../stores/setting.ts'
import { providerNames } from './providers.ts'

// prettier-ignore
export const paymentMethod = resource('payment_methods', {
  id:           id('pay').readonly(),
  code:         methodCode().required().example('bank_transfer')
    .describe('Built in: cod, bank_transfer, cash, card, wallet, other'),
  provider:     choice(providerNames).default('manual')
    .describe('manual: settled by hand. test: does what the shopper says, for trying out'),
  name:         text({ min: 1, max: 120 }).nullable().example('Bank transfer')
    .describe('null: the usual name of a built-in code'),
  instructions: text({ max: 2000 }).nullable().example('Account 0123456789, Example Bank')
    .describe('Shown once the order is placed'),
  position:     integer({ min: 0, max: 1000 }).default(0).sortable(),
  is_active:    flag().default(true),
  created_at:   time().readonly(),
  updated_at:   time().readonly(),
}, {}, { noun: 'Payment method', defaultSort: 'position', defaultOrder: 'asc' })

export const methodNames = ['code', 'name', 'provider', 'instructions'] as const

/** What a checkout knows of it. `name` null: the usual name of a built-in code, in the shopper's language. */
export type Method = Pick<Entity<typeof paymentMethod.fields>, (typeof methodNames)[number]>

export const paymentMethods: Setting = {
  resource: paymentMethod,
  path: '/store/payment-methods',
  plural: 'payment methods',
  maximum: 20,
  refusals: ({ code }) => ({
    payment_methods_code: () => conflict(`A payment method with the code ${code} already exists`),
    payment_methods_name: () => invalid(fault('name', 'name_required')),
  }),
}
