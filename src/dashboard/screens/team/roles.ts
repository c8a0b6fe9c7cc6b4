// Settings > Team > Roles: custom roles besides owner, administrator and staff.
import { html } from 'hono/html'
import { entityPage } from '../../../kit/declare/page.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { teamScope } from '../../../identity/accounts/user.ts'
import { customRole, maxRoles, type RoleRecord } from '../../../identity/account/role.ts'
import { endpoint } from '../../framework/api.ts'
import { record } from '../../framework/record.ts'
import { recordRows } from '../../framework/recordrows.ts'
import type { FormInput, Html, PageContext, ScreenAction } from '../../framework/screen.ts'
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
  const heldScopes = new Set(scopes)
  return Object.fromEntries(
    areas.map(([noun]) => [
      noun,
      listScopeLevels(noun).findLast((level) => heldScopes.has(`${level}:${noun}`)) ?? null,
    ]),
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

// prettier-ignore
export const rolesScreen = record({
  path, scope: teamScope, title: 'roles', section: 'settings', within,
  read: listRoles,
  buttons: [({ t, base }) => html`<a class="button" href="${base}${path}/new">${t('role_add')}</a>`],
  main: [
    ({ t }) => html`<p class="hint">${t('roles_text')}</p>`,
    recordRows({ label: 'roles', none: ['roles_none', 'roles_none_text'], row: renderRoleRow }),
  ],
})

async function listRoles({ db, store }: PageContext): Promise<RoleRecord[]> {
  const query = { page: 1, per_page: maxRoles, sort: 'created_at', order: 'asc' } as const
  return (await entityPage(db, customRole, store, query)).data
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

const below = { scope: teamScope, section: 'settings', within: { path, title: 'roles' } } as const

// prettier-ignore
export const newRoleScreen = record({
  ...below, path: `${path}/new`, title: 'role_add', actions: { create },
  main: [{ form: {
    act: 'create', button: 'role_add', values: () => ({ access: { ...toAreaLevels([]), store: 'read' } }),
  } }],
})

// prettier-ignore
export const roleScreen = record({
  ...below, path: `${path}/{role}`, title: 'role', resource: customRole,
  actions: {
    save,
    remove: {
      route: endpoint('DELETE /stores/{store}/roles/{role}'), done: 'deleted', to: () => path, conflict: 'role_in_use',
      confirm: { title: 'delete_ask', text: 'role_delete_text', button: 'delete' },
    },
  },
  name: ({ name }) => name,
  main: [{ form: { act: 'save', edits: true, values: (one) => ({ ...one, access: toAreaLevels(one.scopes) }) } }],
  after: [{ act: 'remove', text: 'delete', kind: 'quiet danger', label: ({ name }) => name }],
})
