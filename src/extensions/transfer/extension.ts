// Files of other systems into a store, and its lists as files that such an import reads.
import texts from '../../../languages/en/dashboard-imports.json' with { type: 'json' }
import { html } from 'hono/html'
import type { PageContext } from '../../dashboard/framework/screen.ts'
import { mayUse } from '../../identity/accounts/roles.ts'
import { version } from '../../platform/process/version.ts'
import type { Extension } from '../../tenancy/extensions/extension.ts'
import { exportCommand } from './cli/export.ts'
import { importCommand } from './cli/import.ts'
import { listFiles } from './exports/export.ts'
import { faultMessages } from './imports/errors.ts'
import type { ImportJobParts } from './imports/job.ts'
import { routes } from './imports/routes.ts'
import * as tables from './tables.ts'
import { importsPath } from './screens/path.ts'

type ImportTexts = typeof texts
declare module '../../dashboard/framework/messages.ts' {
  interface AddedTexts extends ImportTexts {}
}

export const transfer = {
  name: 'transfer',
  version,
  tables: Object.values(tables),
  routes,
  tags: { Imports: 'Files of products, customers, orders, discounts and redirects, with an account of every row.' },
  files: listFiles,
  jobs: async (parts: ImportJobParts) => (await import('./imports/job.ts')).buildImportJobs(parts),
  areas: { 'dashboard-imports': texts },
  screens: async () => (await import('./screens/screens.ts')).screens,
  buttons: {
    '/shop/redirects': ({ t, base, role }: PageContext) =>
      mayUse(role, 'write:store')
        ? html`
<a class="button quiet" href="${base}${importsPath}?kind=redirects">${t('imports')}</a>`
        : '',
  },
  faultMessages,
  commands(program, actions) {
    importCommand(program, actions)
    exportCommand(program, actions)
  },
} satisfies Extension
