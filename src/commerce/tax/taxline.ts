// What an order keeps of its taxes: enough for an invoice, a return and a refund.
import { list, object } from '../../kit/declare/composites.ts'
import { choice, decimal, flag, id, money, text } from '../../kit/declare/scalars.ts'
import { toNumber } from '../../kit/values/money.ts'
import type { Taxes } from './amounts.ts'
import { taxReasons } from './taxzone.ts'

const kinds = ['item', 'order_bump', 'shipping', 'order'] as const

// prettier-ignore
const taxLine = object({
  type:         choice(kinds).required().describe('What is taxed; order: a tax_amount that was given as a whole'),
  item_id:      id('item').nullable().required(),
  bump_id:      text().nullable().required(),
  name:         text().nullable().required().example('VAT Germany')
    .describe('Of the tax zone, or of its component; null without one'),
  country_code: text().nullable().required().example('DE'),
  rate:         decimal().nullable().required().example(19).describe('Percent; null where only the amount is known'),
  reason:       choice([...taxReasons, 'manual']).required(),
  base:         money().required().describe('What the tax is charged on, without the tax'),
  amount:       money().required(),
  included:     flag().required().describe('The prices contain it; else it is a part of tax_amount'),
  tax_id:       text().nullable()
    .describe('Of the zone or component: the number under which the store collects the tax'),
})

export type TaxLine = NonNullable<(typeof taxLine)['type']>['value']

export const taxLines = () => list(taxLine, { max: 6000 })

/** What each line is of: the ids of items and bumps, in their order. */
export type LineIds = { items: readonly string[]; bumps: readonly string[] }

export function taxLinesOf({ lines, treatment }: Taxes, { items, bumps }: LineIds): TaxLine[] {
  return lines.map(({ kind, position, name, rate, reason, tax_id, base, tax, included }) => ({
    type: kind,
    item_id: kind === 'item' ? (items[position] ?? null) : null,
    bump_id: kind === 'order_bump' ? (bumps[position] ?? null) : null,
    name,
    country_code: treatment!.country_code,
    rate,
    reason,
    base: toNumber(base),
    amount: toNumber(tax),
    included,
    tax_id,
  }))
}
