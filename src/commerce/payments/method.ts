import { conflict, invalid } from '../../kit/values/errors.ts'
import { fault } from '../../kit/values/faults.ts'
import { either } from '../../kit/declare/composites.ts'
import { choice, flag, id, integer, text, time, url } from '../../kit/declare/scalars.ts'
import { derive, type Entity } from '../../kit/declare/field.ts'
import { resource } from '../../kit/declare/resource.ts'
import { createBody, type Rule } from '../../kit/declare/shape.ts'
import { baseUrl, raw, sql } from '../../kit/database/sql.ts'
import { methodCode, type CheckoutSetting } from '../../tenancy/stores/setting.ts'
import { getProvider, providerNames } from './providers.ts'
import { settingColumns, settingFaults } from './settings.ts'
import { storeFaults } from '../../tenancy/stores/errors.ts'

const texts = { type: ['string', 'null'], maxLength: 4096 }

/** Settings of the provider, whose declaration has their names. */
const settings = either<Record<string, string | null>>(
  [{ type: 'object', additionalProperties: texts, maxProperties: 20 }],
  (input) => input,
)

const remote = providerNames.filter((name) => getProvider(name).kind === 'remote')
const isRemote = raw(`payment_methods.provider = any('{${remote.join(',')}}')`)

// prettier-ignore
export const paymentMethod = resource('payment_methods', {
  id:           id('pay').readonly(),
  code:         methodCode().required().example('bank_transfer')
    .describe('Built-in (cod, bank_transfer, cash, card, wallet, other) or custom code'),
  provider:     choice(providerNames).default('manual')
    .describe('Payment provider. manual: recorded manually. test: simulates the outcome that the shopper chooses'),
  settings:     settings.describe('Settings of the provider; secrets are returned as `set`'),
  name:         text({ min: 1, max: 120 }).nullable().example('Bank transfer')
    .describe('Name shown to shoppers; if null, the default name of the built-in payment method'),
  instructions: text({ max: 2000 }).nullable().example('Account 0123456789, Example Bank')
    .describe('Instructions shown once the order is placed; required to offer bank_transfer'),
  position:     integer({ min: 0, max: 1000 }).default(0).sortable(),
  is_active:    flag().default(true),
  webhook_url:  derive(url(), sql`
    case when ${isRemote}
      then ${baseUrl}::text || '/payments/' || payment_methods.store_id || '/' || code end`)
    .nullable().describe("URL for the provider's webhooks; null if it sends none"),
  created_at:   time().readonly(),
  updated_at:   time().readonly(),
}, {}, { noun: 'Payment method', defaultSort: 'position', defaultOrder: 'asc' })

export const methodNames = ['id', 'code', 'name', 'provider', 'instructions'] as const

/** A payment method in a checkout. `name` null: the usual name of a built-in code, in the shopper's language. */
export type CheckoutMethod = Pick<Entity<typeof paymentMethod.fields>, Exclude<(typeof methodNames)[number], 'id'>> & {
  /** A uuid. Null: the store has set up no method, and this is a default. */
  id: string | null
}

/** Faults of a new method's settings are reported with all others. */
const fitsProvider: Rule = {
  fields: ['provider', 'settings'],
  check: ({ provider, settings = {} }, context) => settingFaults(provider, settings, context),
}

export const paymentMethods: CheckoutSetting = {
  resource: { ...paymentMethod, create: createBody(paymentMethod.fields, [fitsProvider]) },
  path: '/store/payment-methods',
  plural: 'payment methods',
  maximum: 20,
  isConfidential: true,
  beside: (tx, store, id, values, { vault }) => settingColumns(tx, store, id, values, vault),
  refusals: ({ code }) => ({
    payment_methods_code: () => conflict(`A payment method with the code ${code} already exists`),
    payment_methods_name: () => invalid(fault('name', storeFaults.name_required)),
    payment_sessions_method: () => conflict('It has taken payments and cannot be deleted; deactivate it instead'),
  }),
}
