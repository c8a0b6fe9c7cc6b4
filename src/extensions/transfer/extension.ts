// Files of other systems into a store, and its lists as files that such an import reads.
import texts from '../../../languages/en/dashboard-imports.json' with { type: 'json' }
import { html } from 'hono/html'
import type { PageContext } from '../../dashboard/framework/screen.ts'
import { attributes } from '../../platform/pages/parts.ts'
import { mayUse } from '../../identity/accounts/roles.ts'
import { version } from '../../platform/process/version.ts'
import type { Extension } from '../../tenancy/extensions/extension.ts'
import { exportCommand } from './cli/export.ts'
import { importCommand } from './cli/import.ts'
import { listFiles } from './exports/export.ts'
import { faultMessages } from './imports/errors.ts'
import type { ImportJobParts } from './imports/job.ts'
import { routes } from './imports/routes.ts'
import { getImportScope, type ImportKind } from './imports/sources/source.ts'
import * as tables from './tables.ts'
import { importsPath } from './screens/path.ts'

type ImportTexts = typeof texts
declare module '../../dashboard/framework/messages.ts' {
  interface AddedTexts extends ImportTexts {}
}

/** Leads to the form with the kind chosen, for those who may import it. */
function linkToImport(kind: ImportKind, { text, look }: { text: keyof ImportTexts; look?: string }) {
  return ({ t, base, role }: PageContext) =>
    mayUse(role, getImportScope(kind))
      ? html`
<a${attributes({ class: look })} href="${base}${importsPath}?kind=${kind}">${t(text)}</a>`
      : ''
}

const importButton = (kind: ImportKind) => linkToImport(kind, { text: 'imports', look: 'button quiet' })

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
    '/': linkToImport('products', { text: 'import_first' }),
    '/products': importButton('products'),
    '/customers': importButton('customers'),
    '/orders': importButton('orders'),
    '/shop/redirects': importButton('redirects'),
  },
  faultMessages,
  commands(program, actions) {
    importCommand(program, actions)
    exportCommand(program, actions)
  },
} satisfies Extension
