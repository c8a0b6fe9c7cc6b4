// The developer's clients and the apps of a store: as JSON for the dashboard, and as pages.
import { html } from 'hono/html'
import { ApiError, invalid } from '../kit/values/errors.ts'
import { publicId } from '../kit/values/ids.ts'
import { fault } from '../kit/values/faults.ts'
import { scopes } from '../apikeys/scopes.ts'
import { storeOfVisit } from '../accounts/portal.ts'
import { chosenStore, dateIn, portalFrame, scopeInWords, storeTabs } from '../accounts/portalpages.ts'
import { refusalIn } from '../accounts/refusal.ts'
import {
  api,
  field,
  page,
  signedIn,
  signedInLately,
  type Html,
  type Reply,
  type Screen,
  type Visit,
} from '../accounts/screen.ts'
import type { Membership } from '../accounts/session.ts'
import { managers, roles } from '../accounts/user.ts'
import { hidden, input, notice } from '../accounts/view.ts'
import { disconnectApp, listApps, type ConnectedApp } from './apps.ts'
import { createClient, deleteClient, listClients, rotateSecret, type NewClient, type OwnClient } from './portal.ts'

const gone = { deleted: true }

export const clientScreens: Screen[] = [
  api('GET', '/clients', async (visit) => listClients(visit.db, signedIn(visit).user_id)),
  api('POST', '/clients', async (visit) => create(visit, newClient(visit)), 201),
  api('POST', '/clients/:id/secret', async (visit) => rotate(visit, visit.params.id!)),
  api('DELETE', '/clients/:id', async (visit) => remove(visit, visit.params.id!).then(() => gone)),
  api('GET', '/stores/:store/apps', appsOf),
  api('DELETE', '/stores/:store/apps/:client', (visit) =>
    disconnect(visit, visit.params.store!, visit.params.client!).then(() => gone),
  ),
  page('GET', '/portal', (visit) => clientsPage(visit)),
  page('POST', '/portal', changeClientFromPage),
  page('GET', '/portal/apps', appsPage),
  page('POST', '/portal/apps', disconnectFromPage),
]

function create(visit: Visit, client: NewClient) {
  const { user_id } = signedInLately(visit)
  return visit.db.transaction((tx) => createClient(tx, user_id, client))
}

function rotate(visit: Visit, id: string) {
  const { user_id } = signedInLately(visit)
  return visit.db.transaction((tx) => rotateSecret(tx, user_id, id))
}

function remove(visit: Visit, id: string) {
  const { user_id } = signedInLately(visit)
  return visit.db.transaction((tx) => deleteClient(tx, user_id, id))
}

function newClient(visit: Visit): NewClient {
  const { redirect_uris } = visit.body
  if (!Array.isArray(redirect_uris)) throw invalid(fault('redirect_uris', 'no_list'))
  return {
    name: field(visit, 'client_name'),
    redirectUris: redirect_uris,
    scope: field(visit, 'scope'),
    authMethod: field(visit, 'token_endpoint_auth_method') || undefined,
    softwareId: field(visit, 'software_id') || undefined,
  }
}

async function appsOf(visit: Visit): Promise<ConnectedApp[]> {
  const { store } = storeOfVisit(visit, visit.params.store!, roles)
  return listApps(visit.db, store.id)
}

async function disconnect(visit: Visit, storeId: string, clientId: string): Promise<void> {
  const { session, store } = storeOfVisit(visit, storeId, managers)
  const { ip, userAgent } = visit
  const by = { kind: 'user', id: publicId('usr', session.user_id), ip, userAgent } as const
  await visit.db.transaction((tx) => disconnectApp(tx, store.id, clientId, by))
}

async function clientsPage(visit: Visit, told: Html | '' = '', status = 200): Promise<Reply> {
  const { say } = visit
  const clients = await listClients(visit.db, signedIn(visit).user_id)
  return {
    status,
    page: portalFrame(
      visit,
      'clients',
      html`
${told}
${clients.length === 0 ? html`<p>${say('app_none')}</p>` : ''}
<ul class="rows">${clients.map((client) => clientRow(visit, client))}</ul>
<details${status === 200 ? '' : html` open`}><summary>${say('app_new')}</summary>${clientForm(visit)}</details>`,
    ),
  }
}

