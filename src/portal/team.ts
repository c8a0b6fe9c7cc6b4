// The people of a store: who they are, what they may do, who is invited.
import { html } from 'hono/html'
import { ApiError, invalid, notFound } from '../kit/values/errors.ts'
import { fault } from '../kit/values/faults.ts'
import { publicId } from '../kit/values/ids.ts'
import { hidden, input, notice } from '../pages/parts.ts'
import { grantableRoles, isLastOwner, isManager, mayRemove } from '../accounts/roles.ts'
import { membershipOf, type Membership } from '../accounts/session.ts'
import { listTeam, type Person } from '../accounts/team.ts'
import { managers, roles, type Role } from '../accounts/user.ts'
import { field, page, signedIn, signedInLately, type Html, type Page, type Reply, type Visit } from '../signin/page.ts'
import { refusalIn } from '../signin/refusal.ts'
import { askFirst, chosenStore, isSure, portalFrame, portalPath, storeTabs } from './frame.ts'
import { invitation, removePerson, sendInvitation, setRole } from './operations.ts'
import { sayIn } from './words.ts'

export const teamPages: Page[] = [
  page('GET', '/portal/team', (visit) => teamPage(visit)),
  page('POST', '/portal/team', changeTeam),
]

async function teamPage(visit: Visit, outcome: Html | '' = '', status = 200): Promise<Reply> {
  const store = chosenStore(visit)
  const people = store ? await listTeam(visit.db, store.id) : []
  const say = sayIn(visit.language)
  const content = html`
${storeTabs(visit, store)}
${visit.query.sent === '1' && status === 200 ? notice('done', say('invite_sent')) : ''}${outcome}
<ul class="rows">${people.map((person) => personRow(visit, store!, person, people))}</ul>
${store && isManager(store) ? invitationForm(visit, store) : ''}`
  return { status, page: portalFrame(visit, 'team', content, store) }
}

function personRow(visit: Visit, store: Membership, person: Person, team: readonly Person[]): Html {
  const say = sayIn(visit.language)
  const { user_id, email, name, role } = person
  const about = [email, say(`role_${role}`), ...(user_id ? [] : [say('pending')])]
  // What would be refused in any case is not offered.
  const isFree = !isLastOwner(person, team)
  const mayChange = store.role === 'owner' && user_id !== null && isFree
  const mayEnd = isFree && mayRemove(signedIn(visit), store, person)
  return html`
<li><div><p>${name ?? email}</p><p class="hint">${about.join(' · ')}</p></div>
${mayChange ? roleForm(visit, store, person) : ''}
${
  mayEnd
    ? html`<form method="post" action="${actionOf(visit, store)}">${hidden('person', idOf(person))}
<button class="quiet" name="act" value="remove">${say('remove')}</button></form>`
    : ''
}</li>`
}

function roleForm(visit: Visit, store: Membership, person: Person): Html {
  const say = sayIn(visit.language)
  const id = idOf(person)
  return html`<form method="post" action="${actionOf(visit, store)}" class="pair">${hidden('person', id)}
<label class="hidden" for="role-${id}">${say('role_of', { name: person.name ?? person.email })}</label>
${roleChoice(visit, `role-${id}`, roles, person.role)}
<button class="quiet" name="act" value="role">${say('change')}</button></form>`
}

function roleChoice({ language }: Visit, id: string, offered: readonly Role[], current: Role): Html {
  const say = sayIn(language)
  const option = (role: Role) =>
    html`<option value="${role}"${role === current ? html` selected` : ''}>${say(`role_${role}`)}</option>`
  return html`<select id="${id}" name="role">${offered.map(option)}</select>`
}

function invitationForm(visit: Visit, store: Membership): Html {
  const say = sayIn(visit.language)
  const typed = field(visit.form, 'email')
  return html`
<h2>${say('invite')}</h2>
<form method="post" action="${actionOf(visit, store)}">
${input(say('email'), { name: 'email', type: 'email', autocomplete: 'off', value: typed })}
<p class="field"><label for="role">${say('role')}</label>
${roleChoice(visit, 'role', grantableRoles(store).toReversed(), 'staff')}</p>
<button name="act" value="invite">${say('invite')}</button>
</form>`
}

async function changeTeam(visit: Visit): Promise<Reply> {
  const act = field(visit.form, 'act') || (field(visit.form, 'person') ? 'remove' : 'invite')
  try {
    // The store that the form was about and no other, although a page would show the first instead.
    return await (acts[act] ?? acts.invite!)(visit, visit.query.store ?? '')
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    const text = refusalIn(visit.say, error, act === 'invite' ? {} : { CONFLICT: 'last_owner' })
    return teamPage(visit, notice('error', text), error.status)
  }
}

const acts: Record<string, (visit: Visit, storeId: string) => Promise<Reply>> = {
  async invite(visit, storeId) {
    const session = signedInLately(visit)
    const store = storeOf(visit, storeId, managers)
    const { db, form, language } = visit
    const values = { email: field(form, 'email'), role: field(form, 'role') }
    const body = invitation.read(values, { ...store, now: db.clock.now() })
    await db.transaction((tx) => sendInvitation(tx, visit, { store, session, language, ...body }))
    return { to: `${portalPath('team')}?store=${store.id}&sent=1` }
  },
  async role(visit, storeId) {
    const session = signedInLately(visit)
    const store = storeOf(visit, storeId, ['owner'])
    const role = roles.find((name) => name === field(visit.form, 'role'))
    if (!role) throw invalid(fault('role', 'not_one_of', { choices: roles.join(', ') }))
    await visit.db.transaction((tx) => setRole(tx, store, session, { person: field(visit.form, 'person'), role }))
    return { to: `${portalPath('team')}?store=${store.id}` }
  },
  async remove(visit, storeId) {
    const session = signedIn(visit)
    const store = storeOf(visit, storeId, roles)
    const person = field(visit.form, 'person')
    if (!isSure(visit)) return askToRemove(visit, store, person)
    await visit.db.transaction((tx) => removePerson(tx, store, session, person))
    return { to: `${portalPath('team')}?store=${store.id}` }
  },
}

async function askToRemove(visit: Visit, store: Membership, id: string): Promise<Reply> {
  const say = sayIn(visit.language)
  const person = (await listTeam(visit.db, store.id)).find((member) => idOf(member) === id)
  if (!person) throw notFound('Member')
  const name = person.name ?? person.email
  const title = say('remove_ask', { name, store: store.name })
  const text = say(person.user_id ? 'remove_text' : 'withdraw_text')
  return askFirst(visit, 'team', { title, text, fields: { act: 'remove', person: id }, button: say('remove') })
}

/** What a stranger's store answers is what no store answers. */
export function storeOf(visit: Visit, storeId: string, allowed: readonly Role[]): Membership {
  const session = signedIn(visit)
  if (!membershipOf(session, storeId, roles)) throw notFound('Store')
  const store = membershipOf(session, storeId, allowed)
  if (!store) throw new ApiError(403, 'SCOPE_INSUFFICIENT', `This needs the role ${allowed.join(' or ')}`)
  return store
}

function idOf({ user_id, invitation_id }: Person): string {
  return user_id ? publicId('usr', user_id) : (invitation_id ?? '')
}

function actionOf({ root }: Visit, { id }: Membership): string {
  return `${root}${portalPath('team')}?store=${id}`
}
