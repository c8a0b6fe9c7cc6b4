// Where signing in leads: the stores of the person, their shops, and how to get a key.
import { html } from 'hono/html'
import { isManager } from '../accounts/roles.ts'
import type { Membership } from '../accounts/session.ts'
import { page, signedIn, type Html, type Page, type Reply, type Visit } from '../signin/page.ts'
import { portalFrame, portalPath } from './frame.ts'
import { sayIn } from './words.ts'

export const homePages: Page[] = [page('GET', '/portal', homePage)]

async function homePage(visit: Visit): Promise<Reply> {
  const { language, root, siteUrl, baseUrl } = visit
  const say = sayIn(language)
  const { stores } = signedIn(visit)
  const content = html`
${stores.length === 0 ? html`<p>${say('no_stores')}</p>` : ''}
<ul class="rows">${stores.map((store) => storeRow(visit, store))}</ul>
<h2>${say('for_developers')}</h2>
<ul>
<li><a href="${baseUrl}/reference">${say('reference')}</a></li>
<li><a href="${root}${portalPath('clients')}">${say('portal_clients')}</a></li>
</ul>
${stores[0] ? keyHint(visit, stores[0]) : ''}
<h2>${say('account')}</h2>
<ul>
<li><a href="${root}/oauth/portal/password">${say('password_change')}</a></li>
<li><a href="${root}${portalPath('sessions')}">${say('portal_sessions')}</a></li>
</ul>
<p class="hint">${say('sign_in_at', { address: `${siteUrl}/oauth/login` })}</p>`
  return { page: portalFrame(visit, 'home', content, stores.length === 1 ? stores[0] : undefined) }
}

function storeRow({ language, baseUrl, root }: Visit, store: Membership): Html {
  const say = sayIn(language)
  const { id, name, slug, role, status } = store
  const about = [id, say(`role_${role}`), ...(status === 'active' ? [] : [say('not_open')])]
  const team = html`<a href="${root}${portalPath('team')}?store=${id}">${say('portal_team')}</a>`
  return html`
<li><div><p><strong>${name}</strong></p><p class="hint">${about.join(' · ')}</p></div>
<div class="pair"><a class="button" href="${baseUrl}/s/${slug}">${say('visit_shop')}</a>
${isManager(store) ? team : ''}</div></li>`
}

function keyHint({ language }: Visit, { id }: Membership): Html {
  return html`<p>${sayIn(language)('key_hint')}</p>
<pre><code>npm run -s stoa -- key create --store ${id} --mode live --scopes all</code></pre>`
}
