// Joining a store.
import { html } from 'hono/html'
import { ApiError } from '../../kit/values/errors.ts'
import { input, notice } from '../../platform/pages/parts.ts'
import { passwordFault } from '../accounts/passwordrules.ts'
import { acceptInvitation, findInvitation } from '../accounts/team.ts'
import { field, page, secret, titledCard, tooMany, type SignInPage, type PageResult, type SignInVisit } from './page.ts'
import { newPassword } from './password.ts'
import { refusalIn } from './refusal.ts'
import { returnPath, signIn, tryPassword } from './login.ts'
import { deadLink } from './link.ts'

// prettier-ignore
export const invitationPages: SignInPage[] = [
  page('GET',  '/invitations/:link', (visit) => showInvitation(visit)),
  page('POST', '/invitations/:link', joinStore),
]

async function showInvitation(visit: SignInVisit, fault?: string): Promise<PageResult> {
  const { db, params, say, root } = visit
  const invitation = await findInvitation(db, params.link!)
  if (!invitation) return deadLink(visit)
  const { store_name: store, email, role } = invitation
  const isKnown = invitation.user_id !== null
  return {
    status: fault ? 422 : 200,
    page: titledCard(
      visit,
      say('invited_title', { store }),
      html`
<p>${say('invited_text', { role: typeof role === 'string' ? say(`role_${role}`) : role.name })}</p>
${fault ? notice('error', fault) : ''}
<p>${say(isKnown ? 'invited_known' : 'invited_new', { email })}</p>
<form method="post" action="${root}/oauth/invitations/${params.link!}">
${
  isKnown
    ? input(say('password'), { name: 'password', type: 'password', autocomplete: 'current-password', focus: true })
    : html`
${input(say('your_name'), { name: 'name', type: 'text', autocomplete: 'name', focus: true })}
${newPassword(visit)}`
}
<button class="full">${say('invited_accept')}</button>
</form>`,
    ),
  }
}

/** A person with an account confirms it with the password; the address alone is not enough. */
async function joinStore(visit: SignInVisit): Promise<PageResult> {
  const { db, params, say, ip, userAgent } = visit
  const invitation = await findInvitation(db, params.link!)
  if (!invitation) return deadLink(visit)
  const password = secret(visit.form, 'password')
  if (invitation.user_id) {
    const outcome = await tryPassword(visit, invitation.email)
    if ('refused' in outcome) {
      if (outcome.refused === 'wrong') return showInvitation(visit, say('wrong_login'))
      const { waitSeconds } = outcome
      const reply = await showInvitation(visit, say('too_many', { seconds: waitSeconds }))
      return { ...reply, ...tooMany(waitSeconds) }
    }
  } else {
    const { email, store_name, store_slug } = invitation
    const fault = await passwordFault(password, { email, stores: [store_name, store_slug] })
    if (fault) return showInvitation(visit, say(`password_${fault}`))
  }
  const newcomer = { password, name: field(visit.form, 'name').trim().slice(0, 120) || null }
  try {
    const userId = await db.transaction((tx) => acceptInvitation(tx, params.link!, newcomer, { ip, userAgent }))
    return userId ? signIn(visit, 'invitation', userId, returnPath(visit, '')) : deadLink(visit)
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return showInvitation(visit, refusalIn(say, error))
    throw error
  }
}
