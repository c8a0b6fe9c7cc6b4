// A new email address counts once its link has been opened.
import { html } from 'hono/html'
import { ApiError } from '../../kit/values/errors.ts'
import { isLinkAlive } from '../accounts/links.ts'
import { changeAddress } from '../accounts/profile.ts'
import { deadLink } from './link.ts'
import { message, page, titledCard, type SignInPage, type PageResult, type SignInVisit } from './page.ts'

// prettier-ignore
export const addressPages: SignInPage[] = [
  page('GET',  '/email/:link', ask),
  page('POST', '/email/:link', confirm),
]

/** Mail scanners open links; only the button confirms. */
async function ask(visit: SignInVisit): Promise<PageResult> {
  const { db, params, say, root } = visit
  if (!(await isLinkAlive(db, params.link!, 'email'))) return deadLink(visit)
  const content = html`<p>${say('address_text')}</p>
<form method="post" action="${root}/oauth/email/${params.link!}">
<button class="full" autofocus>${say('address_confirm')}</button></form>`
  return { page: titledCard(visit, say('address_title'), content) }
}

async function confirm(visit: SignInVisit): Promise<PageResult> {
  const { db, params, say, root, ip, userAgent, language } = visit
  const on = html`<p><a class="button" href="${root}/dashboard">${say('address_on')}</a></p>`
  try {
    const from = { ip, userAgent, language }
    const email = await db.transaction((tx) => changeAddress(tx, params.link!, from))
    if (!email) return deadLink(visit)
    return { page: message(visit, say('address_title'), say('address_done', { email }), on) }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'CONFLICT') throw error
    return { status: 409, page: message(visit, say('error_title'), say('address_taken'), on) }
  }
}
