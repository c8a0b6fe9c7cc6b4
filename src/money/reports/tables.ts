import { table } from '../../tenancy/tables/table.ts'
import { salesRules } from './rules.ts'

const sums = { audit: 'sums of rows' }

export const salesByDay = table('sales_by_day', sums)
export const salesByPeriod = table('sales_by_period', sums)
export const salesDays = table('sales_days', sums)
export const salesSums = table('sales_sums', { ...sums, rules: salesRules })
export const taxByDay = table('tax_by_day', sums)
export const unsummed = table('unsummed', { audit: 'what follows from writes' })
export const unsummedCategories = table('unsummed_categories', { audit: 'what follows from writes' })
export const unsummedDays = table('unsummed_days', { audit: 'what follows from writes' })