function clientRow({ say, root }: Visit, client: OwnClient): Html {
  const isPublic = client.token_endpoint_auth_method === 'none'
  const button = (act: string, text: string) => html`<button class="quiet" name="act" value="${act}">${text}</button>`
  return html`
<li><div>
<p><strong>${client.client_name}</strong></p>
<p><code>${client.client_id}</code></p>
<p class="hint">${String(client.scope ?? '')}</p>
</div>
<form method="post" action="${root}/oauth/portal" class="pair">${hidden('id', client.client_id)}
${isPublic ? '' : button('rotate', say('app_rotate'))}${button('delete', say('app_delete'))}</form></li>`
}

function clientForm(visit: Visit): Html {
  const { say, root } = visit
  const box = (name: string, value: string, text: Html) => html`
<label class="choice"><input type="checkbox" name="${name}" value="${value}"> <span>${text}</span></label>`
  const name = { name: 'client_name', type: 'text', autocomplete: 'off', value: field(visit, 'client_name') } as const
  return html`
<form method="post" action="${root}/oauth/portal">
${input(say('app_name'), name)}
<p class="field"><label for="redirects">${say('app_redirects')}</label>
<textarea id="redirects" name="redirects" required spellcheck="false">${field(visit, 'redirects')}</textarea></p>
<fieldset><legend>${say('app_scopes')}</legend>
${scopes.map((scope) => box('scope', scope, html`${scopeInWords(visit, scope)} <code>${scope}</code>`))}
</fieldset>
${box('public', '1', html`${say('app_public')}`)}
<button name="act" value="create">${say('app_create')}</button>
</form>`
}

async function changeClientFromPage(visit: Visit): Promise<Reply> {
  const id = field(visit, 'id')
  const empty = { ...visit, body: {} }
  try {
    switch (field(visit, 'act')) {
      case 'create':
        return await clientsPage(empty, secretNotice(visit, await create(visit, clientOfForm(visit))))
      case 'rotate':
        return await clientsPage(empty, secretNotice(visit, await rotate(visit, id)))
      case 'delete':
        await remove(visit, id)
    }
    return { location: `${visit.root}/oauth/portal` }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return clientsPage(visit, notice('error', refusalIn(visit.say, error)), error.status)
  }
}

function clientOfForm(visit: Visit): NewClient {
  return {
    name: field(visit, 'client_name'),
    redirectUris: field(visit, 'redirects').split(/\s+/).filter(Boolean),
    scope: [visit.body.scope ?? []].flat().map(String).join(' '),
    authMethod: field(visit, 'public') ? 'none' : undefined,
  }
}

function secretNotice({ say }: Visit, made: { client_id: string; client_secret?: string }): Html {
  const { client_id, client_secret } = made
  return html`<div class="notice done" role="status">
${client_secret ? html`<p>${say('app_secret_once')}</p>` : ''}
<p>client_id <code class="secret">${client_id}</code></p>
${client_secret ? html`<p>client_secret <code class="secret">${client_secret}</code></p>` : ''}
</div>`
}

async function appsPage(visit: Visit): Promise<Reply> {
  const store = chosenStore(visit)
  const apps = store ? await listApps(visit.db, store.id) : []
  return {
    page: portalFrame(
      visit,
      'apps',
      html`
${storeTabs(visit, store)}
${apps.length === 0 ? html`<p>${visit.say('apps_none')}</p>` : ''}
<ul class="rows">${apps.map((app) => appRow(visit, store!, app))}</ul>`,
    ),
  }
}

function appRow(visit: Visit, store: Membership, app: ConnectedApp): Html {
  const { say, language, root } = visit
  const { client_id, name, granted_by, last_used_at } = app
  const connected = say('connected', { when: dateIn(language, app.connected_at), who: granted_by.join(', ') })
  const used = last_used_at ? say('last_used', { when: dateIn(language, last_used_at) }) : say('never_used')
  const end = html`
<form method="post" action="${root}/oauth/portal/apps?store=${store.id}">${hidden('client_id', client_id)}
<button class="quiet">${say('revoke')}</button></form>`
  return html`
<li><div>
<p><strong>${name}</strong></p>
<ul>${app.scopes.map((scope) => html`<li>${scopeInWords(visit, scope)}</li>`)}</ul>
<p class="hint">${connected} · ${used}</p>
</div>${store.role === 'staff' ? '' : end}</li>`
}

async function disconnectFromPage(visit: Visit): Promise<Reply> {
  await disconnect(visit, visit.query.store ?? '', field(visit, 'client_id'))
  return { location: visit.here }
}
