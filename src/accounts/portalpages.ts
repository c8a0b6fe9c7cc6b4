// The portal's frame, and its pages for sessions and the team.
import { html } from 'hono/html'
import { ApiError } from '../kit/values/errors.ts'
import { publicId } from '../kit/values/ids.ts'
import { endOne, endOthers, grantableRoles, isManager, mayRemove, removePerson, sendInvitation } from './portal.ts'
import { refusalIn } from './refusal.ts'
import { field, page, signedIn, type Html, type Reply, type Screen, type Visit } from './screen.ts'
import { listSessions, type Membership, type SessionRecord } from './session.ts'
import { listTeam, type Person } from './team.ts'
import { frame, hidden, input, notice } from './view.ts'
import { isWord, type Language } from './words.ts'

export const portalPages: Screen[] = [
  page('GET', '/portal/sessions', sessionsPage),
  page('POST', '/portal/sessions', endFromPage),
  page('GET', '/portal/team', (visit) => teamPage(visit)),
  page('POST', '/portal/team', changeTeamFromPage),
]

const places = { clients: '', apps: '/apps', team: '/team', sessions: '/sessions' } as const

type Place = keyof typeof places

/** Every page of the portal: the way between them, and who is signed in. */
export function portalFrame(visit: Visit, current: Place, content: Html): Html {
  const { say, root } = visit
  const title = say(`portal_${current}`)
  const links = (Object.keys(places) as Place[]).map((name) => ({
    href: `${root}/oauth/portal${places[name]}`,
    text: say(`portal_${name}`),
    isCurrent: name === current,
  }))
  return frame(
    visit,
    title,
    html`
${tabs(title, links)}
<h1>${title}</h1>
${content}
<div class="foot">${say('signed_in_as', { email: signedIn(visit).email })}.
<form method="post" action="${root}/oauth/logout"><button class="link">${say('sign_out')}</button></form>
</div>`,
    { wide: true },
  )
}

/** Which of the stores a page is about: the one asked for, else the first. */
export function chosenStore(visit: Visit): Membership | undefined {
  const mine = signedIn(visit).stores.filter(({ status }) => status !== 'closed')
  return mine.find(({ id }) => id === (visit.query.store ?? field(visit, 'store'))) ?? mine[0]
}

/** A way to the other stores, when there are any. */
export function storeTabs(visit: Visit, current: Membership | undefined): Html | '' {
  const { stores } = signedIn(visit)
  const links = stores.map(({ id, name }) => ({ href: `?store=${id}`, text: name, isCurrent: id === current?.id }))
  return stores.length < 2 ? '' : tabs(visit.say('which_store'), links)
}

function tabs(label: string, links: { href: string; text: string; isCurrent: boolean }[]): Html {
  return html`<nav aria-label="${label}">${links.map(
    ({ href, text, isCurrent }) => html`<a href="${href}"${isCurrent ? html` aria-current="page"` : ''}>${text}</a>`,
  )}</nav>`
}

export function dateIn(language: Language, date: Date | string): string {
  const form = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  return `${form.format(new Date(date))} UTC`
}

export function scopeInWords({ say }: Visit, scope: string): string {
  return isWord(scope) ? say(scope) : scope
}

async function sessionsPage(visit: Visit): Promise<Reply> {
  const { say, root, db } = visit
  const all = await listSessions(db, signedIn(visit).user_id)
  const button = (id: string, text: string) => html`
<form method="post" action="${root}/oauth/portal/sessions">${hidden('id', id)}
<button class="quiet">${text}</button></form>`
  return {
    page: portalFrame(
      visit,
      'sessions',
      html`
<ul class="rows">${all.map((one) => sessionRow(visit, one, button(one.id, say('end_session'))))}</ul>
${all.length > 1 ? button('others', say('end_others')) : ''}`,
    ),
  }
}

function sessionRow(visit: Visit, { id, ip, user_agent, last_seen_at }: SessionRecord, end: Html): Html {
  const { say, language } = visit
  const isCurrent = id === signedIn(visit).id
  return html`
<li><div>
<p>${user_agent || '–'}</p>
<p class="hint">${ip} · ${say('last_used', { when: dateIn(language, last_seen_at) })}</p>
</div>${isCurrent ? html`<span class="mark">${say('this_session')}</span>` : end}</li>`
}

async function endFromPage(visit: Visit): Promise<Reply> {
  const id = field(visit, 'id')
  await (id === 'others' ? endOthers(visit) : endOne(visit, id))
  return { location: `${visit.root}/oauth/portal/sessions` }
}

async function teamPage(visit: Visit, told: Html | '' = ''): Promise<Reply> {
  const store = chosenStore(visit)
  const people = store ? await listTeam(visit.db, store.id) : []
  const action = `${visit.root}/oauth/portal/team?store=${store?.id ?? ''}`
  return {
    page: portalFrame(
      visit,
      'team',
      html`
${storeTabs(visit, store)}${told}
<ul class="rows">${people.map((person) => personRow(visit, store!, person, action))}</ul>
${store && isManager(store) ? invitationForm(visit, store, action) : ''}`,
    ),
  }
}

function personRow(visit: Visit, store: Membership, person: Person, action: string): Html {
  const { say } = visit
  const { user_id, invitation_id, email, name, role } = person
  const id = user_id ? publicId('usr', user_id) : (invitation_id ?? '')
  const about = [email, say(`role_${role}`), ...(user_id ? [] : [say('pending')])]
  const end = html`
<form method="post" action="${action}">${hidden('person', id)}
<button class="quiet">${say('remove')}</button></form>`
  return html`
<li><div><p>${name ?? email}</p><p class="hint">${about.join(' · ')}</p></div>
${mayRemove(signedIn(visit), store, person) ? end : ''}</li>`
}

function invitationForm({ say }: Visit, store: Membership, action: string): Html {
  const options = grantableRoles(store)
    .toReversed()
    .map((role) => html`<option value="${role}">${say(`role_${role}`)}</option>`)
  return html`
<h2>${say('invite')}</h2>
<form method="post" action="${action}">
${input(say('email'), { name: 'email', type: 'email', autocomplete: 'off' })}
<p class="field"><label for="role">${say('role')}</label><select id="role" name="role">${options}</select></p>
<button>${say('invite')}</button>
</form>`
}

async function changeTeamFromPage(visit: Visit): Promise<Reply> {
  // The one that the form was about and no other, although a page would show the first instead.
  const { store: storeId = '' } = visit.query
  const person = field(visit, 'person')
  try {
    await (person ? removePerson(visit, storeId, person) : sendInvitation(visit, storeId))
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    const text = refusalIn(visit.say, error, person ? { CONFLICT: 'last_owner' } : {})
    return { ...(await teamPage(visit, notice('error', text))), status: error.status }
  }
  return person ? { location: visit.here } : teamPage(visit, notice('done', visit.say('invite_sent')))
}
