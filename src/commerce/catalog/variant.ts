// Options and the variants that combine their values.
import { newId } from '../../kit/values/ids.ts'
import { list, object } from '../../kit/declare/composites.ts'
import { derive } from '../../kit/declare/field.ts'
import { flag, integer, money, text, time, url, uuid } from '../../kit/declare/scalars.ts'
import type { Create, Entity } from '../../kit/declare/field.ts'
import { integrationFields } from '../../kit/declare/metadata.ts'
import { resource } from '../../kit/declare/resource.ts'
import { customValues } from '../../tenancy/stores/customvalues.ts'
import { countryCode } from '../../tenancy/stores/store.ts'
import { availableOnField } from './availableon.ts'
import { bundleItemsField, bundleStockField } from './bundle.ts'
import { lowestPriorPrice } from './priorprices.ts'
import { unitMeasureField } from './unitprices.ts'
import { isPurchasable } from '../inventory/availability.ts'

export const maxVariants = 500
export const maxOptions = 3
export const maxValues = 100

export const barcodeField = () =>
  text({ min: 1, max: 255 }).nullable().example('4006381333931').describe('GTIN, EAN, UPC or ISBN')
export const weightField = () =>
  integer({ min: 0, max: 100_000_000 }).nullable().example(850).describe('Weight in grams')

export const originField = () =>
  countryCode().nullable().example('IT').describe('ISO 3166-1 alpha-2 code of the country where it was made')
/** National codes have up to 13 digits, with dots in different places. */
export const hsCodeField = () =>
  text({ min: 6, max: 25, pattern: '^[0-9](\\.?[0-9]){5,12}$' })
    .nullable()
    .example('4202.92')
    .describe('Harmonized System code for customs: 6 to 13 digits, optionally with points')

const optionTitle = () => text({ min: 1, max: 255 })
const optionValue = () => text({ min: 1, max: 255 })

// prettier-ignore
export const option = {
  id:       text({ max: 64 }),
  title:    optionTitle().required(),
  position: integer({ min: 0, max: 1000 }),
  values:   list(optionValue(), { min: 1, max: maxValues }).required().describe('Values of the option'),
}

export const optionNames = ['id', 'title', 'position', 'values'] as const

const optionValues = () =>
  list(
    object({ option_title: optionTitle().required().describe('Title of the option'), value: optionValue().required() }),
    { max: maxOptions },
  )

// prettier-ignore
export const variant = resource('variants', {
  id:                  uuid(),
  title:               text({ max: 255 }).example('Red / M'),
  sku:                 text({ max: 255 }).nullable().example('BAG-01-RED-M'),
  barcode:             barcodeField(),
  weight:              weightField(),
  requires_shipping:   flag().nullable().example(true)
    .describe('Whether the variant is shipped; if null, what its product says applies'),
  country_of_origin:   originField(),
  hs_code:             hsCodeField(),
  price:               money({ above: 0 }).nullable(),
  compare_price:       money().nullable(),
  lowest_prior_price:  lowestPriorPrice('variants'),
  unit_pricing_measure: unitMeasureField(),
  stock_quantity:      integer({ min: -1_000_000_000, max: 1_000_000_000 }),
  manage_inventory:    flag().describe('Whether stock of the variant is tracked'),
  low_stock_threshold: integer({ min: 0, max: 1_000_000_000 }),
  continue_selling_when_out_of_stock: flag(),
  available_on:        availableOnField()
    .describe('Day from which the variant ships; if null, that of the product applies'),
  image:               url().nullable(),
  position:            integer({ min: 0, max: 100_000 }),
  option_values:       optionValues().required()
    .example([{ option_title: 'Color', value: 'Red' }, { option_title: 'Size', value: 'M' }]),
  bundle_items:        bundleItemsField('variant'),
  bundle_stock:        bundleStockField('variants'),
  custom_fields:       customValues('variant'),
  ...integrationFields(),
  is_purchasable:      derive(flag().example(true), isPurchasable.variant),
  created_at:          time().readonly(),
  updated_at:          time().readonly(),
}, {}, { noun: 'Variant', parent: { column: 'product_id', order: 'variants.position, variants.id' } })

export type Variant = Entity<typeof variant.fields>
type NewVariant = Create<typeof variant.fields>
/** An existing variant, named by its id, keeps its option values. */
export type VariantInput = Omit<NewVariant, 'option_values'> & Partial<Pick<NewVariant, 'option_values'>>
type OptionValues = Pick<NewVariant, 'option_values'>
export type Option = { id: string; title: string; position: number; values: string[] }
export type OptionInput = Create<typeof option>

/** Options as stored: with IDs and positions, in order. */
export function completeOptions(inputs: OptionInput[]): Option[] {
  return inputs
    .map(({ id, title, position, values }, index) => ({
      id: id ?? newId('opt'),
      title,
      position: position ?? index,
      values,
    }))
    .sort((a, b) => a.position - b.position)
}

/** The options implied by a set of variants, used when none are given. */
export function impliedOptions(variants: OptionValues[]): OptionInput[] {
  const values = new Map<string, Set<string>>()
  for (const { option_title, value } of variants.flatMap(({ option_values }) => option_values)) {
    values.set(option_title, (values.get(option_title) ?? new Set()).add(value))
  }
  return [...values].map(([title, all]) => ({ title, values: [...all] }))
}

/** "Red / M" */
export function formatVariantTitle({ option_values }: OptionValues): string {
  return (
    option_values
      .map(({ value }) => value)
      .join(' / ')
      .slice(0, 255) || 'Default'
  )
}

/** A key for the combination of option values, which is unique among a product's variants. */
export function buildCombinationKey({ option_values }: OptionValues): string {
  return JSON.stringify(option_values.map(({ option_title, value }) => [option_title, value]).sort())
}
