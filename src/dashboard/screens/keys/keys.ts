// Settings > Developer > API Keys.
import { html } from 'hono/html'
import { entityPage } from '../../../kit/declare/page.ts'
import { field, fieldsNamed, type Form } from '../../../platform/pages/form.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { apiKey, type ApiKey } from '../../../identity/apikeys/apikey.ts'
import { keyScope } from '../../../identity/apikeys/routes.ts'
import { permissionGroups, scopes } from '../../../identity/apikeys/scopes.ts'
import { endpoint } from '../../framework/api.ts'
import { button, form } from '../../framework/form.ts'
import { limitInputs, limitsOf } from './limits.ts'
import { mark } from '../../framework/parts.ts'
import type { Action, Html, Screen, Visit } from '../../framework/page.ts'
import type { Word } from '../../framework/words.ts'

const maximumShown = 100
const path = '/settings/developer/api-keys'

const create: Action = {
  route: endpoint('POST /api-keys'),
  inputs: [
    { name: 'name', label: 'key_name', hint: 'key_name_hint' },
    { name: 'mode', as: 'radios', hint: 'mode_hint' },
    { name: 'expires_at', hint: 'expires_hint' },
    ...limitInputs,
  ],
  // The boxes are drawn by groups below.
  body: ({ form: sent }) => ({ scopes: scopesOf(sent) }),
  done: 'key_created',
  shows: showOnce,
}

const rotate: Action = {
  route: endpoint('POST /api-keys/{key}/rotate'),
  inputs: [{ name: 'overlap_hours' }],
  done: 'key_created',
  shows: showOnce,
}

const change = endpoint('PATCH /api-keys/{key}')
const limit: Action = { route: change, inputs: limitInputs, done: 'key_limited' }

export const keys: Screen = {
  path,
  scope: keyScope,
  title: 'api_keys',
  section: 'settings',
  nav: { group: 'developer', text: 'api_keys_text' },
  within: { path: '/settings', title: 'developer' },
  show: showKeys,
  actions: {
    create,
    rotate,
    limit,
    deactivate: { route: change, body: { is_active: false }, done: 'key_deactivated' },
    activate: { route: change, body: { is_active: true }, done: 'key_activated' },
    delete: {
      route: endpoint('DELETE /api-keys/{key}'),
      ask: { title: 'key_delete_ask', text: 'key_delete_text', button: 'key_delete' },
      done: 'key_deleted',
    },
  },
}

async function showKeys(visit: Visit) {
  const { db, store, say, refused } = visit
  const query = { page: 1, per_page: maximumShown, sort: 'created_at', order: 'desc' } as const
  const { data } = await entityPage(db, apiKey, store, query)
  const rows = await Promise.all(data.map((key) => row(visit, key)))
  const none = html`<div class="empty"><h2>${say('api_keys_none')}</h2><p>${say('api_keys_none_text')}</p></div>`
  const drawn = await form(visit, {
    act: 'create',
    action: create,
    button: 'key_create',
    values: { mode: 'live' },
    more: scopeBoxes(visit),
  })
  const isOpen = data.length === 0 || refused?.act === 'create'
  return {
    content: html`${data.length === 0 ? none : html`<ul class="records" aria-label="${say('api_keys')}">${rows}</ul>`}
<details class="panel" id="new"${isOpen ? html` open` : ''}><summary>${say('key_new')}</summary>${drawn}</details>`,
  }
}

