import { sql } from '../../kit/database/sql.ts'
import { buildEmailMatch } from '../../tenancy/tables/person.ts'
import { table, undoSettings } from '../../tenancy/tables/table.ts'
import { resetSettings, saveSettings } from './operations.ts'
import { request, settings } from './request.ts'

export const requests = table(request, {
  audit: 'what shoppers ask for',
  unforked: 'email to people',
  erasure: (tx, storeId, person) =>
    tx.later(sql`
    delete from backinstock_requests
    where store_id = ${storeId}
      and ${buildEmailMatch(person, sql`backinstock_requests.email`, sql`backinstock_requests.created_at`)}`),
})

export const requestSettings = table(settings, {
  audit: { noun: 'back_in_stock_settings', undo: undoSettings(settings, { save: saveSettings, reset: resetSettings }) },
})
