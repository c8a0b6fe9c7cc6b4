// Settings > Developers > Connected apps: OAuth clients with access to the store.
import { html } from 'hono/html'
import { isManager, portalScope } from '../../../identity/accounts/roles.ts'
import { listApps, type ConnectedApp } from '../../../identity/oauth/apps.ts'
import { scopesInWords } from '../../../identity/oauth/messages.ts'
import { endpoint } from '../../framework/api.ts'
import { button } from '../../framework/form.ts'
import { record } from '../../framework/record.ts'
import { recordRows } from '../../framework/recordrows.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { inSettings } from '../../framework/placement.ts'

// prettier-ignore
export const apps = record({
  path: '/settings/developer/apps', scope: portalScope, title: 'connected_apps',
  ...inSettings('developer', { text: 'connected_apps_text', icon: 'app' }),
  actions: {
    end: {
      route: endpoint('DELETE /stores/{store}/apps/{app}'), done: 'app_ended',
      confirm: { title: 'app_end_ask', text: 'app_end_text', button: 'app_end' },
    },
  },
  read: ({ db, store }: PageContext) => listApps(db, store.id),
  main: [recordRows({ label: 'connected_apps', none: ['apps_none', 'apps_none_text'], row: renderAppRow })],
})

function renderAppRow(
  context: PageContext,
  { client_id, name, scopes, granted_by, connected_at, last_used_at, webhooks }: ConnectedApp,
): Html {
  const { t, formatTime, role, language } = context
  const connectedText = t('app_connected', { when: formatTime(connected_at), who: granted_by.join(', ') })
  const usedText = `${t('last_used')}: ${last_used_at ? formatTime(last_used_at) : t('never_used')}`
  const about = [connectedText, usedText, ...(webhooks > 0 ? [t('app_webhooks', { count: webhooks })] : [])]
  const fixed = { app: client_id, label: name }
  return html`<li><div><p><strong>${name}</strong></p><p class="hint">${about.join(' · ')}</p>
<details class="more"><summary>${t('app_may', { count: scopes.length })}<span class="hidden"> ${name}</span></summary>
<ul class="bullets">${scopesInWords(language, scopes).map((text) => html`<li>${text}</li>`)}</ul></details></div>
${isManager({ role }) ? button(context, { act: 'end', fixed, text: 'app_end', kind: 'quiet danger' }) : ''}</li>`
}
