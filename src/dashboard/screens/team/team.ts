// Settings > Team: members, their roles, and invitations.
import { html } from 'hono/html'
import { entityPage } from '../../../kit/declare/page.ts'
import { publicId } from '../../../kit/values/ids.ts'
import {
  grantableRoles,
  grantsAll,
  isLastOwner,
  mayRemove,
  mayUse,
  portalScope,
} from '../../../identity/accounts/roles.ts'
import { findMembership } from '../../../identity/accounts/session.ts'
import { listTeam, type TeamMember } from '../../../identity/accounts/team.ts'
import { roleName, teamScope } from '../../../identity/accounts/user.ts'
import { customRole, maxRoles } from '../../../identity/account/role.ts'
import { endpoint } from '../../framework/api.ts'
import { button, form } from '../../framework/form.ts'
import { mark, recordActions } from '../../framework/parts.ts'
import { record } from '../../framework/record.ts'
import { recordRows } from '../../framework/recordrows.ts'
import { roleText } from '../../framework/roletext.ts'
import type { Choices, ScreenAction, Html, FormInput, PageContext } from '../../framework/screen.ts'
import { inSettings } from '../../framework/placement.ts'

const roleInput: FormInput = { name: 'role', label: 'role', options: grantable }

/** Roles that the person may grant: built-in ones, then the store's. */
async function grantable({ db, store, role, t }: PageContext): Promise<Choices> {
  const query = { page: 1, per_page: maxRoles, sort: 'created_at', order: 'asc' } as const
  const { data } = await entityPage(db, customRole, store, query)
  const builtIn = grantableRoles({ role }).toReversed()
  return [
    ...builtIn.map((name) => [name, t(`role_${name}`)] as const),
    ...data.filter(({ scopes }) => grantsAll(role, scopes)).map(({ id, name }) => [id, name] as const),
  ]
}

const invite: ScreenAction = {
  route: endpoint('POST /stores/{store}/team'),
  inputs: [{ name: 'email', label: 'email' }, roleInput],
  done: 'invited',
  conflict: 'member_there',
}

const changeRole: ScreenAction = {
  route: endpoint('POST /stores/{store}/team/{person}'),
  inputs: [roleInput],
  done: 'role_changed',
  conflict: 'last_owner',
}

const remove = endpoint('DELETE /stores/{store}/team/{person}')
const policy = endpoint('POST /stores/{store}/security')

const isManager = (_: unknown, { role }: PageContext) => mayUse(role, teamScope)

// prettier-ignore
export const team = record({
  path: '/settings/team', scope: portalScope, title: 'team',
  ...inSettings('people', { text: 'team_text', icon: 'team' }),
  actions: {
    invite,
    role: changeRole,
    resend: { route: endpoint('POST /stores/{store}/team/{person}/resend'), done: 'invited' },
    remove: {
      route: remove, done: 'member_removed', conflict: 'last_owner', to: pathAfterRemoval,
      confirm: { title: 'member_remove_ask', text: 'member_remove_text', button: 'member_remove' },
    },
    withdraw: {
      route: remove, done: 'invitation_withdrawn',
      confirm: { title: 'invitation_withdraw_ask', text: 'invitation_withdraw_text', button: 'invitation_withdraw' },
    },
    require: { route: policy, body: { second_factor_required: true }, done: 'saved' },
    waive: { route: policy, body: { second_factor_required: false }, done: 'saved' },
  },
  read: ({ db, store }: PageContext) => listTeam(db, store.id, { withExpired: true }),
  buttons: [{ to: () => '/settings/team/roles', text: 'roles', when: isManager }],
  main: [
    recordRows({ label: 'team', none: ['team', 'team'], row: renderMemberRow }),
    { title: 'invite_somebody', when: isManager, isOpen: ({ length }) => length === 1, hint: 'invite_text',
      form: { act: 'invite', button: 'invite', values: () => ({ role: 'staff' }) } },
    { title: 'second_factor', when: (_, { role }) => role === 'owner', lead: secondFactorText, buttons: [
      { act: 'waive', text: 'second_waive', when: isSecondFactorRequired },
      { act: 'require', text: 'second_require', when: (_, context) => !isSecondFactorRequired(_, context) },
    ] },
  ],
})

/** A person who left the store continues with their other stores. */
function pathAfterRemoval(_answer: unknown, { form, actor }: PageContext): string {
  return form.person === actor.id ? '/..' : '/settings/team'
}

async function renderMemberRow(context: PageContext, person: TeamMember, people: readonly TeamMember[]): Promise<Html> {
  const { t, role, session } = context
  const { user_id, email, name, has_second_factor } = person
  const isOwn = user_id === session.user_id
  const about = [...(name ? [email] : []), ...(user_id ? [] : [invitationState(context, person)])]
  const factor = has_second_factor ? mark(t('second_on'), 'good') : ''
  const fixed = { person: toMemberId(person), label: name ?? email }
  // Actions that would be rejected are not offered.
  const isRemovable = !isLastOwner(person, people)
  const membership = findMembership(session, context.store.id)!
  const actions = [
    ...(role === 'owner' && user_id !== null && isRemovable ? [await roleForm(context, person, fixed)] : []),
    ...(user_id === null && mayUse(role, teamScope)
      ? [button(context, { act: 'resend', fixed, text: 'invite_again' })]
      : []),
    ...(isRemovable && mayRemove(session, membership, person) ? [removeButton(context, person, fixed, isOwn)] : []),
  ]
  return html`<li><div><p><strong>${name ?? email}</strong> ${mark(roleText(t, person.role), 'plain')} ${factor}
${isOwn ? mark(t('you'), 'plain') : ''}</p><p class="hint">${about.join(' · ')}</p></div>
${actions.length > 0 ? recordActions(t, fixed.label, html`<div class="pair">${actions}</div>`) : ''}</li>`
}

type MemberFields = { person: string; label: string }

function removeButton(context: PageContext, { user_id }: TeamMember, fixed: MemberFields, isOwn: boolean): Html {
  const act = user_id ? 'remove' : 'withdraw'
  const text = user_id ? (isOwn ? 'member_leave' : 'member_remove') : 'invitation_withdraw'
  return button(context, { act, fixed, text, kind: 'quiet danger' })
}

function roleForm(context: PageContext, { role }: TeamMember, fixed: MemberFields): Promise<Html> {
  const props = {
    act: 'role',
    action: changeRole,
    button: 'role_change',
    values: { role: roleName(role) },
    fixed,
  } as const
  return form(context, { ...props, isQuiet: true, isInline: true })
}

function invitationState({ t, formatDate, db }: PageContext, { expires_at }: TeamMember): string {
  const isExpired = expires_at !== null && expires_at <= db.clock.now()
  return isExpired ? t('invitation_expired') : t('invitation_until', { when: formatDate(expires_at!) })
}

function isSecondFactorRequired(_: unknown, { session, store }: PageContext): boolean {
  return findMembership(session, store.id)!.second_factor_required
}

function secondFactorText(context: PageContext): Html {
  const isRequired = isSecondFactorRequired(null, context)
  const { t } = context
  return html`<p>${isRequired ? mark(t('second_required'), 'good') : ''} ${t('second_policy_text')}</p>`
}

function toMemberId({ user_id, invitation_id }: TeamMember): string {
  return user_id ? publicId('usr', user_id) : (invitation_id ?? '')
}
