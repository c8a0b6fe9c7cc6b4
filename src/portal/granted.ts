// The page after a new password: which apps are still let in, and one button that ends them.
import { html } from 'hono/html'
import { endGranted, listGranted, type GrantedApp } from '../oauth/granted.ts'
import { page, signedIn, signedInLately, titled, type Html, type Page, type Reply, type Visit } from '../signin/page.ts'
import { chosenStore, dateIn, doerOf, portalPath } from './frame.ts'
import { sayIn } from './words.ts'

export const grantedPages: Page[] = [page('GET', '/portal/granted', show), page('POST', '/portal/granted', endAll)]

async function show(visit: Visit): Promise<Reply> {
  const { db, language, root } = visit
  const say = sayIn(language)
  const apps = await listGranted(db, signedIn(visit).user_id)
  if (apps.length === 0) return { to: portalPath('home') }
  const content = html`
<p>${say('granted_text')}</p>
<ul class="rows">${apps.map((app) => appRow(visit, app))}</ul>
<form method="post" action="${root}/oauth/portal/granted">
<button class="full">${say('granted_end')}</button>
</form>
<p class="foot"><a href="${root}${portalPath('home')}">${say('granted_keep')}</a></p>`
  return { page: titled(visit, say('granted_title'), content) }
}

function appRow(visit: Visit, { name, stores, last_used_at }: GrantedApp): Html {
  const { language } = visit
  const say = sayIn(language)
  const when = last_used_at ? dateIn(language, last_used_at, chosenStore(visit)) : ''
  const used = last_used_at ? say('last_used', { when }) : say('never_used')
  return html`<li><div><p><strong>${name}</strong></p><p class="hint">${stores.join(', ')} · ${used}</p></div></li>`
}

async function endAll(visit: Visit): Promise<Reply> {
  const { user_id } = signedInLately(visit)
  await visit.db.transaction((tx) => endGranted(tx, user_id, doerOf(visit)))
  return { to: portalPath('home') }
}
