// The apps that were let into a store.
import { html } from 'hono/html'
import { notFound } from '../kit/values/errors.ts'
import { hidden } from '../pages/parts.ts'
import { isManager } from '../accounts/roles.ts'
import type { Membership } from '../accounts/session.ts'
import { managers } from '../accounts/user.ts'
import { disconnectApp, listApps, type ConnectedApp } from '../oauth/apps.ts'
import { scopeInWords } from '../oauth/words.ts'
import { field, page, type Html, type Page, type Reply, type Visit } from '../signin/page.ts'
import { askFirst, chosenStore, dateIn, doerOf, isSure, portalFrame, portalPath, storeTabs } from './frame.ts'
import { storeOf } from './team.ts'
import { sayIn } from './words.ts'

export const appPages: Page[] = [page('GET', '/portal/apps', appsPage), page('POST', '/portal/apps', disconnect)]

async function appsPage(visit: Visit): Promise<Reply> {
  const store = chosenStore(visit)
  const apps = store ? await listApps(visit.db, store.id) : []
  const content = html`
${storeTabs(visit, store)}
${apps.length === 0 ? html`<p>${sayIn(visit.language)('apps_none')}</p>` : ''}
<ul class="rows">${apps.map((app) => appRow(visit, store!, app))}</ul>`
  return { page: portalFrame(visit, 'apps', content, store) }
}

function appRow({ language, root }: Visit, store: Membership, app: ConnectedApp): Html {
  const say = sayIn(language)
  const { client_id, name, granted_by, last_used_at } = app
  const when = (date: Date) => dateIn(language, date, store)
  const connected = say('connected', { when: when(app.connected_at), who: granted_by.join(', ') })
  const used = last_used_at ? say('last_used', { when: when(last_used_at) }) : say('never_used')
  const end = html`
<form method="post" action="${root}${portalPath('apps')}?store=${store.id}">${hidden('client_id', client_id)}
<button class="quiet">${say('revoke')}</button></form>`
  return html`
<li><div>
<p><strong>${name}</strong></p>
<ul>${app.scopes.map((scope) => html`<li>${scopeInWords(language, scope)}</li>`)}</ul>
<p class="hint">${connected} · ${used}</p>
</div>${isManager(store) ? end : ''}</li>`
}

async function disconnect(visit: Visit): Promise<Reply> {
  const store = storeOf(visit, visit.query.store ?? '', managers)
  const client_id = field(visit.form, 'client_id')
  if (isSure(visit)) {
    await visit.db.transaction((tx) => disconnectApp(tx, store.id, client_id, doerOf(visit)))
    return { to: `${portalPath('apps')}?store=${store.id}` }
  }
  const app = (await listApps(visit.db, store.id)).find((candidate) => candidate.client_id === client_id)
  if (!app) throw notFound('App')
  const say = sayIn(visit.language)
  const title = say('revoke_ask', { name: app.name, store: store.name })
  return askFirst(visit, 'apps', { title, text: say('revoke_text'), fields: { client_id }, button: say('revoke') })
}
