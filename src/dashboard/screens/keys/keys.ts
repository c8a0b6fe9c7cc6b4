// Settings > Developers > API keys.
import { html } from 'hono/html'
import { entityPage } from '../../../kit/declare/page.ts'
import { field, fieldsNamed, type Form } from '../../../platform/pages/form.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { apiKey, type ApiKey } from '../../../identity/apikeys/apikey.ts'
import { keyScope } from '../../../identity/apikeys/routes.ts'
import { permissionGroups, scopes } from '../../../identity/apikeys/scopes.ts'
import { endpoint } from '../../framework/api.ts'
import { button, form } from '../../framework/form.ts'
import { mark, recordActions } from '../../framework/parts.ts'
import { record } from '../../framework/record.ts'
import { recordRows } from '../../framework/recordrows.ts'
import type { ScreenAction, Html, PageContext, FormInput } from '../../framework/screen.ts'
import type { MessageKey } from '../../framework/messages.ts'
import { inSettings } from '../../framework/placement.ts'
import type { CredentialPolicy } from '../../../tenancy/dispatch/policy.ts'

// The limits of an API key: form inputs, and a line of text.

const policyInputs: FormInput[] = [
  { name: 'policy.max_amount', as: 'money', hint: 'policy_max_amount_hint' },
  { name: 'policy.max_per_hour', isHalf: true },
  { name: 'policy.max_per_day', isHalf: true },
  { name: 'policy.from_hour', isHalf: true },
  { name: 'policy.until_hour', isHalf: true, hint: 'policy_hours_hint' },
]

function policyText({ t, price }: PageContext, policy: CredentialPolicy | null): string {
  if (!policy) return ''
  const { max_amount, max_per_hour, max_per_day, from_hour, until_hour } = policy
  const hasHours = from_hour !== null || until_hour !== null
  const limits = [
    max_amount === null ? null : t('limit_amount', { amount: price(max_amount) }),
    max_per_hour === null ? null : t('limit_per_hour', { count: max_per_hour }),
    max_per_day === null ? null : t('limit_per_day', { count: max_per_day }),
    hasHours ? t('limit_hours', { from: from_hour ?? 0, until: until_hour ?? 24 }) : null,
  ]
  return limits.filter((limit) => limit !== null).join(' · ')
}

const maxKeys = 100
const path = '/settings/developer/api-keys'

const create: ScreenAction = {
  route: endpoint('POST /api-keys'),
  inputs: [
    { name: 'name', label: 'key_name', hint: 'key_name_hint' },
    { name: 'mode', as: 'radios', hint: 'mode_hint' },
    { name: 'expires_at', hint: 'expires_hint' },
    ...policyInputs,
  ],
  // scopeBoxes() renders the checkboxes.
  body: ({ form: input }) => ({ scopes: readCheckedScopes(input) }),
  done: 'key_created',
  renderResult: newKeyPanel,
}

const rotate: ScreenAction = {
  route: endpoint('POST /api-keys/{key}/rotate'),
  inputs: [{ name: 'overlap_hours' }],
  done: 'key_created',
  renderResult: newKeyPanel,
}

const change = endpoint('PATCH /api-keys/{key}')
const limit: ScreenAction = { route: change, inputs: policyInputs, done: 'key_limited' }

// prettier-ignore
export const keys = record({
  path, scope: keyScope, title: 'api_keys', ...inSettings('developer', { text: 'api_keys_text', icon: 'key' }),
  actions: {
    create, rotate, limit,
    deactivate: { route: change, body: { is_active: false }, done: 'key_deactivated' },
    activate: { route: change, body: { is_active: true }, done: 'key_activated' },
    delete: {
      route: endpoint('DELETE /api-keys/{key}'), done: 'key_deleted',
      confirm: { title: 'key_delete_ask', text: 'key_delete_text', button: 'key_delete' },
    },
  },
  read: listKeys,
  main: [
    recordRows({ label: 'api_keys', none: ['api_keys_none', 'api_keys_none_text'], row: renderKeyRow }),
    { title: 'key_new', id: 'new', isOpen: ({ length }) => length === 0,
      form: { act: 'create', button: 'key_create', values: () => ({ mode: 'live' }), more: scopeBoxes } },
  ],
})

async function listKeys({ db, store }: PageContext): Promise<ApiKey[]> {
  const query = { page: 1, per_page: maxKeys, sort: 'created_at', order: 'desc' } as const
  return (await entityPage(db, apiKey, store, query)).data
}

