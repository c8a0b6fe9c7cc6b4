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
import { foldedPanel, mark, panel, recordActions } from '../../framework/parts.ts'
import { roleText } from '../../framework/roletext.ts'
import type { Choices, ScreenAction, Html, FormInput, Screen, PageContext } from '../../framework/screen.ts'
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

export const team: Screen = {
  path: '/settings/team',
  scope: portalScope,
  title: 'team',
  ...inSettings('people', { text: 'team_text', icon: 'team' }),
  actions: {
    invite,
    role: changeRole,
    resend: { route: endpoint('POST /stores/{store}/team/{person}/resend'), done: 'invited' },
    remove: {
      route: remove,
      confirm: { title: 'member_remove_ask', text: 'member_remove_text', button: 'member_remove' },
      done: 'member_removed',
      conflict: 'last_owner',
      to: pathAfterRemoval,
    },
    withdraw: {
      route: remove,
      confirm: { title: 'invitation_withdraw_ask', text: 'invitation_withdraw_text', button: 'invitation_withdraw' },
      done: 'invitation_withdrawn',
    },
    require: { route: policy, body: { second_factor_required: true }, done: 'saved' },
    waive: { route: policy, body: { second_factor_required: false }, done: 'saved' },
  },
  async show(context) {
    const { db, store, t, role, base, rejection } = context
    const mayManage = mayUse(role, teamScope)
    const people = await listTeam(db, store.id, { withExpired: true })
    const rows = await Promise.all(people.map((person) => renderMemberRow(context, person, people)))
    const inviteForm = await form(context, {
      act: 'invite',
      action: invite,
      button: 'invite',
      values: { role: 'staff' },
    })
    const invitation = html`<p class="hint">${t('invite_text')}</p>${inviteForm}`
    const isOpen = people.length === 1 || rejection?.act === 'invite'
    const rolesLink = html`<a class="button quiet" href="${base}/settings/team/roles">${t('roles')}</a>`
    return {
      buttons: mayManage ? rolesLink : '',
      content: html`<ul class="records" aria-label="${t('team')}">${rows}</ul>
${mayManage ? foldedPanel(t('invite_somebody'), invitation, { isOpen }) : ''}
${role === 'owner' ? secondFactorPanel(context) : ''}`,
    }
  },
}

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

function secondFactorPanel(context: PageContext): Html {
  const { t, session, store } = context
  const { second_factor_required: isRequired } = findMembership(session, store.id)!
  const change = isRequired
    ? button(context, { act: 'waive', text: 'second_waive' })
    : button(context, { act: 'require', text: 'second_require' })
  return panel(
    t('second_factor'),
    html`<p>${isRequired ? mark(t('second_required'), 'good') : ''} ${t('second_policy_text')}</p>${change}`,
  )
}

function toMemberId({ user_id, invitation_id }: TeamMember): string {
  return user_id ? publicId('usr', user_id) : (invitation_id ?? '')
}
