// The provinces of a tax zone, as ISO 3166-2 codes.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { provinceCodeOf } from '../../kit/values/provinces.ts'
import type { Store } from '../../tenancy/stores/store.ts'

/** Converts names and codes to unique codes. */
export async function provinceCodes(tx: Tx, store: Store, id: string, values: Record<string, any>): Promise<object> {
  const place: Partial<ZonePlaces> = values
  if (!place.provinces && !place.country_code) return {}
  const before = place.provinces && place.country_code ? undefined : await findZonePlaces(tx, store.id, id)
  const { country_code, provinces = [] } = { ...before, ...place }
  // The zone does not exist, which the update reports.
  if (!country_code) return {}
  const codes = provinces.map((name) => provinceCodeOf(country_code, name))
  const faults = codes.flatMap((code, index) =>
    code === null ? [fault(`provinces.${index}`, generalFaults.no_province, { country: country_code })] : [],
  )
  if (faults.length > 0) throw invalid(...faults)
  return { provinces: [...new Set(codes)] }
}

type ZonePlaces = { country_code: string; provinces: string[] }

function findZonePlaces(tx: Tx, storeId: string, id: string): Promise<ZonePlaces | undefined> {
  return tx.one<ZonePlaces>(sql`
    select country_code, provinces from tax_zones
    where store_id = ${storeId}
      and id = ${id}`)
}
