// The page after a new password: which apps are still let in, and one button that ends them.
import { html } from 'hono/html'
import { publicId } from '../kit/values/ids.ts'
import { page, signedIn, signedInLately, type Reply, type Screen, type Visit } from '../accounts/screen.ts'
import { frame } from '../accounts/view.ts'
import { dateIn } from '../accounts/portalpages.ts'
import { endGranted, listGranted, type GrantedApp } from './granted.ts'

export const grantedScreens: Screen[] = [page('GET', '/portal/granted', show), page('POST', '/portal/granted', endAll)]

async function show(visit: Visit): Promise<Reply> {
  const { db, say, root } = visit
  const apps = await listGranted(db, signedIn(visit).user_id)
  if (apps.length === 0) return { location: `${root}/oauth/portal` }
  return {
    page: frame(
      visit,
      say('granted_title'),
      html`
<h1>${say('granted_title')}</h1>
<p>${say('granted_text')}</p>
<ul class="rows">${apps.map((app) => appRow(visit, app))}</ul>
<form method="post" action="${root}/oauth/portal/granted">
<button class="full">${say('granted_end')}</button>
</form>
<p class="foot"><a href="${root}/oauth/portal">${say('granted_keep')}</a></p>`,
    ),
  }
}

function appRow({ say, language }: Visit, { name, stores, last_used_at }: GrantedApp) {
  const used = last_used_at ? say('last_used', { when: dateIn(language, last_used_at) }) : say('never_used')
  return html`<li><div><p><strong>${name}</strong></p><p class="hint">${stores.join(', ')} · ${used}</p></div></li>`
}

async function endAll(visit: Visit): Promise<Reply> {
  const { db, root, ip, userAgent } = visit
  const { user_id } = signedInLately(visit)
  const by = { kind: 'user', id: publicId('usr', user_id), ip, userAgent } as const
  await db.transaction((tx) => endGranted(tx, user_id, by))
  return { location: `${root}/oauth/portal` }
}
