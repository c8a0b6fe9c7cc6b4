// The dashboard's site: finds session and store, and makes pages of the screens.
import type { FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import type { Database } from '../kit/database/database.ts'
import { pathIds } from '../kit/declare/route.ts'
import { ApiError, notFound } from '../kit/values/errors.ts'
import { priceIn } from '../kit/values/prices.ts'
import { field } from '../platform/pages/form.ts'
import { card } from '../platform/pages/frame.ts'
import { languageNamed } from '../platform/pages/language.ts'
import type { Site } from '../platform/pages/mount.ts'
import { hiddenFields } from '../platform/pages/parts.ts'
import type { Page, PageResult, PageVisit as AnyVisit } from '../platform/pages/page.ts'
import { toPageError, errorText } from '../platform/pages/errorpage.ts'
import { requireQuota } from '../platform/ratelimit/ratelimit.ts'
import { findSession, lacksSecondFactor, findMembership, sessionCookie } from '../identity/accounts/session.ts'
import { userActor } from '../identity/accounts/user.ts'
import { SignInNeeded } from '../identity/signin/page.ts'
import { loadStore } from '../tenancy/stores/store.ts'
import { requireFeature } from '../tenancy/dispatch/perform.ts'
import { buildInbox } from '../commerce/notifications/inbox.ts'
import { countUnread } from '../commerce/notifications/notification.ts'
import { languageField } from './framework/form.ts'
import { submit } from './framework/submit.ts'
import { storeCookie } from './framework/entry.ts'
import { requireScope } from './framework/call.ts'
import { withPlainNumbers } from './framework/filters.ts'
import { frame, noticeCookie } from './framework/frame.ts'
import type { Html, Screen, PageContext } from './framework/screen.ts'
import { screens } from './screens/screens.ts'
import { dashboardTranslator, type MessageKey } from './framework/messages.ts'

export { assets as dashboardAssets } from './framework/frame.ts'

export type DashboardOptions = {
  db: Database
  deps: PageContext['deps']
  /** AUTH_URL, whose host has the session cookie. */
  siteUrl: string
  baseUrl: string
  /** False for the hosts of online stores. */
  isAt(host: string): boolean
  /** True if people may open stores themselves. */
  opensStores: boolean
}

export function dashboardSite(options: DashboardOptions): Site<PageContext> {
  const { origin, pathname, protocol } = new URL(options.siteUrl)
  const root = pathname.replace(/\/$/, '')
  return {
    prefix: `${root}/dashboard/:store`,
    pages: [...screens.flatMap(buildScreenPages), notFoundPage],
    isForStaff: true,
    isAt: options.isAt,
    isSecure: protocol === 'https:',
    rootOf: () => root,
    originsOf: () => [origin],
    cookieOf: (name) => ({ name, path: root || '/', maxAge: cookieSeconds[name]! }),
    policy: { imagesFrom: ['https:'], scripts: true, frames: true },
    visitOf: (request, context) => buildPageContext(request, context, options),
    refuse: async (error, _request, context) => refuse(error, context),
  }
}

function buildScreenPages(screen: Screen): Page<PageContext>[] {
  const path = screen.path.replaceAll(/\{(\w+)\}/g, ':$1') || '/'
  const admit = (run: (context: PageContext) => Promise<PageResult>) => async (context: PageContext) => {
    requireScope(context, screen)
    if (screen.feature) requireFeature(context.store, screen.feature)
    if (!screen.isOpenWithoutSecondFactor) requireSecondFactor(context)
    return run({ ...context, ids: pathIds(context.params, screen) })
  }
  const { show, csv, files = {}, json, redirect, preview, previewScope, readsReplica } = screen
  const reading = (context: PageContext) => ({ ...context, db: context.db.fromReplica() })
  const own = async (context: PageContext): Promise<PageResult> => {
    const location = await redirect?.(context)
    if (location) return { location }
    const [content, unread] = await Promise.all([
      show(readsReplica ? reading(context) : context),
      countUnreadNotifications(context),
    ])
    return { page: frame({ ...context, unread }, screen, content), cookies: cookiesAfter(context) }
  }
  const inFrame = (run: (context: PageContext) => Promise<PageResult>) =>
    admit(async (context) => {
      if (previewScope) requireScope(context, { scope: previewScope })
      return { ...(await run(context)), isFramed: true }
    })
  return [
    { method: 'GET', path, run: admit(own) },
    ...(screen.actions ? [formPage(screen, { path, run: admit((context) => submit(screen, context)) })] : []),
    ...(json ? [{ method: 'GET', path: `${path}.json`, run: admit(json) } as const] : []),
    ...(csv ? [{ method: 'GET', path: `${path}.csv`, run: admit((context) => csv(reading(context))) } as const] : []),
    ...Object.entries(files).map(([ending, send]) => {
      return { method: 'GET', path: `${path}.${ending}`, run: admit((context) => send(reading(context))) } as const
    }),
    ...(preview
      ? (['GET', 'POST'] as const).map((method) => ({ method, path: `${path}/preview`, run: inFrame(preview) }))
      : []),
  ]
}

function countUnreadNotifications({ db, store, session, role }: PageContext): Promise<number> {
  const inbox = buildInbox(session, store.id, db.clock.now())
  return countUnread(db, { storeId: store.id, role, inbox })
}

/** Clears the shown notice, and remembers the store for the next sign-in. */
function cookiesAfter({ cookies, store }: PageContext): Record<string, string | null> {
  return {
    ...(cookies[noticeCookie] ? { [noticeCookie]: null } : {}),
    ...(cookies[storeCookie] === store.id ? {} : { [storeCookie]: store.id }),
  }
}

function formPage({ actions, limits }: Screen, page: Pick<Page<PageContext>, 'path' | 'run'>): Page<PageContext> {
  const file = Object.values(actions!).find(({ route }) => route.file)?.route.file
  return { method: 'POST', ...page, limits, file }
}

/** The person lacks the two-factor authentication that the store requires. */
class SecondFactorNeeded extends Error {}

function requireSecondFactor({ session, store }: PageContext): void {
  if (lacksSecondFactor(session, findMembership(session, store.id)!)) throw new SecondFactorNeeded()
}

const notFoundPage: Page<PageContext> = {
  method: 'GET',
  path: '/*',
  run() {
    throw notFound('Page')
  },
}

const requestsPerMinute = 1000
const cookieSeconds: Record<string, number> = { [noticeCookie]: 60, [storeCookie]: 365 * 24 * 3600 }

/** Someone else's store answers like one that does not exist. */
async function buildPageContext(
  _request: FastifyRequest,
  context: AnyVisit,
  { db, deps, siteUrl, baseUrl, opensStores }: DashboardOptions,
): Promise<PageContext> {
  const cookie = context.cookies[sessionCookie(siteUrl)]
  const storeId = context.params.store!
  const [session, store] = await Promise.all([cookie ? findSession(db, cookie) : null, loadStore(db, storeId)])
  if (!session) throw new SignInNeeded()
  requireQuota(await deps.limiter.hit(`session:${session.id}`, requestsPerMinute), db.clock.now())
  const membership = findMembership(session, storeId)
  if (!membership || !store) throw notFound('Store')
  const actor = userActor(session.user_id)
  const { requestId, operation, root } = context
  const language = languageNamed(field(context.form, languageField)) ?? context.language
  const allStores = db.because({ requestId, actor, operation })
  return {
    ...context,
    language,
    here: withPlainNumbers(context.here),
    db: allStores.ofStore(store.id),
    allStores,
    deps,
    session,
    actor,
    store,
    role: membership.role,
    screens,
    base: `${root}/dashboard/${store.id}`,
    baseUrl,
    opensStores,
    t: dashboardTranslator(language),
    price: priceIn(language, store),
    formatTime: (moment) => format(language, store.timezone, moment, { dateStyle: 'medium', timeStyle: 'short' }),
    formatExactTime: (moment) => format(language, store.timezone, moment, { dateStyle: 'short', timeStyle: 'medium' }),
    formatShortTime: (moment) => format(language, store.timezone, moment, briefIn(db.clock.now(), new Date(moment))),
    formatDate: (moment) => format(language, store.timezone, moment, { dateStyle: 'medium' }),
    ids: {},
    rejection: null,
  }
}

const shortly = { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' } as const

function briefIn(now: Date, moment: Date): Intl.DateTimeFormatOptions {
  return now.getUTCFullYear() === moment.getUTCFullYear() ? shortly : { ...shortly, year: 'numeric' }
}

const formats = new Map<string, Intl.DateTimeFormat>()

function format(language: string, timeZone: string, moment: Date | string, style: Intl.DateTimeFormatOptions): string {
  const name = [language, timeZone, JSON.stringify(style)].join(' ')
  let cachedFormat = formats.get(name)
  if (!cachedFormat) formats.set(name, (cachedFormat = new Intl.DateTimeFormat(language, { ...style, timeZone })))
  return cachedFormat.format(new Date(moment))
}

function refuse(error: unknown, context: AnyVisit | PageContext): PageResult {
  const { language, root, here, form } = context
  const isForm = Object.keys(form).length > 0
  if (error instanceof SignInNeeded) {
    const login = `/oauth/login?return_to=${encodeURIComponent(here)}${error.again ? '&again=1' : ''}`
    if (error.again && 'store' in context) return reauthenticatePage(context, root + login)
    return isForm ? sessionEndedPage(context, root + login) : { to: login }
  }
  if (error instanceof SecondFactorNeeded && 'store' in context) {
    return { location: `${context.base}/settings/security?first=1` }
  }
  const refusal = toPageError(error)
  const { status } = refusal
  const general = errorText(language, refusal)
  if ('store' in context) {
    const isLacking = error instanceof ApiError && error.code === 'FEATURE_ACCESS_DENIED'
    const forbidden = context.t(isLacking ? 'refused_feature' : 'refused_role')
    const { title } = general
    const heading = status === 403 ? forbidden : title
    const text = status === 403 ? context.t('ask_owner') : general.text
    const content = html`<p>${text}</p>`
    return { status, page: frame(context, { path: '', title: 'home', section: 'home' }, { title: heading, content }) }
  }
  const t = dashboardTranslator(language)
  const title = status === 404 ? t('no_store') : general.title
  const text = status === 404 ? t('no_store_text') : general.text
  const back = html`<p><a href="${root}/dashboard">${t('to_your_stores')}</a></p>`
  return { status, page: card(language, title, html`<h1>${title}</h1><p>${text}</p>${back}`) }
}

/** Keeps the input until its author has signed in again. */
function sessionEndedPage(context: AnyVisit, login: string): PageResult {
  const { language } = context
  const title = dashboardTranslator(language)('session_ended')
  const content = html`<h1>${title}</h1>${waitingForm(context, login, 'session_ended_text')}`
  return { status: 401, page: card(language, title, content) }
}

/** The same for sensitive pages, which require a recent sign-in. */
function reauthenticatePage(context: PageContext, login: string): PageResult {
  const content = html`<div class="card">${waitingForm(context, login, 'sign_in_again_text')}</div>`
  const screen = { path: '/settings', title: 'sign_in_again', section: 'settings' } as const
  return { status: 403, page: frame(context, screen, { content }) }
}

function waitingForm({ language, here, form }: AnyVisit, login: string, text: MessageKey): Html {
  const t = dashboardTranslator(language)
  return html`<p>${t(text)}</p>
<form method="post" action="${here}">${hiddenFields(form)}
<div class="pair"><a class="button" href="${login}" target="_blank">${t('sign_in_tab')}</a>
<button class="quiet">${t('send_again')}</button></div></form>`
}
