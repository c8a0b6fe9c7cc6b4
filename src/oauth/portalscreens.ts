// The developer's clients and the apps of a store: as JSON for the dashboard, and as pages.
import { html } from 'hono/html'
import { ApiError, invalid } from '../kit/errors.ts'
import { scopes } from '../apikeys/scopes.ts'
import { chosenStore, dateIn, portalFrame, scopeInWords, storeOfVisit, storeTabs } from '../accounts/portal.ts'
import { field, signedIn, signedInLately, type Html, type Reply, type Screen, type Visit } from '../accounts/screen.ts'
import { roles } from '../accounts/user.ts'
import { hidden, input, notice } from '../accounts/view.ts'
import { disconnectApp, listApps } from './apps.ts'
import { createClient, deleteClient, listClients, rotateSecret, type NewClient } from './portal.ts'

export const clientScreens: Screen[] = [
  { method: 'GET',    path: '/oauth/portal/api/clients',                    kind: 'json', run: async (visit) => ({ json: { data: await listClients(visit.db, signedIn(visit).user_id) } }) },
  { method: 'POST',   path: '/oauth/portal/api/clients',                    kind: 'json', run: async (visit) => ({ status: 201, json: { data: await create(visit, newClient(visit)) } }) },
  { method: 'POST',   path: '/oauth/portal/api/clients/:id/secret',         kind: 'json', run: async (visit) => ({ json: { data: await rotate(visit, visit.params.id!) } }) },
  { method: 'DELETE', path: '/oauth/portal/api/clients/:id',                kind: 'json', run: async (visit) => { await remove(visit, visit.params.id!); return { json: { data: { deleted: true } } } } },
  { method: 'GET',    path: '/oauth/portal/api/stores/:store/apps',         kind: 'json', run: appsJson },
  { method: 'DELETE', path: '/oauth/portal/api/stores/:store/apps/:client', kind: 'json', run: async (visit) => { await disconnect(visit, visit.params.store!, visit.params.client!); return { json: { data: { deleted: true } } } } },
  { method: 'GET',    path: '/oauth/portal',                                kind: 'page', run: (visit) => clientsPage(visit) },
  { method: 'POST',   path: '/oauth/portal',                                kind: 'page', run: changeClientFromPage },
  { method: 'GET',    path: '/oauth/portal/apps',                           kind: 'page', run: appsPage },
  { method: 'POST',   path: '/oauth/portal/apps',                           kind: 'page', run: disconnectFromPage },
]

const managers = ['owner', 'admin'] as const

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
  if (!Array.isArray(redirect_uris)) throw invalid({ field: 'redirect_uris', message: 'must be a list' })
  return {
    name: field(visit, 'client_name'),
    redirectUris: redirect_uris,
    scope: field(visit, 'scope'),
    authMethod: field(visit, 'token_endpoint_auth_method') || undefined,
    softwareId: field(visit, 'software_id') || undefined,
  }
}

async function appsJson(visit: Visit): Promise<Reply> {
  const { store } = storeOfVisit(visit, visit.params.store!, roles)
  return { json: { data: await listApps(visit.db, store.id) } }
}

async function disconnect(visit: Visit, storeId: string, clientId: string): Promise<void> {
  const { store } = storeOfVisit(visit, storeId, managers)
  await visit.db.transaction((tx) => disconnectApp(tx, store.id, clientId))
}

async function clientsPage(visit: Visit, told: Html | '' = '', status = 200): Promise<Reply> {
  const { say, root } = visit
  const clients = await listClients(visit.db, signedIn(visit).user_id)
  const button = (id: string, act: string, text: string) => html`<form method="post" action="${root}/oauth/portal">${hidden('id', id)}<button class="quiet" name="act" value="${act}">${text}</button></form>`
  return { status, page: portalFrame(visit, 'clients', html`
${told}
${clients.length === 0 ? html`<p>${say('app_none')}</p>` : ''}
<ul class="rows">${clients.map((client) => html`
<li><div><p><strong>${client.client_name}</strong></p><p><code>${client.client_id}</code></p><p class="hint">${String(client.scope ?? '')}</p></div>
<div class="pair">${client.token_endpoint_auth_method === 'none' ? '' : button(client.client_id, 'rotate', say('app_rotate'))}${button(client.client_id, 'delete', say('app_delete'))}</div></li>`)}
</ul>
<details${status === 200 ? '' : html` open`}><summary>${say('app_new')}</summary>
<form method="post" action="${root}/oauth/portal">
${input(say('app_name'), { name: 'client_name', type: 'text', autocomplete: 'off', value: field(visit, 'client_name') })}
<p class="field"><label for="redirects">${say('app_redirects')}</label>
<textarea id="redirects" name="redirects" required spellcheck="false">${field(visit, 'redirects')}</textarea></p>
<fieldset><legend>${say('app_scopes')}</legend>${scopes.map((scope) => html`<label class="choice"><input type="checkbox" name="scope" value="${scope}"> <span>${scopeInWords(visit, scope)} <code>${scope}</code></span></label>`)}</fieldset>
<label class="choice"><input type="checkbox" name="public" value="1"> <span>${say('app_public')}</span></label>
<button name="act" value="create">${say('app_create')}</button>
</form></details>`) }
}

async function changeClientFromPage(visit: Visit): Promise<Reply> {
  try {
    switch (field(visit, 'act')) {
      case 'create': return await clientsPage({ ...visit, body: {} }, secretNotice(visit, await create(visit, clientOfForm(visit))))
      case 'rotate': return await clientsPage(visit, secretNotice(visit, await rotate(visit, field(visit, 'id'))))
      case 'delete': await remove(visit, field(visit, 'id'))
    }
    return { location: `${visit.root}/oauth/portal` }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return clientsPage(visit, notice('error', error.message), error.status)
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

function secretNotice({ say }: Visit, { client_id, client_secret }: { client_id: string; client_secret?: string }): Html {
  return html`<div class="notice done" role="status">
<p>${client_secret ? say('app_secret_once') : ''}</p>
<p>client_id <code class="secret">${client_id}</code></p>
${client_secret ? html`<p>client_secret <code class="secret">${client_secret}</code></p>` : ''}
</div>`
}

async function appsPage(visit: Visit): Promise<Reply> {
  const { say, language, root, db } = visit
  const store = chosenStore(visit, roles)
  const apps = store ? await listApps(db, store.id) : []
  return { page: portalFrame(visit, 'apps', html`
${storeTabs(visit, store)}
${apps.length === 0 ? html`<p>${say('apps_none')}</p>` : ''}
<ul class="rows">${apps.map(({ client_id, name, scopes, granted_by, connected_at, last_used_at }) => html`
<li><div><p><strong>${name}</strong></p>
<ul>${scopes.map((scope) => html`<li>${scopeInWords(visit, scope)}</li>`)}</ul>
<p class="hint">${say('connected', { when: dateIn(language, connected_at), who: granted_by.join(', ') })} · ${last_used_at ? say('last_used', { when: dateIn(language, last_used_at) }) : say('never_used')}</p></div>
${store!.role === 'staff' ? '' : html`<form method="post" action="${root}/oauth/portal/apps?store=${store!.id}">${hidden('client_id', client_id)}<button class="quiet">${say('revoke')}</button></form>`}</li>`)}
</ul>`) }
}

async function disconnectFromPage(visit: Visit): Promise<Reply> {
  await disconnect(visit, visit.query.store ?? '', field(visit, 'client_id'))
  return { location: visit.here }
}
