// The operator's link that signs in once, and the page for a used link.
import { html } from 'hono/html'
import { hidden } from '../../platform/pages/parts.ts'
import { isLinkAlive, useLink } from '../accounts/links.ts'
import { field, message, page, titledCard, type SignInPage, type PageResult, type SignInVisit } from './page.ts'
import { returnPath, signIn } from './login.ts'

// prettier-ignore
export const linkPages: SignInPage[] = [
  page('GET',  '/sign-in/:link', showSignIn),
  page('POST', '/sign-in/:link', useSignIn),
]

/** Mail scanners open links; only the button signs in. */
async function showSignIn(visit: SignInVisit): Promise<PageResult> {
  const { db, params, say, root } = visit
  if (!(await isLinkAlive(db, params.link!, 'sign_in'))) return deadLink(visit)
  return {
    page: titledCard(
      visit,
      say('sign_in'),
      html`
<p>${say('link_sign_in')}</p>
<form method="post" action="${root}/oauth/sign-in/${params.link!}">
${hidden('return_to', visit.query.return_to ?? '')}
<button class="full" autofocus>${say('sign_in')}</button>
</form>`,
    ),
  }
}

async function useSignIn(visit: SignInVisit): Promise<PageResult> {
  const userId = await visit.db.transaction((tx) => useLink(tx, visit.params.link!, 'sign_in'))
  return userId ? signIn(visit, 'link', userId, returnPath(visit, field(visit.form, 'return_to'))) : deadLink(visit)
}

export function deadLink(visit: SignInVisit): PageResult {
  const { say, root } = visit
  const ways = html`
<pre><code>npm run -s stoa -- user link --email …</code></pre>
<div class="pair"><a class="button" href="${root}/oauth/login">${say('sign_in')}</a>
<a class="button quiet" href="${root}/oauth/reset">${say('forgot')}</a></div>`
  return { status: 410, page: message(visit, say('link_dead'), say('link_dead_text'), ways) }
}
