import { settingRoutes } from '../stores/setting.ts'
import { paymentMethods } from './method.ts'

export const routes = settingRoutes(paymentMethods)