async function row(visit: Visit, key: ApiKey): Promise<Html> {
  const { say, when, db } = visit
  const { id, name, mode, last4, scopes: held, policy, expires_at, is_active, last_used_at, created_at } = key
  const isExpired = expires_at !== null && expires_at <= db.clock.now()
  const state = !is_active ? 'inactive' : isExpired ? 'expired' : 'active'
  const used = last_used_at ? when(last_used_at) : say('never_used')
  const about = [
    `${say('created_at')}: ${when(created_at)}`,
    `${say('last_used')}: ${used}`,
    ...(expires_at ? [`${say('expires_at')}: ${when(expires_at)}`] : []),
  ]
  const fixed = { key: id, label: name }
  const rotating = await form(visit, {
    act: 'rotate',
    action: rotate,
    fixed,
    button: 'key_rotate',
    values: { overlap_hours: 24 },
    isQuiet: true,
  })
  const limiting = await form(visit, {
    act: 'limit',
    action: limit,
    fixed,
    button: 'key_limit',
    values: key,
    isQuiet: true,
  })
  const limits = limitsOf(visit, policy)
  const toggle = is_active ? 'key_deactivate' : 'key_activate'
  const isOpen = visit.refused !== null && field(visit.form, 'key') === id
  return html`<li><div><p><strong>${name}</strong> ${mark(say(`mode_${mode}`), mode === 'live' ? 'good' : 'plain')}
${state === 'active' ? '' : mark(say(`key_${state}`), 'bad')}</p>
<p><code>wk_${mode}_…${last4}</code></p><p class="hint">${about.join(' · ')}</p>
<p class="hint">${groupsOf(visit, held)}</p>
${limits ? html`<p class="hint">${say('limits')}: ${limits}</p>` : ''}</div>
<details class="more"${isOpen ? html` open` : ''}>
<summary>${say('actions')}<span class="hidden"> ${name}</span></summary>
<p class="hint">${say('key_rotate_text')}</p>${rotating}
<h2>${say('limits')}</h2>${limiting}
<div class="pair">${button(visit, { act: toggle.slice(4), fixed, text: toggle })}
${button(visit, { act: 'delete', fixed, text: 'key_delete', kind: 'quiet danger' })}</div></details></li>`
}

// The contract's name of each group stands for it in the language of the page.
const groups: [word: Word, scopes: readonly string[]][] = (
  [
    ['group_catalog', 'Catálogo'],
    ['group_orders', 'Pedidos'],
    ['group_customers', 'Clientes'],
    ['group_marketing', 'Marketing'],
    ['group_store', 'Tienda'],
    ['group_automations', 'Automatizaciones'],
  ] as const
).map(([word, name]) => [word, permissionGroups[name]!])

const grouped = new Set(groups.flatMap(([, held]) => held))
const others = scopes.filter((scope) => !grouped.has(scope))
const allGroups = [...groups, ...(others.length > 0 ? [['group_other', others] as [Word, string[]]] : [])]

/** A whole group by its name, else its scopes. */
function groupsOf({ say }: Visit, held: readonly string[]): string {
  const has = new Set(held)
  if (scopes.every((scope) => has.has(scope))) return say('scopes_all')
  return allGroups
    .flatMap(([word, those]) => {
      const there = those.filter((scope) => has.has(scope))
      return there.length === those.length ? [say(word)] : there
    })
    .join(', ')
}

/** Of whole groups, and of single boxes. */
function scopesOf(sent: Form): string[] {
  const whole = new Set(fieldsNamed(sent, 'group'))
  const held = allGroups.flatMap(([word, those]) => (whole.has(word) ? those : []))
  return [...new Set([...held, ...fieldsNamed(sent, 'scopes')])]
}

function scopeBoxes(visit: Visit): Html {
  const { say, form: sent, refused } = visit
  const ticked = new Set(scopesOf(sent))
  const fault = refused?.act === 'create' ? refused.faults.scopes : undefined
  const box = (name: string, value: string, checked: boolean, text: Html | string) => html`
<label class="choice"><input${attributes({ type: 'checkbox', name, value, checked })}> <span>${text}</span></label>`
  const drawn = allGroups.map(([word, held]) => {
    const isWhole = held.every((scope) => ticked.has(scope))
    const each = held.map((scope) => box('scopes', scope, ticked.has(scope), html`<code>${scope}</code>`))
    return html`<div class="group" role="group" aria-label="${say(word)}">
${box('group', word, isWhole, html`<strong>${say(word)}</strong>`)}${each}</div>`
  })
  const preset = (name: string, word: Word) =>
    html`<button type="button" class="quiet" data-preset="${name}">${say(word)}</button>`
  return html`<fieldset class="scopes"><legend>${say('scopes')}</legend>
${fault ? html`<p class="fault">${fault}</p>` : ''}
<tick-presets hidden><span>${say('presets')}:</span> ${preset('all', 'scopes_all')} ${preset('read', 'scopes_read')}
${preset('none', 'scopes_none')}</tick-presets>
<div class="groups">${drawn}</div></fieldset>`
}

function showOnce({ say, base, baseUrl }: Visit, { key }: { key: string }): Html {
  return html`<div class="panel"><h2>${say('key_made')}</h2><p>${say('key_once')}</p>
<copy-text class="secret" label="${say('copy')}" done="${say('copied')}"><code>${key}</code></copy-text>
<h3>${say('key_try')}</h3>
<pre tabindex="0"><code>curl -H 'X-API-Key: ${key}' ${baseUrl}/v1/store</code></pre>
<p><a class="button" href="${base}${path}">${say('key_kept')}</a></p></div>`
}
