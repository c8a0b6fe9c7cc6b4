// A developer's own clients.
import { html } from 'hono/html'
import { ApiError, invalid, notFound } from '../kit/values/errors.ts'
import { fault } from '../kit/values/faults.ts'
import { choice, hidden, input, notice } from '../pages/parts.ts'
import { scopes } from '../apikeys/scopes.ts'
import {
  createClient,
  deleteClient,
  listClients,
  rotateSecret,
  type NewClient,
  type OwnClient,
} from '../oauth/operations.ts'
import { scopeInWords } from '../oauth/words.ts'
import {
  field,
  fieldsNamed,
  page,
  signedIn,
  signedInLately,
  type Html,
  type Page,
  type Reply,
  type Visit,
} from '../signin/page.ts'
import { refusalIn } from '../signin/refusal.ts'
import { askFirst, isSure, portalFrame, portalPath } from './frame.ts'
import { sayIn } from './words.ts'

export const clientPages: Page[] = [
  page('GET', '/portal/clients', (visit) => clientsPage(visit)),
  page('POST', '/portal/clients', changeClients),
]

type Credentials = { client_id: string; client_secret?: string }

async function clientsPage(visit: Visit, outcome: Html | '' = '', status = 200): Promise<Reply> {
  const say = sayIn(visit.language)
  const clients = await listClients(visit.db, signedIn(visit).user_id)
  const credentials = status === 200 ? madeJustNow(visit) : null
  const content = html`
${credentials ? secretNotice(visit, credentials) : outcome}
${clients.length === 0 ? html`<p>${say('app_none')}</p>` : ''}
<ul class="rows">${clients.map((client) => clientRow(visit, client))}</ul>
<details${status === 200 ? '' : html` open`}><summary>${say('app_new')}</summary>${clientForm(visit)}</details>`
  return { status, page: portalFrame(visit, 'clients', content), ...(credentials ? { cookies: { once: null } } : {}) }
}

function clientRow({ language, root }: Visit, client: OwnClient): Html {
  const say = sayIn(language)
  const isPublic = client.token_endpoint_auth_method === 'none'
  const button = (act: string, text: string) => html`<button class="quiet" name="act" value="${act}">${text}</button>`
  const redirects = [client.redirect_uris ?? []].flat().map(String)
  return html`
<li><div>
<p><strong>${client.client_name}</strong></p>
<p><code>${client.client_id}</code></p>
<p class="hint">${redirects.map((uri) => html`${uri}<br>`)}${String(client.scope ?? '')}</p>
</div>
<form method="post" action="${root}${portalPath('clients')}" class="pair">${hidden('id', client.client_id)}
${isPublic ? '' : button('rotate', say('app_rotate'))}${button('delete', say('app_delete'))}</form></li>`
}

/** With what was typed and ticked, when it is shown again. */
function clientForm({ language, root, form }: Visit): Html {
  const say = sayIn(language)
  const ticked = new Set(fieldsNamed(form, 'scope'))
  const box = (name: string, value: string, checked: boolean, text: Html | string) =>
    choice({ type: 'checkbox', name, value, checked }, text)
  const scopeText = (scope: string) => html`${scopeInWords(language, scope)} <code>${scope}</code>`
  const name = { name: 'client_name', type: 'text', autocomplete: 'off', value: field(form, 'client_name') } as const
  return html`
<form method="post" action="${root}${portalPath('clients')}">
${input(say('app_name'), name)}
<p class="field"><label for="redirects">${say('app_redirects')}</label>
<textarea id="redirects" name="redirects" required spellcheck="false">${field(form, 'redirects')}</textarea></p>
<fieldset><legend>${say('app_scopes')}</legend><div class="scopes">
${scopes.map((scope) => box('scope', scope, ticked.has(scope), scopeText(scope)))}
</div></fieldset>
${box('public', '1', field(form, 'public') === '1', say('app_public'))}
<button name="act" value="create">${say('app_create')}</button>
</form>`
}

async function changeClients(visit: Visit): Promise<Reply> {
  const { user_id } = signedInLately(visit)
  const { db, form } = visit
  const id = field(form, 'id')
  const act = field(form, 'act')
  try {
    if (act === 'create')
      return showOnce(visit, await db.transaction((tx) => createClient(tx, user_id, newClient(visit))))
    if (!isSure(visit)) return await askAbout(visit, user_id, act, id)
    if (act === 'rotate') return showOnce(visit, await db.transaction((tx) => rotateSecret(tx, user_id, id)))
    await db.transaction((tx) => deleteClient(tx, user_id, id))
    return { to: portalPath('clients') }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return clientsPage(visit, notice('error', refusalIn(visit.say, error)), error.status)
  }
}

/** An app that may do nothing is not worth a secret. */
function newClient({ form }: Visit): NewClient {
  const chosen = fieldsNamed(form, 'scope')
  if (chosen.length === 0) throw invalid(fault('scope', 'required'))
  return {
    name: field(form, 'client_name'),
    redirectUris: field(form, 'redirects').split(/\s+/).filter(Boolean),
    scope: chosen.join(' '),
    ...(field(form, 'public') ? { authMethod: 'none' } : {}),
  }
}

async function askAbout(visit: Visit, userId: string, act: string, id: string): Promise<Reply> {
  const client = (await listClients(visit.db, userId)).find(({ client_id }) => client_id === id)
  if (!client || (act !== 'rotate' && act !== 'delete')) throw notFound('Client')
  const say = sayIn(visit.language)
  return askFirst(visit, 'clients', {
    title: say(`app_${act}_ask`, { name: client.client_name }),
    text: say(`app_${act}_text`),
    fields: { act, id },
    button: say(`app_${act}`),
  })
}

/** The page that shows it comes by a GET, so that asking for it again makes nothing again. */
function showOnce({ vault }: Visit, credentials: Credentials): Reply {
  return { to: portalPath('clients'), cookies: { once: vault.seal(JSON.stringify(credentials), sealedFor) } }
}

const sealedFor = 'a secret that is shown once'

function madeJustNow({ cookies, vault }: Visit): Credentials | null {
  try {
    return cookies.stoa_once ? (JSON.parse(vault.open(cookies.stoa_once, sealedFor)) as Credentials) : null
  } catch {
    return null
  }
}

function secretNotice({ language }: Visit, { client_id, client_secret }: Credentials): Html {
  const say = sayIn(language)
  return notice(
    'done',
    html`${client_secret ? html`<p>${say('app_secret_once')}</p>` : ''}
<p>client_id <code class="secret">${client_id}</code></p>
${client_secret ? html`<p>client_secret <code class="secret">${client_secret}</code></p>` : ''}`,
  )
}
