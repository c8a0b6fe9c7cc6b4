import { table } from '../tables/table.ts'

export const storeVersions = table('store_versions', {
  audit: 'moves with whatever else is written',
  stays: 'they prove answers that the installation has in memory',
})
