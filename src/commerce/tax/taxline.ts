// The taxes stored with an order: enough for invoices, tax returns and refunds.
import { list, object } from '../../kit/declare/composites.ts'
import { choice, decimal, flag, id, integer, money, text } from '../../kit/declare/scalars.ts'
import { toNumber } from '../../kit/values/money.ts'
import type { Taxes } from './amounts.ts'
import { taxReasons, type TaxReason } from './taxzone.ts'
import { treatmentOf, type TaxRate } from './treatment.ts'

const kinds = ['item', 'order_bump', 'shipping', 'order'] as const

// prettier-ignore
const taxLine = object({
  type:         choice(kinds).required().describe('What the tax is for; order: a tax_amount given for the whole order'),
  item_id:      id('item').nullable().required(),
  bump_id:      text().nullable().required(),
  name:         text().nullable().required().example('VAT Germany')
    .describe('Name of the tax zone or component; null without one'),
  country_code: text().nullable().required().example('DE'),
  rate:         decimal().nullable().required().example(19).describe('Rate in percent; null if unknown'),
  reason:       choice([...taxReasons, 'manual']).required(),
  base:         money().required().describe('Amount that the tax is charged on, without the tax'),
  amount:       money().required(),
  included:     flag().required().describe('Whether prices include the tax; if false, it is part of tax_amount'),
  tax_id:       text().nullable()
    .describe('Tax ID under which the store collects this tax'),
  part:         integer({ min: 0 }).describe("Position of a bundle's part among the parts of the item, from 0"),
  compound:     flag().describe('Present and true for a tax that is also charged on the taxes before it'),
  province_code: text().nullable().example('CA-QC')
    .describe('Province of the billing address; present for an item that is not shipped and taxed there'),
})

export type TaxLine = NonNullable<(typeof taxLine)['type']>['value']

export const taxLines = () => list(taxLine, { max: 6000 })

/** The IDs of items and order bumps, in order. */
export type LineIds = { items: readonly string[]; bumps: readonly string[] }

export function toTaxLines({ lines, treatment }: Taxes, { items, bumps }: LineIds): TaxLine[] {
  return lines.map(({ kind, position, part, compound, base, tax, ...line }) => {
    const place = treatmentOf(line, treatment!)
    return {
      type: kind,
      item_id: kind === 'item' ? (items[position] ?? null) : null,
      bump_id: kind === 'order_bump' ? (bumps[position] ?? null) : null,
      name: line.name,
      country_code: place.country_code,
      rate: line.rate,
      reason: line.reason,
      base: toNumber(base),
      amount: toNumber(tax),
      included: line.included,
      tax_id: line.tax_id,
      ...(part === undefined ? {} : { part }),
      ...(compound ? { compound } : {}),
      ...(place === treatment ? {} : { province_code: place.billed_province || null }),
    }
  })
}

/** The rate that a line was taxed with; undefined if it has no taxes. */
export function rateOfLines(lines: readonly TaxLine[]): TaxRate | undefined {
  if (lines.length === 0) return undefined
  const components = lines.map(({ name, rate, reason, tax_id = null, base, compound }) => {
    // Older lines do not say whether a tax is compound, but its base has the taxes before it.
    return { name, rate: rate ?? 0, reason: reason as TaxReason, tax_id, compound: compound ?? base !== lines[0]!.base }
  })
  return { components }
}

/** Equal for the same tax of one line, before and after an edit. */
export function keyOfLine({ name, rate, reason, tax_id = null, part }: TaxLine): string {
  return JSON.stringify([name, rate, reason, tax_id, part])
}
