// Prices of a file beside those of the store: with the tax, or without it. They are never converted in silence, and
// never taken as they are in silence.
import { findTaxTerms, type TaxTerms } from '../../../commerce/tax/terms.ts'
import type { Db } from '../../../kit/database/database.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { normalizeColumnName } from './columns.ts'
import type { Fix } from './fixes.ts'
import type { MappedColumn } from './record.ts'
import type { PriceTax } from './sources/source.ts'

const priceFields = new Set(['price', 'compare_price', 'sale_price', 'surcharge'])

// prettier-ignore
const words = {
  excluded: ['net', 'netto', 'nettopreis', 'ht', 'excl', 'exkl', 'excluded', 'zzgl'],
  included: ['gross', 'brutto', 'bruttopreis', 'ttc', 'incl', 'inkl', 'included'],
}

/** As the source says, or the name of the column. */
function readPriceTax({ name, field, tax }: MappedColumn): PriceTax | undefined {
  if (field === null || !priceFields.has(field)) return undefined
  const parts = normalizeColumnName(name).split(/[^\p{L}]+/u)
  const has = (side: keyof typeof words) => words[side].some((word) => parts.includes(word))
  return has('excluded') ? 'excluded' : has('included') ? 'included' : tax
}

export type ImportTaxTerms = Pick<TaxTerms, 'tax_rate' | 'tax_included'> & { currency: string }

export async function readPriceTerms(db: Db, { id, currency }: Store): Promise<ImportTaxTerms> {
  return { ...(await findTaxTerms(db, id)), currency }
}

/** Of two columns of one price, the one that is as the store's prices are. */
export function chooseByTax(columns: readonly MappedColumn[], { tax_included }: ImportTaxTerms): MappedColumn[] {
  const taxes = columns.map(readPriceTax)
  const own = tax_included ? 'included' : 'excluded'
  return columns.map((column, at) => {
    const isOther = taxes[at] !== undefined && taxes[at] !== own
    const hasBetter = isOther && columns.some(({ field }, place) => field === column.field && taxes[place] === own)
    return hasBetter ? { name: column.name, field: null } : column
  })
}

/** Says how the prices of the column are read, and asks if they may be others than the store's. */
export function compareTax(column: MappedColumn, store: ImportTaxTerms, fixes: readonly Fix[]): MappedColumn {
  const tax = readPriceTax(column)
  const rate = Number(store.tax_rate)
  const isOwn = tax === (store.tax_included ? 'included' : 'excluded')
  if (tax === undefined || isOwn || !(rate > 0)) return column
  const fix = fixes.find((one) => one.column === column.name && (one.action === 'keep' || one.action === 'convert'))
  if (fix?.action === 'keep') return { ...column, warning: 'prices_kept' }
  if (!fix) return { ...column, warning: `tax_${tax}` }
  const conversion = { rate, adds: store.tax_included, currency: store.currency }
  return { ...column, warning: conversion.adds ? 'tax_added' : 'tax_removed', conversion }
}
