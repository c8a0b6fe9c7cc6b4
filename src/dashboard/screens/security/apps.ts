// Apps that the person has connected, in all stores. A new password does not disconnect them.
import { html } from 'hono/html'
import { portalScope } from '../../../identity/accounts/roles.ts'
import { listAppsOfUser, type UserApp } from '../../../identity/oauth/usergrants.ts'
import { endpoint } from '../../framework/api.ts'
import { record } from '../../framework/record.ts'
import { recordRows } from '../../framework/recordrows.ts'
import type { Html, PageContext } from '../../framework/screen.ts'

// prettier-ignore
export const ownApps = record({
  path: '/settings/security/apps', scope: portalScope, title: 'own_apps', section: 'settings',
  within: { path: '/settings/security', title: 'security' }, isOpenWithoutSecondFactor: true,
  actions: {
    end_all: {
      route: endpoint('DELETE /grants'), done: 'own_apps_ended',
      confirm: { title: 'own_apps_ask', text: 'own_apps_ask_text', button: 'own_apps_end' },
    },
  },
  read: ({ allStores, session }: PageContext) => listAppsOfUser(allStores, session.user_id),
  main: [
    ({ t }, { length }) => length > 0 ? html`<p>${t('own_apps_text')}</p>` : '',
    recordRows({ label: 'own_apps', none: ['apps_none', 'own_apps_none'], row: renderAppRow }),
    { act: 'end_all', text: 'own_apps_end', kind: 'quiet danger', when: ({ length }) => length > 0 },
  ],
})

function renderAppRow({ t, formatTime }: PageContext, { name, stores, last_used_at }: UserApp): Html {
  const usedText = `${t('last_used')}: ${last_used_at ? formatTime(last_used_at) : t('never_used')}`
  return html`<li><div><p><strong>${name}</strong></p>
<p class="hint">${[stores.join(', '), usedText].join(' · ')}</p></div></li>`
}
