// A place with taxes of its own: a country, or some of its provinces or postal codes.
import { invalid } from '../kit/values/errors.ts'
import { fault, reason as because, type Reason } from '../kit/values/faults.ts'
import { list, object, set } from '../kit/declare/composites.ts'
import { resource } from '../kit/declare/resource.ts'
import { choice, flag, integer, id, text, time } from '../kit/declare/scalars.ts'
import { publicId, uuidOf } from '../kit/values/ids.ts'
import type { Tx } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'
import type { Setting } from '../stores/setting.ts'
import { countryCode, taxRate, type Store } from '../stores/store.ts'

/** Why something is taxed as it is. Those after `reduced` take nothing. */
export const taxReasons = ['standard', 'reduced', 'zero', 'exempt', 'reverse_charge', 'export'] as const
export type TaxReason = (typeof taxReasons)[number]

const taxReason = () => choice(taxReasons)

// A public id, kept as such: the list is one column.
const categoryId = text({ max: 64 })
  .rule((text) => (uuidOf('cat', text) ? null : because('does_not_exist')))
  .example(publicId('cat', '01912d68-783e-7a03-8467-5661c1243ad4'))

// prettier-ignore
const categoryRate = object({
  category_id: categoryId.required(),
  rate:        taxRate().required().example(7),
  reason:      taxReason().describe('Unless given: reduced, or zero for a rate of 0'),
}).becomes(withReason).rule(reasonFault)

// prettier-ignore
export const taxZone = resource('tax_zones', {
  id:             id('zone').readonly(),
  name:           text({ min: 1, max: 120 }).required().example('VAT Germany'),
  country_code:   countryCode().required().example('DE'),
  provinces:      set(text({ min: 1, max: 120 }), { max: 100 }).default([]).example(['CA', 'California'])
    .describe('As addresses write them, in capitals or not; none: the whole country'),
  postal_codes:   set(text({ min: 1, max: 40 }), { max: 1000 }).default([]).example(['35', '38'])
    .describe('What they begin with; none: all'),
  rate:           taxRate().required().example(19).describe('Percent'),
  reason:         taxReason().describe('Unless given: standard, or zero for a rate of 0, which the others need'),
  included:       flag().nullable().describe('Prices contain the tax; null: as the store\'s tax_included says'),
  shipping:       flag().nullable().describe('Shipping is taxed too; null: as the store\'s tax_shipping says'),
  category_rates: list(categoryRate, { max: 100 }).default([])
    .describe('What the products of a category are taxed instead'),
  position:       integer({ min: 0, max: 1000 }).default(0).sortable(),
  is_active:      flag().default(true),
  created_at:     time().readonly(),
  updated_at:     time().readonly(),
}, {}, { noun: 'Tax zone', defaultSort: 'position', defaultOrder: 'asc' })

type CategoryRate = { category_id: string; rate: number; reason: TaxReason }

function withReason({
  category_id,
  rate,
  reason,
}: Omit<CategoryRate, 'reason'> & { reason?: TaxReason }): CategoryRate {
  return { category_id, rate, reason: reason ?? (rate === 0 ? 'zero' : 'reduced') }
}

function reasonFault({ rate, reason }: CategoryRate): Reason | null {
  return rate === 0 || reason === 'standard' || reason === 'reduced' ? null : because('takes_no_tax', { why: reason })
}

export const taxZones: Setting = {
  resource: taxZone,
  path: '/store/tax-zones',
  plural: 'tax zones',
  maximum: 100,
  complete: ({ rate }) => ({ reason: rate === 0 ? 'zero' : 'standard' }),
  refusals: ({ reason }) => ({
    tax_zones_reason: () => invalid(fault('reason', 'takes_no_tax', { why: reason ?? 'the reason that it has' })),
  }),
  check: checkCategories,
}

async function checkCategories(tx: Tx, store: Store, id: string): Promise<void> {
  const zone = (await tx.one<{ category_rates: CategoryRate[] }>(sql`
    select category_rates from tax_zones
    where store_id = ${store.id}
      and id = ${id}`))!
  const ids = zone.category_rates.map(({ category_id }) => uuidOf('cat', category_id)!)
  if (ids.length === 0) return
  const categories = await tx.rows<{ id: string }>(sql`
    select id from categories
    where store_id = ${store.id}
      and id = any(${ids}::uuid[])`)
  const missing = ids.flatMap((wanted, index) =>
    categories.some(({ id }) => id === wanted) ? [] : [fault(`category_rates.${index}.category_id`, 'does_not_exist')],
  )
  if (missing.length > 0) throw invalid(...missing)
}
