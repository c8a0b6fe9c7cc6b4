// Where signing in leads, for whoever has chosen no store yet; and where the pages are now that stood elsewhere once.
import { html } from 'hono/html'
import { listGranted } from '../../identity/oauth/granted.ts'
import { addressWith } from '../../platform/pages/address.ts'
import { signedIn, titled, type Page, type Reply, type Visit } from '../../identity/signin/page.ts'
import { sayIn } from './words.ts'

/** `opensStores`: whether people may open stores themselves. */
export function doorPages(opensStores: boolean): Page[] {
  const lead = (visit: Visit, path: string) => toScreen(visit, path, opensStores)
  return [
    { method: 'GET', path: '/dashboard', run: (visit) => enter(visit, lead) },
    { method: 'GET', path: '/dashboard/', run: (visit) => enter(visit, lead) },
    ...Object.entries(moved).map(([from, to]): Page => ({
      method: 'GET',
      path: `/oauth/portal${from}`,
      run: (visit) => lead(visit, to),
    })),
  ]
}

// prettier-ignore
const moved: Record<string, string> = {
  '':          '',
  '/clients':  '/settings/developer/oauth-clients',
  '/apps':     '/settings/developer/apps',
  '/team':     '/settings/team',
  '/requests': '/settings/developer/requests',
  '/sessions': '/settings/security',
  '/password': '/settings/security',
  '/granted':  '/settings/security/apps',
}

/** After a new password: what was let in before stays in, and is shown. */
async function enter(visit: Visit, lead: (visit: Visit, path: string) => Reply): Promise<Reply> {
  const isReset = visit.query.after === 'reset'
  const granted = isReset ? await listGranted(visit.db, signedIn(visit).user_id) : []
  return lead(visit, granted.length > 0 ? '/settings/security/apps' : '')
}

/** The store that was used last in this browser. */
export const storeCookie = 'stoa_store'

/** Leads to the store that the address names, else to the one used last, else to the first that is open. */
function toScreen(visit: Visit, path: string, opensStores: boolean): Reply {
  const { query, cookies } = visit
  const open = signedIn(visit).stores.filter(({ status }) => status !== 'closed')
  const storeOf = (storeId: string | undefined) => open.find(({ id }) => id === storeId)
  const store = storeOf(query.store) ?? storeOf(cookies[storeCookie]) ?? open[0]
  if (!store) return noStore(visit, opensStores)
  const { id = null } = query
  return { to: addressWith(`/dashboard/${store.id}${path}`, { id }) }
}

/** Somebody who works in no store yet. */
function noStore(visit: Visit, opensStores: boolean): Reply {
  const { language, root } = visit
  const say = sayIn(language)
  const { email } = signedIn(visit)
  const content = html`<p>${say(opensStores ? 'stores_none_text' : 'stores_none_wait', { email })}</p>
${opensStores ? html`<p><a class="button full" href="${root}/dashboard/new">${say('store_new')}</a></p>` : ''}
<div class="foot">${say('signed_in_as', { email })}
<form method="post" action="${root}/oauth/logout"><button class="link">${say('sign_out')}</button></form></div>`
  return { page: titled(visit, say('stores_none'), content) }
}
