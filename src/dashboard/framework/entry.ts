// The page after sign-in without a chosen store, and redirects from former URLs.
import { html } from 'hono/html'
import { listAppsOfUser } from '../../identity/oauth/usergrants.ts'
import { addressWith } from '../../platform/pages/address.ts'
import {
  requireSession,
  titledCard,
  type SignInPage,
  type PageResult,
  type SignInVisit,
} from '../../identity/signin/page.ts'
import { dashboardTranslator } from './messages.ts'

/** `opensStores`: true if people may open stores themselves. */
export function entryPages(opensStores: boolean): SignInPage[] {
  const lead = (context: SignInVisit, path: string) => redirectToStore(context, path, opensStores)
  return [
    { method: 'GET', path: '/dashboard', run: (context) => enter(context, lead) },
    { method: 'GET', path: '/dashboard/', run: (context) => enter(context, lead) },
    ...Object.entries(legacyPaths).map(([from, to]): SignInPage => ({
      method: 'GET',
      path: `/oauth/portal${from}`,
      run: (context) => lead(context, to),
    })),
  ]
}

// prettier-ignore
const legacyPaths: Record<string, string> = {
  '':          '',
  '/clients':  '/settings/developer/oauth-clients',
  '/apps':     '/settings/developer/apps',
  '/team':     '/settings/team',
  '/requests': '/settings/developer/requests',
  '/sessions': '/settings/security',
  '/password': '/settings/security',
  '/granted':  '/settings/security/apps',
}

/** A new password ends other access. This page lists the access that remains. */
async function enter(
  context: SignInVisit,
  lead: (context: SignInVisit, path: string) => PageResult,
): Promise<PageResult> {
  const isReset = context.query.after === 'reset'
  const grants = isReset ? await listAppsOfUser(context.db, requireSession(context).user_id) : []
  return lead(context, grants.length > 0 ? '/settings/security/apps' : '')
}

/** Remembers the store that was last used in this browser. */
export const storeCookie = 'stoa_store'

/** Redirects to the store in the URL, the last used store, or the first open one. */
function redirectToStore(context: SignInVisit, path: string, opensStores: boolean): PageResult {
  const { query, cookies } = context
  const open = requireSession(context).stores.filter(({ status }) => status !== 'closed')
  const getOpenStore = (storeId: string | undefined) => open.find(({ id }) => id === storeId)
  const store = getOpenStore(query.store) ?? getOpenStore(cookies[storeCookie]) ?? open[0]
  if (!store) return noStorePage(context, opensStores)
  const { id = null } = query
  return { to: addressWith(`/dashboard/${store.id}${path}`, { id }) }
}

/** The page for a person without a store. */
function noStorePage(context: SignInVisit, opensStores: boolean): PageResult {
  const { language, root } = context
  const t = dashboardTranslator(language)
  const { email } = requireSession(context)
  const content = html`<p>${t(opensStores ? 'stores_none_text' : 'stores_none_wait', { email })}</p>
${opensStores ? html`<p><a class="button full" href="${root}/dashboard/new">${t('store_new')}</a></p>` : ''}
<div class="foot">${t('signed_in_as', { email })}
<form method="post" action="${root}/oauth/logout"><button class="link">${t('sign_out')}</button></form></div>`
  return { page: titledCard(context, t('stores_none'), content) }
}
