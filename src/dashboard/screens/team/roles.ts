// Settings > Team > Roles: custom roles besides owner, administrator and staff.
import { html } from 'hono/html'
import { buildEtag } from '../../../kit/declare/conditions.ts'
import { entityPage, findRecord } from '../../../kit/declare/page.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { teamScope } from '../../../identity/accounts/user.ts'
import { customRole, maxRoles, type RoleRecord } from '../../../identity/account/role.ts'
import { endpoint } from '../../framework/api.ts'
import { button, form } from '../../framework/form.ts'
import { emptyState } from '../../framework/parts.ts'
import type { FormInput, Html, PageContext, Screen, ScreenAction } from '../../framework/screen.ts'
import type { MessageKey } from '../../framework/messages.ts'
import { team } from './team.ts'

const path = `${team.path}/roles`

// Areas that a role gives access to; each has up to three levels.
// prettier-ignore
const areas: readonly (readonly [noun: string, title: MessageKey])[] = [
  ['orders',          'orders'],
  ['products',        'products'],
  ['categories',      'categories'],
  ['inventory',       'inventory'],
  ['customers',       'customers'],
  ['discounts',       'discounts'],
  ['checkout_drafts', 'carts'],
  ['store',           'role_store'],
  ['team',            'role_team'],
  ['webhooks',        'webhooks'],
  ['requests',        'requests'],
  ['audit',           'audit_log'],
]
const levels = ['read', 'propose', 'write'] as const

const scopeSchema = customRole.fields.scopes.spec.schema.items as { enum: readonly string[] }
const knownScopes = new Set(scopeSchema.enum)

const listScopeLevels = (noun: string) => levels.filter((level) => knownScopes.has(`${level}:${noun}`))

/** A choice of levels for each area, up to the person's own. */
function buildRoleInputs({ role }: PageContext): FormInput[] {
  return [
    { name: 'name', label: 'role_name' },
    { name: 'description', label: 'role_description' },
    ...areas.map(([noun, label], index): FormInput => ({
      name: `access.${noun}`,
      label,
      isHalf: true,
      ...(index === 0 ? { group: 'role_access' } : {}),
      // Every screen shows the store, so this level is required.
      schema: { type: noun === 'store' ? 'string' : ['string', 'null'] },
      options: ({ t }) =>
        listScopeLevels(noun)
          .filter((level) => mayUse(role, `${level}:${noun}`))
          .map((level) => [level, t(`access_${level}`)]),
    })),
  ]
}

type AreaLevels = Record<string, string | null>

/** The highest level of each noun. */
function toAreaLevels(scopes: readonly string[]): AreaLevels {
  const held = new Set(scopes)
  return Object.fromEntries(
    areas.map(([noun]) => [noun, listScopeLevels(noun).findLast((level) => held.has(`${level}:${noun}`)) ?? null]),
  )
}

function scopesIn(access: AreaLevels = {}): string[] {
  return areas.flatMap(([noun]) => (access[noun] ? [`${access[noun]}:${noun}`] : []))
}

const body: ScreenAction['body'] = (_context, { access }) => ({ scopes: scopesIn(access as AreaLevels) })

const create: ScreenAction = {
  route: endpoint('POST /stores/{store}/roles'),
  inputs: buildRoleInputs,
  body,
  done: 'role_saved',
  conflict: 'role_name_taken',
  to: () => path,
}

const save: ScreenAction = { ...create, route: endpoint('PATCH /stores/{store}/roles/{role}') }

const within = { path: team.path, title: team.title }

export const rolesScreen: Screen = {
  path,
  scope: teamScope,
  title: 'roles',
  section: 'settings',
  within,
  async show(context) {
    const { db, store, t, base } = context
    const query = { page: 1, per_page: maxRoles, sort: 'created_at', order: 'asc' } as const
    const { data } = await entityPage(db, customRole, store, query)
    const rows = data.map((role) => renderRoleRow(context, role))
    const table = html`<ul class="records" aria-label="${t('roles')}">${rows}</ul>`
    return {
      buttons: html`<a class="button" href="${base}${path}/new">${t('role_add')}</a>`,
      content: html`<p class="hint">${t('roles_text')}</p>
${data.length === 0 ? emptyState(t, 'roles_none', 'roles_none_text') : table}`,
    }
  },
}

function renderRoleRow(context: PageContext, { id, name, description, scopes }: RoleRecord): Html {
  return html`<li><div><p><a class="main" href="${context.base}${path}/${id}">${name}</a></p>
${description ? html`<p>${description}</p>` : ''}<p class="hint">${accessText(context, scopes)}</p></div></li>`
}

function accessText({ t }: PageContext, scopes: readonly string[]): string {
  const access = toAreaLevels(scopes)
  return areas
    .flatMap(([noun, title]) => (access[noun] ? [`${t(title)}: ${t(`access_${access[noun] as 'read'}`)}`] : []))
    .join(' · ')
}

export const newRoleScreen: Screen = {
  path: `${path}/new`,
  scope: teamScope,
  title: 'role_add',
  section: 'settings',
  within: { path, title: 'roles' },
  actions: { create },
  async show(context) {
    const values = { access: { ...toAreaLevels([]), store: 'read' } }
    const drawn = await form(context, { act: 'create', action: create, button: 'role_add', values })
    return { content: html`<div class="panel">${drawn}</div>` }
  },
}

export const roleScreen: Screen = {
  path: `${path}/{role}`,
  scope: teamScope,
  title: 'role',
  section: 'settings',
  within: { path, title: 'roles' },
  params: { role: customRole },
  actions: {
    save,
    remove: {
      route: endpoint('DELETE /stores/{store}/roles/{role}'),
      confirm: { title: 'delete_ask', text: 'role_delete_text', button: 'delete' },
      done: 'deleted',
      conflict: 'role_in_use',
      to: () => path,
    },
  },
  async show(context) {
    const { db, store, ids } = context
    const { entity, json } = await findRecord(db, customRole, store.id, ids.role!)
    const { name, scopes } = entity
    const values = { ...entity, access: toAreaLevels(scopes) }
    const drawn = await form(context, { act: 'save', action: save, button: 'save', values, version: buildEtag(json) })
    const away = button(context, { act: 'remove', fixed: { label: name }, text: 'delete', kind: 'quiet danger' })
    return { title: name, content: html`<div class="panel">${drawn}</div>${away}` }
  },
}
