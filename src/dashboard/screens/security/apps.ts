// Apps that the person has connected, in all stores. A new password does not disconnect them.
import { html } from 'hono/html'
import { portalScope } from '../../../identity/accounts/roles.ts'
import { listAppsOfUser } from '../../../identity/oauth/usergrants.ts'
import { endpoint } from '../../framework/api.ts'
import { button } from '../../framework/form.ts'
import type { Screen } from '../../framework/screen.ts'
import { emptyState } from '../../framework/parts.ts'

export const ownApps: Screen = {
  path: '/settings/security/apps',
  scope: portalScope,
  title: 'own_apps',
  section: 'settings',
  within: { path: '/settings/security', title: 'security' },
  isOpenWithoutSecondFactor: true,
  actions: {
    end_all: {
      route: endpoint('DELETE /grants'),
      confirm: { title: 'own_apps_ask', text: 'own_apps_ask_text', button: 'own_apps_end' },
      done: 'own_apps_ended',
    },
  },
  async show(context) {
    const { t, formatTime, allStores, session } = context
    const apps = await listAppsOfUser(allStores, session.user_id)
    if (apps.length === 0) {
      return { content: emptyState(t, 'apps_none', 'own_apps_none') }
    }
    const rows = apps.map(({ name, stores, last_used_at }) => {
      const used = `${t('last_used')}: ${last_used_at ? formatTime(last_used_at) : t('never_used')}`
      return html`<li><div><p><strong>${name}</strong></p>
<p class="hint">${[stores.join(', '), used].join(' · ')}</p></div></li>`
    })
    return {
      content: html`<p>${t('own_apps_text')}</p><ul class="records" aria-label="${t('own_apps')}">${rows}</ul>
${button(context, { act: 'end_all', text: 'own_apps_end', kind: 'quiet danger' })}`,
    }
  },
}
