// Files and license keys for buyers of a product.
import texts from '../../../languages/en/dashboard-downloads.json' with { type: 'json' }
import type { PageContext } from '../../dashboard/framework/screen.ts'
import { version } from '../../platform/process/version.ts'
import type { Extension } from '../../tenancy/extensions/extension.ts'
import { faultMessages } from './errors.ts'
import { keysMissing } from './events.ts'
import { storedFiles } from './files.ts'
import { grantOrders } from './grants.ts'
import type { DownloadJobParts } from './job.ts'
import { letters } from './letters.ts'
import { routes } from './routes.ts'
import * as tables from './tables.ts'

type DownloadTexts = typeof texts

declare module '../../dashboard/framework/messages.ts' {
  interface AddedTexts extends DownloadTexts {}
}

export const downloads = {
  name: 'downloads',
  version,
  tables: Object.values(tables),
  events: [keysMissing],
  follows: { 'order.created': grantOrders, 'order.updated': grantOrders },
  routes,
  tags: { Downloads: 'Files and license keys that buyers of a product get once they have paid.' },
  areas: { 'dashboard-downloads': texts },
  letters,
  shop: async () => (await import('./shop.ts')).shop,
  jobs: async (parts: DownloadJobParts) => (await import('./job.ts')).buildDownloadJobs(parts),
  screens: async () => (await import('./screen.ts')).screens,
  panels: {
    '/products/{id}': async (context: PageContext) => (await import('./panels.ts')).showProduct(context),
    '/orders/{id}': async (context: PageContext) => (await import('./panels.ts')).showOrder(context),
  },
  faultMessages,
  storedFiles,
} satisfies Extension
