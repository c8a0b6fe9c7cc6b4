import { settingRoutes } from '../../tenancy/stores/setting.ts'
import { taxZones } from './taxzone.ts'

export const routes = settingRoutes(taxZones)
