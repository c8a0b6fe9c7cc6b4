import { undoSetting } from '../../tenancy/tables/setting.ts'
import { table } from '../../tenancy/tables/table.ts'
import { taxZone, taxZones } from './taxzone.ts'

export const taxZoneTable = table(taxZone, { audit: { noun: 'tax_zone', undo: undoSetting(taxZones) } })
