// Shoppers leave an email for what is sold out, and get one email when it can be bought again.
import texts from '../../../languages/en/dashboard-backinstock.json' with { type: 'json' }
import { html } from 'hono/html'
import { sql } from '../../kit/database/sql.ts'
import type { PageContext } from '../../dashboard/framework/screen.ts'
import { version } from '../../platform/process/version.ts'
import type { Extension } from '../../tenancy/extensions/extension.ts'
import { buildEmailMatch, type ErasedPerson } from '../../tenancy/tables/person.ts'
import { letters } from './letters.ts'
import { request } from './request.ts'
import { routes } from './routes.ts'
import * as tables from './tables.ts'

type BackInStockTexts = typeof texts

declare module '../../dashboard/framework/messages.ts' {
  interface AddedTexts extends BackInStockTexts {}
}

export const backInStock = {
  name: 'backinstock',
  version,
  tables: Object.values(tables),
  routes,
  tags: { 'Back in stock': 'Shoppers who wait for sold-out items, and get one email when they can buy them.' },
  areas: { 'dashboard-backinstock': texts },
  letters,
  shop: async () => (await import('./shop.ts')).shop,
  jobs: async () => (await import('./job.ts')).buildBackInStockJobs(),
  screens: async () => (await import('./screen.ts')).screens,
  buttons: {
    '/inventory': ({ t, base }: PageContext) => html`
<a class="button quiet" href="${base}/inventory/waiting">${t('backinstock_list')}</a>`,
  },
  exports: {
    backinstock_requests: {
      resource: request,
      scope: 'read:customers',
      isTheirs: (person: ErasedPerson) =>
        buildEmailMatch(person, sql`backinstock_requests.email`, sql`backinstock_requests.created_at`),
    },
  },
} satisfies Extension