async function renderKeyRow(context: PageContext, key: ApiKey): Promise<Html> {
  const { t, formatTime, db } = context
  const { id, name, mode, last4, scopes: keyScopes, policy, expires_at, is_active, last_used_at, created_at } = key
  const isExpired = expires_at !== null && expires_at <= db.clock.now()
  const state = !is_active ? 'inactive' : isExpired ? 'expired' : 'active'
  const usedText = last_used_at ? formatTime(last_used_at) : t('never_used')
  const about = [
    `${t('created_at')}: ${formatTime(created_at)}`,
    `${t('last_used')}: ${usedText}`,
    ...(expires_at ? [`${t('expires_at')}: ${formatTime(expires_at)}`] : []),
  ]
  const fixed = { key: id, label: name }
  const rotateForm = await form(context, {
    act: 'rotate',
    action: rotate,
    fixed,
    button: 'key_rotate',
    values: { overlap_hours: 24 },
    isQuiet: true,
  })
  const limitForm = await form(context, {
    act: 'limit',
    action: limit,
    fixed,
    button: 'key_limit',
    values: key,
    isQuiet: true,
  })
  const limits = policyText(context, policy)
  const toggle = is_active ? 'key_deactivate' : 'key_activate'
  const isOpen = context.rejection !== null && field(context.form, 'key') === id
  const actions = html`<p class="hint">${t('key_rotate_text')}</p>${rotateForm}
<h2>${t('limits')}</h2>${limitForm}
<div class="pair">${button(context, { act: toggle.slice(4), fixed, text: toggle })}
${button(context, { act: 'delete', fixed, text: 'key_delete', kind: 'quiet danger' })}</div>`
  return html`<li><div><p><strong>${name}</strong> ${mark(t(`mode_${mode}`), mode === 'live' ? 'good' : 'plain')}
${state === 'active' ? '' : mark(t(`key_${state}`), 'bad')}</p>
<p><code>wk_${mode}_…${last4}</code></p><p class="hint">${about.join(' · ')}</p>
<p class="hint">${formatScopeGroups(context, keyScopes)}</p>
${limits ? html`<p class="hint">${t('limits')}: ${limits}</p>` : ''}</div>
${recordActions(t, name, actions, isOpen)}</li>`
}

// Maps each group to the message with its name.
const groups: [word: MessageKey, scopes: readonly string[]][] = (
  [
    ['group_catalog', 'Catálogo'],
    ['group_orders', 'Pedidos'],
    ['group_customers', 'Clientes'],
    ['group_marketing', 'Marketing'],
    ['group_store', 'Tienda'],
    ['group_automations', 'Automatizaciones'],
  ] as const
).map(([word, name]) => [word, permissionGroups[name]!])

const scopesInGroups = new Set(groups.flatMap(([, scopes]) => scopes))
const others = scopes.filter((scope) => !scopesInGroups.has(scope))
const allGroups = [...groups, ...(others.length > 0 ? [['group_other', others] as [MessageKey, string[]]] : [])]

/** Names complete groups, and lists the scopes of others. */
function formatScopeGroups({ t }: PageContext, keyScopes: readonly string[]): string {
  const has = new Set(keyScopes)
  if (scopes.every((scope) => has.has(scope))) return t('scopes_all')
  return allGroups
    .flatMap(([word, groupScopes]) => {
      const present = groupScopes.filter((scope) => has.has(scope))
      return present.length === groupScopes.length ? [t(word)] : present
    })
    .join(', ')
}

/** Collects the scopes of checked groups and of single checkboxes. */
function readCheckedScopes(input: Form): string[] {
  const whole = new Set(fieldsNamed(input, 'group'))
  const groupScopes = allGroups.flatMap(([word, scopesOfGroup]) => (whole.has(word) ? scopesOfGroup : []))
  return [...new Set([...groupScopes, ...fieldsNamed(input, 'scopes')])]
}

function scopeBoxes(context: PageContext): Html {
  const { t, form: input, rejection } = context
  const checkedScopes = new Set(readCheckedScopes(input))
  const fault = rejection?.act === 'create' ? rejection.faults.scopes : undefined
  const box = (name: string, value: string, on: boolean, text: Html | string) => html`
<label class="choice"><input${attributes({ type: 'checkbox', name, value, checked: on })}> <span>${text}</span></label>`
  const groupBoxes = allGroups.map(([word, groupScopes]) => {
    const isWhole = groupScopes.every((scope) => checkedScopes.has(scope))
    const boxes = groupScopes.map((scope) =>
      box('scopes', scope, checkedScopes.has(scope), html`<code>${scope}</code>`),
    )
    return html`<div class="group" role="group" aria-label="${t(word)}">
${box('group', word, isWhole, html`<strong>${t(word)}</strong>`)}${boxes}</div>`
  })
  const preset = (name: string, word: MessageKey) =>
    html`<button type="button" class="quiet" data-preset="${name}">${t(word)}</button>`
  return html`<fieldset class="scopes"><legend>${t('scopes')}</legend>
${fault ? html`<p class="fault">${fault}</p>` : ''}
<tick-presets hidden><span>${t('presets')}:</span> ${preset('all', 'scopes_all')} ${preset('read', 'scopes_read')}
${preset('none', 'scopes_none')}</tick-presets>
<div class="groups">${groupBoxes}</div></fieldset>`
}

function newKeyPanel({ t, base, baseUrl }: PageContext, { key }: { key: string }): Html {
  return html`<div class="panel"><h2>${t('key_made')}</h2><p>${t('key_once')}</p>
<copy-text class="secret" label="${t('copy')}" done="${t('copied')}"><code>${key}</code></copy-text>
<h3>${t('key_try')}</h3>
<pre tabindex="0"><code>curl -H 'X-API-Key: ${key}' ${baseUrl}/v1/store</code></pre>
<p><a class="button" href="${base}${path}">${t('key_kept')}</a></p></div>`
}
