// The tax settings of a store.
import type { Db } from '../../kit/database/database.ts'
import { inStore, sql, bindStore } from '../../kit/database/sql.ts'
import type { Entity } from '../../kit/declare/field.ts'
import { jsonObject } from '../../kit/declare/row.ts'
import { taxZone } from './taxzone.ts'

// prettier-ignore
const zoneNames = [
  'name', 'country_code', 'provinces', 'postal_codes', 'rate', 'reason', 'components', 'tax_id', 'included', 'shipping',
  'shipping_tax', 'category_rates',
] as const

export type TaxZone = Pick<Entity<typeof taxZone.fields>, (typeof zoneNames)[number]>

export type TaxTerms = {
  tax_id: string | null
  tax_rate: string
  tax_included: boolean
  tax_shipping: boolean
  tax_rounding: 'order' | 'line'
  tax_fixed_prices: boolean
  /** In the order in which they are matched. */
  tax_zones: TaxZone[]
}

/** For queries that select from stores. */
export const taxColumns = sql`
  stores.tax_id, stores.tax_rate, stores.tax_included, stores.tax_shipping, stores.tax_rounding,
  stores.tax_fixed_prices, (
    select coalesce(json_agg(${jsonObject(taxZone, zoneNames)} order by position, id), '[]')
    from tax_zones
    where tax_zones.store_id = ${bindStore('stores.id')}
      and tax_zones.is_active) as tax_zones`

export async function findTaxTerms(db: Db, storeId: string): Promise<TaxTerms> {
  return (await db.one<TaxTerms>(inStore(storeId, sql`select ${taxColumns} from stores where id = ${storeId}`)))!
}
