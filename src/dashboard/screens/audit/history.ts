// The way from a record to the audit log's entries about it, each of which can be undone there.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { auditPath, auditScope } from './audit.ts'

export function historyLink({ t, base, role, params }: PageContext): Html | '' {
  if (!mayUse(role, auditScope)) return ''
  return html`<a class="button quiet" href="${base}${auditPath}?id=${params.id!}">${t('history')}</a>`
}
