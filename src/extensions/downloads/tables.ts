import { table, undoSettings } from '../../tenancy/tables/table.ts'
import { file, grant, key, settings } from './download.ts'
import { resetSettings, saveSettings } from './settings.ts'

export const files = table(file, { audit: { noun: 'download', scope: 'products' } })

export const grants = table(grant, { audit: { noun: 'download_grant', scope: 'orders' } })

export const keys = table(key, {
  audit: { noun: 'license_key', scope: 'products' },
  unforked: 'keys that buyers use',
  erasure: 'a key says nothing of its buyer, and must not be sold again',
})

export const downloadSettings = table(settings, {
  audit: { noun: 'download_settings', undo: undoSettings(settings, { save: saveSettings, reset: resetSettings }) },
})

export const leftovers = table('downloads_leftovers', {
  audit: 'files to remove',
  stays: 'files that are about to be deleted',
})
