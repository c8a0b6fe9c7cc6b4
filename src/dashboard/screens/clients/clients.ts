// Settings > Developers > OAuth apps: a developer's own apps, which stores can connect.
import { html } from 'hono/html'
import { invalid } from '../../../kit/values/errors.ts'
import { fault, generalFaults } from '../../../kit/values/faults.ts'
import { attributes, choice } from '../../../platform/pages/parts.ts'
import { field, fieldsNamed, type Form } from '../../../platform/pages/form.ts'
import { portalScope } from '../../../identity/accounts/roles.ts'
import { scopes } from '../../../identity/apikeys/scopes.ts'
import { listClients, type OwnClient } from '../../../identity/oauth/operations.ts'
import { scopeInWords } from '../../../identity/oauth/messages.ts'
import { endpoint } from '../../framework/api.ts'
import { button } from '../../framework/form.ts'
import { mark, recordActions } from '../../framework/parts.ts'
import { record } from '../../framework/record.ts'
import { recordRows } from '../../framework/recordrows.ts'
import type { ScreenAction, Html, PageContext } from '../../framework/screen.ts'
import { inSettings } from '../../framework/placement.ts'

const path = '/settings/developer/oauth-clients'

const create: ScreenAction = {
  route: endpoint('POST /clients'),
  inputs: [{ name: 'client_name', label: 'name' }],
  // Redirect URIs are lines of text, and scopes are checkboxes.
  body: ({ form: input }) => ({ ...redirectsBody(input), ...scopeBody(input), ...authMethodBody(input) }),
  fieldOf: (name) => name.replace(/^redirect_uris\.\d+$/, 'redirect_uris'),
  done: 'client_made',
  renderResult: secretOnce,
}

// prettier-ignore
export const clients = record({
  path, scope: portalScope, title: 'oauth_clients',
  ...inSettings('developer', { text: 'oauth_clients_text', icon: 'code' }),
  actions: {
    create,
    rotate: {
      route: endpoint('POST /clients/{client}/secret'), done: 'saved', renderResult: secretOnce,
      confirm: { title: 'client_rotate_ask', text: 'client_rotate_text', button: 'secret_rotate' },
    },
    delete: {
      route: endpoint('DELETE /clients/{client}'), done: 'client_deleted',
      confirm: { title: 'client_delete_ask', text: 'client_delete_text', button: 'client_delete' },
    },
  },
  read: ({ allStores, session }: PageContext) => listClients(allStores, session.user_id),
  main: [
    recordRows({ label: 'oauth_clients', none: ['clients_none', 'clients_none_text'], row: renderClientRow }),
    { title: 'client_new', id: 'new', isOpen: ({ length }) => length === 0,
      form: { act: 'create', button: 'client_create', more: createFields } },
  ],
})

function renderClientRow(context: PageContext, client: OwnClient): Html {
  const { t, formatTime } = context
  const { client_id, client_name, created_at } = client
  const isPublic = client.token_endpoint_auth_method === 'none'
  const redirects = [client.redirect_uris ?? []].flat().map(String)
  const fixed = { client: client_id, label: client_name }
  const rotate = isPublic ? '' : button(context, { act: 'rotate', fixed, text: 'secret_rotate' })
  const buttons = html`<div class="pair">${rotate}
${button(context, { act: 'delete', fixed, text: 'client_delete', kind: 'quiet danger' })}</div>`
  return html`<li><div><p><strong>${client_name}</strong> ${isPublic ? mark(t('client_public'), 'plain') : ''}</p>
<p><code>${client_id}</code></p>
<p class="hint">${t('created_at')}: ${formatTime(created_at)} · ${redirects.join(' · ')}</p>
<p class="hint">${String(client.scope ?? '')}</p></div>
${recordActions(t, client_name, buttons)}</li>`
}

function createFields({ t, form: input, rejection, language }: PageContext): Html {
  const checkedScopes = new Set(fieldsNamed(input, 'scopes'))
  const faults: Record<string, string> = rejection?.act === 'create' ? rejection.faults : {}
  const faultText = (name: string) =>
    faults[name] ? html`<p class="fault" id="${name}-fault">${faults[name]}</p>` : ''
  const about = { id: 'redirects', name: 'redirects', rows: 3, required: true, spellcheck: 'false' }
  const inputAttributes = { 'aria-describedby': 'redirects-hint', 'aria-invalid': faults.redirect_uris ? 'true' : null }
  const boxes = scopes.map((scope) => {
    const text = html`${scopeInWords(language, scope)} <code>${scope}</code>`
    return choice({ type: 'checkbox', name: 'scopes', value: scope, checked: checkedScopes.has(scope) }, text)
  })
  const isPublic = field(input, 'public') === '1'
  return html`<div class="fields"><div class="field"><label for="redirects">${t('client_redirects')}</label>
<textarea${attributes({ ...about, ...inputAttributes })}>
${field(input, 'redirects')}</textarea><span class="hint" id="redirects-hint">${t('client_redirects_hint')}</span>
${faultText('redirect_uris')}</div></div>
<fieldset class="scopes"><legend>${t('scopes')}</legend>${faultText('scope')}
<div class="groups">${boxes}</div></fieldset>
${choice({ type: 'checkbox', name: 'public', value: '1', checked: isPublic }, t('client_public_text'))}`
}

function redirectsBody(input: Form): { redirect_uris: string[] } {
  return { redirect_uris: field(input, 'redirects').split(/\s+/).filter(Boolean) }
}

/** Requires a scope: a client without scopes is of no use. */
function scopeBody(input: Form): { scope: string } {
  const names = fieldsNamed(input, 'scopes')
  if (names.length === 0) throw invalid(fault('scope', generalFaults.no_element))
  return { scope: names.join(' ') }
}

function authMethodBody(input: Form): { token_endpoint_auth_method?: 'none' } {
  return field(input, 'public') ? { token_endpoint_auth_method: 'none' } : {}
}

function secretOnce({ t, base }: PageContext, client: { client_id: string; client_secret?: string }): Html {
  const copyText = (text: string) => html`<copy-text class="secret" label="${t('copy')}" done="${t('copied')}">
<code>${text}</code></copy-text>`
  const { client_id, client_secret } = client
  return html`<div class="panel"><h2>${t('client_made')}</h2>
<h3>client_id</h3>${copyText(client_id)}
${client_secret ? html`<h3>client_secret</h3><p>${t('client_secret_once')}</p>${copyText(client_secret)}` : ''}
<p><a class="button" href="${base}${path}">${t('key_kept')}</a></p></div>`
}
