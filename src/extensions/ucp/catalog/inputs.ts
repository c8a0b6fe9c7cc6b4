// The inputs of catalog operations.
import { plainDigits } from '../../../kit/values/digits.ts'
import { list, object } from '../../../kit/declare/composites.ts'
import type { Create } from '../../../kit/declare/field.ts'
import { flag, integer, text } from '../../../kit/declare/scalars.ts'
import { createBody } from '../../../kit/declare/shape.ts'

/** More are rejected with their own error. */
export const maxIds = 50
const maxSentIds = 10_000
const maxPerPage = 50
const maxUnits = Number.MAX_SAFE_INTEGER

/** Hints about the shopper's location and language. */
export const contextFields = {
  address_country: text({ max: 100 }).nullable(),
  address_region: text({ max: 100 }).nullable(),
  postal_code: text({ max: 40 }).becomes(plainDigits).nullable(),
  language: text({ max: 40 }).nullable().describe('Language of texts, such as en or es-MX'),
  currency: text({ max: 10 }).nullable(),
  intent: text({ max: 2000 }).nullable(),
}
const context = () => object(contextFields).nullable()

// prettier-ignore
const filters = () => object({
  categories: list(text({ max: 100 }), { max: 1 }).nullable()
    .describe('A category: the value of a category of a product, or its slug'),
  price: object({ min: integer({ min: 0, max: maxUnits }), max: integer({ min: 0, max: maxUnits }) }).nullable()
    .describe("In the smallest unit of the store's currency"),
  available: flag().nullable().describe('True: only what can be bought now'),
}).nullable()

const selectedOptions = () =>
  list(object({ name: text({ max: 255 }).required(), label: text({ max: 255 }).required() }), { max: 10 }).nullable()

export const searchInput = createBody({
  query: text({ max: 200 }).nullable(),
  filters: filters(),
  context: context(),
  pagination: object({ cursor: text({ max: 100 }).nullable(), limit: integer({ min: 1 }) }).nullable(),
})

export const lookupInput = createBody({
  ids: list(text({ max: 100 }), { min: 1, max: maxSentIds })
    .required()
    .describe(`IDs of products or variants, ${maxIds} at most`),
  filters: filters(),
  context: context(),
})

export const productInput = createBody({
  id: text({ max: 100 }).required().describe('ID of a product or a variant'),
  selected: selectedOptions().describe('Options that are chosen already'),
  preferences: list(text({ max: 255 }), { max: 10 })
    .nullable()
    .describe('Names of options, the most important first: the last is given up first'),
  filters: filters(),
  context: context(),
})

export type SearchInput = NonNullable<(typeof searchInput)['type']>
export type LookupInput = NonNullable<(typeof lookupInput)['type']>
export type ProductInput = NonNullable<(typeof productInput)['type']>
export type CatalogFilters = Create<{ filters: ReturnType<typeof filters> }>['filters']

export const perPage = (limit: number | undefined) => Math.min(limit ?? 10, maxPerPage)
