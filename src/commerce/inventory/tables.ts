import { table } from '../../tenancy/tables/table.ts'
import { stockRules } from './rules.ts'

export const inventoryTransactions = table('inventory_transactions', {
  audit: 'a log of its own, never changed',
  rules: stockRules,
})
export const scarceProducts = table('scarce_products', { audit: 'what follows from products' })
