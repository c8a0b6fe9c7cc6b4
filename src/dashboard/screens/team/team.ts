// Settings > Team: who works in the store, with which role, and who is invited.
import { html } from 'hono/html'
import { publicId } from '../../../kit/values/ids.ts'
import { grantableRoles, isLastOwner, isManager, mayRemove, portalScope } from '../../../identity/accounts/roles.ts'
import { membershipOf } from '../../../identity/accounts/session.ts'
import { listTeam, type Person } from '../../../identity/accounts/team.ts'
import { roles } from '../../../identity/accounts/user.ts'
import { endpoint } from '../../framework/api.ts'
import { button, form } from '../../framework/form.ts'
import { mark, panel } from '../../framework/parts.ts'
import type { Action, Html, Input, Screen, Visit } from '../../framework/page.ts'

const roleInput: Input = {
  name: 'role',
  label: 'role',
  options: ({ role, say }) =>
    grantableRoles({ role })
      .toReversed()
      .map((name) => [name, say(`role_${name}`)]),
}

const invite: Action = {
  route: endpoint('POST /stores/{store}/team'),
  inputs: [{ name: 'email', label: 'email' }, roleInput],
  done: 'invited',
  conflict: 'member_there',
}

const changeRole: Action = {
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
  section: 'settings',
  nav: { group: 'people', text: 'team_text' },
  within: { path: '/settings', title: 'settings' },
  actions: {
    invite,
    role: changeRole,
    resend: { route: endpoint('POST /stores/{store}/team/{person}/resend'), done: 'invited' },
    remove: {
      route: remove,
      ask: { title: 'member_remove_ask', text: 'member_remove_text', button: 'member_remove' },
      done: 'member_removed',
      conflict: 'last_owner',
      to: leaving,
    },
    withdraw: {
      route: remove,
      ask: { title: 'invitation_withdraw_ask', text: 'invitation_withdraw_text', button: 'invitation_withdraw' },
      done: 'invitation_withdrawn',
    },
    require: { route: policy, body: { second_factor_required: true }, done: 'saved' },
    waive: { route: policy, body: { second_factor_required: false }, done: 'saved' },
  },
  async show(visit) {
    const { db, store, say, role, refused } = visit
    const people = await listTeam(db, store.id, { withExpired: true })
    const rows = await Promise.all(people.map((person) => row(visit, person, people)))
    const inviting = await form(visit, { act: 'invite', action: invite, button: 'invite', values: { role: 'staff' } })
    return {
      content: html`<ul class="records" aria-label="${say('team')}">${rows}</ul>
${
  isManager({ role })
    ? html`<details class="panel"${people.length === 1 || refused?.act === 'invite' ? html` open` : ''}>
<summary>${say('invite_somebody')}</summary><p class="hint">${say('invite_text')}</p>${inviting}</details>`
    : ''
}
${role === 'owner' ? secondFactor(visit) : ''}`,
    }
  },
}

/** Whoever has left sees the other stores. */
function leaving(_answer: unknown, { form, actor }: Visit): string {
  return form.person === actor.id ? '/..' : '/settings/team'
}

async function row(visit: Visit, person: Person, people: readonly Person[]): Promise<Html> {
  const { say, role, session } = visit
  const { user_id, email, name, has_second_factor } = person
  const isOwn = user_id === session.user_id
  const about = [...(name ? [email] : []), ...(user_id ? [] : [invitationState(visit, person)])]
  const factor = has_second_factor ? mark(say('second_on'), 'good') : ''
  const fixed = { person: idOf(person), label: name ?? email }
  // What would be refused in any case is not offered.
  const isFree = !isLastOwner(person, people)
  const membership = membershipOf(session, visit.store.id, roles)!
  const ways = [
    ...(role === 'owner' && user_id !== null && isFree ? [await roleForm(visit, person, fixed)] : []),
    ...(user_id === null && isManager({ role }) ? [button(visit, { act: 'resend', fixed, text: 'invite_again' })] : []),
    ...(isFree && mayRemove(session, membership, person) ? [removal(visit, person, fixed, isOwn)] : []),
  ]
  return html`<li><div><p><strong>${name ?? email}</strong> ${mark(say(`role_${person.role}`), 'plain')} ${factor}
${isOwn ? mark(say('you'), 'plain') : ''}</p><p class="hint">${about.join(' · ')}</p></div>
${
  ways.length === 0
    ? ''
    : html`<details class="more"><summary>${say('actions')}<span class="hidden"> ${fixed.label}</span></summary>
<div class="pair">${ways}</div></details>`
}</li>`
}

type Fixed = { person: string; label: string }

function removal(visit: Visit, { user_id }: Person, fixed: Fixed, isOwn: boolean): Html {
  const act = user_id ? 'remove' : 'withdraw'
  const text = user_id ? (isOwn ? 'member_leave' : 'member_remove') : 'invitation_withdraw'
  return button(visit, { act, fixed, text, kind: 'quiet danger' })
}

function roleForm(visit: Visit, { role }: Person, fixed: Fixed): Promise<Html> {
  const drawing = { act: 'role', action: changeRole, button: 'role_change', values: { role }, fixed } as const
  return form(visit, { ...drawing, isQuiet: true, isInline: true })
}

function invitationState({ say, day, db }: Visit, { expires_at }: Person): string {
  const isExpired = expires_at !== null && expires_at <= db.clock.now()
  return isExpired ? say('invitation_expired') : say('invitation_until', { when: day(expires_at!) })
}

function secondFactor(visit: Visit): Html {
  const { say, session, store } = visit
  const { second_factor_required: isRequired } = membershipOf(session, store.id, roles)!
  const change = isRequired
    ? button(visit, { act: 'waive', text: 'second_waive' })
    : button(visit, { act: 'require', text: 'second_require' })
  return panel(
    say('second_factor'),
    html`<p>${isRequired ? mark(say('second_required'), 'good') : ''} ${say('second_policy_text')}</p>${change}`,
  )
}

function idOf({ user_id, invitation_id }: Person): string {
  return user_id ? publicId('usr', user_id) : (invitation_id ?? '')
}
