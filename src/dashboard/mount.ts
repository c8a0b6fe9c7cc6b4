// The site of the dashboard: whose session and store it is, and the pages that its screens make.
import type { FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import type { Database } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'
import { pathIds } from '../kit/declare/route.ts'
import { ApiError, notFound, rateLimited } from '../kit/values/errors.ts'
import { staffLanguages } from '../kit/values/language.ts'
import { priceIn } from '../kit/values/prices.ts'
import { card } from '../platform/pages/frame.ts'
import type { Site } from '../platform/pages/mount.ts'
import { hidden } from '../platform/pages/parts.ts'
import type { Page, Reply, Visit as AnyVisit } from '../platform/pages/page.ts'
import { refusalOf, refusalText } from '../platform/pages/refusal.ts'
import { waitSeconds } from '../platform/ratelimit/ratelimit.ts'
import { findSession, lacksSecondFactor, membershipOf, sessionCookie } from '../identity/accounts/session.ts'
import { roles, userActor } from '../identity/accounts/user.ts'
import { SignInNeeded } from '../identity/signin/page.ts'
import { loadStore } from '../tenancy/stores/store.ts'
import { requireFeature } from '../tenancy/dispatch/perform.ts'
import { act } from './framework/act.ts'
import { storeCookie } from './framework/door.ts'
import { demandScope } from './framework/call.ts'
import { frame, noticeCookie } from './framework/frame.ts'
import type { Html, Screen, Visit } from './framework/page.ts'
import { screens } from './screens/screens.ts'
import { sayIn, type Word } from './framework/words.ts'

export type DashboardOptions = {
  db: Database
  tools: Visit['tools']
  /** AUTH_URL, where the session's cookie is. */
  siteUrl: string
  baseUrl: string
  /** Whether people may open stores themselves. */
  opensStores: boolean
}

export function dashboardSite(options: DashboardOptions): Site<Visit> {
  const { origin, pathname, protocol } = new URL(options.siteUrl)
  const root = pathname.replace(/\/$/, '')
  return {
    prefix: `${root}/dashboard/:store`,
    pages: [...screens.flatMap(pagesOf), nothing],
    languages: staffLanguages,
    isSecure: protocol === 'https:',
    rootOf: () => root,
    originsOf: () => [origin],
    cookieOf: (name) => ({ name, path: root || '/', maxAge: cookieSeconds[name]! }),
    policy: { imagesFrom: ['https:'], scripts: true, frames: true },
    visitOf: (request, visit) => visitOf(request, visit, options),
    refuse: async (error, _request, visit) => refuse(error, visit),
  }
}

function pagesOf(screen: Screen): Page<Visit>[] {
  const path = screen.path.replaceAll(/\{(\w+)\}/g, ':$1') || '/'
  const admitted = (run: (visit: Visit) => Promise<Reply>) => async (visit: Visit) => {
    demandScope(visit, screen)
    if (screen.feature) requireFeature(visit.store, screen.feature)
    if (!screen.isForSettingUp) demandSecondFactor(visit)
    return run({ ...visit, ids: pathIds(visit.params, screen) })
  }
  const { show, csv, json, leads, preview } = screen
  const own = async (visit: Visit): Promise<Reply> => {
    const location = await leads?.(visit)
    if (location) return { location }
    return { page: frame(visit, screen, await show(visit)), cookies: cookiesAfter(visit) }
  }
  const framed = (run: (visit: Visit) => Promise<Reply>) =>
    admitted(async (visit) => ({ ...(await run(visit)), isFramed: true }))
  return [
    { method: 'GET', path, run: admitted(own) },
    ...(screen.actions ? [posting(screen, { path, run: admitted((visit) => act(screen, visit)) })] : []),
    ...(json ? [{ method: 'GET', path: `${path}.json`, run: admitted(json) } as const] : []),
    ...(csv ? [{ method: 'GET', path: `${path}.csv`, run: admitted(csv) } as const] : []),
    ...(preview
      ? (['GET', 'POST'] as const).map((method) => ({ method, path: `${path}/preview`, run: framed(preview) }))
      : []),
  ]
}

/** The notice is shown once; signing in leads to the store that was used last. */
function cookiesAfter({ cookies, store }: Visit): Record<string, string | null> {
  return {
    ...(cookies[noticeCookie] ? { [noticeCookie]: null } : {}),
    ...(cookies[storeCookie] === store.id ? {} : { [storeCookie]: store.id }),
  }
}

function posting({ actions, limits }: Screen, page: Pick<Page<Visit>, 'path' | 'run'>): Page<Visit> {
  const file = Object.values(actions!).find(({ route }) => route.file)?.route.file
  return { method: 'POST', ...page, limits, file }
}

/** Somebody lacks the second factor that the store asks for. */
class SecondFactorNeeded extends Error {}

function demandSecondFactor({ session, store }: Visit): void {
  if (lacksSecondFactor(session, membershipOf(session, store.id, roles)!)) throw new SecondFactorNeeded()
}

const nothing: Page<Visit> = {
  method: 'GET',
  path: '/*',
  run() {
    throw notFound('Page')
  },
}

const requestsPerMinute = 1000
const cookieSeconds: Record<string, number> = { [noticeCookie]: 60, [storeCookie]: 365 * 24 * 3600 }

/** What a stranger's store answers is what no store answers. */
async function visitOf(
  _request: FastifyRequest,
  visit: AnyVisit,
  { db, tools, siteUrl, baseUrl, opensStores }: DashboardOptions,
): Promise<Visit> {
  const cookie = visit.cookies[sessionCookie(siteUrl)]
  const storeId = visit.params.store!
  const [session, store] = await Promise.all([
    cookie ? findSession(db, cookie) : null,
    loadStore(db, sql`stores.id = ${storeId}`),
  ])
  if (!session) throw new SignInNeeded()
  const hit = await tools.limiter.hit(`session:${session.id}`, requestsPerMinute)
  if (!hit.allowed) throw rateLimited(waitSeconds(hit, db.clock.now()))
  const membership = membershipOf(session, storeId, roles)
  if (!membership || !store) throw notFound('Store')
  const actor = userActor(session.user_id)
  const { requestId, operation, root, language } = visit
  const allStores = db.because({ requestId, actor, operation })
  return {
    ...visit,
    db: allStores.ofStore(store.id),
    allStores,
    tools,
    session,
    actor,
    store,
    role: membership.role,
    screens,
    base: `${root}/dashboard/${store.id}`,
    baseUrl,
    opensStores,
    say: sayIn(language),
    price: priceIn(language, store),
    when: (moment) => format(language, store.timezone, moment, { dateStyle: 'medium', timeStyle: 'short' }),
    second: (moment) => format(language, store.timezone, moment, { dateStyle: 'short', timeStyle: 'medium' }),
    brief: (moment) => format(language, store.timezone, moment, briefIn(db.clock.now(), new Date(moment))),
    day: (moment) => format(language, store.timezone, moment, { dateStyle: 'medium' }),
    ids: {},
    refused: null,
  }
}

const shortly = { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' } as const

function briefIn(now: Date, moment: Date): Intl.DateTimeFormatOptions {
  return now.getUTCFullYear() === moment.getUTCFullYear() ? shortly : { ...shortly, year: 'numeric' }
}

const formats = new Map<string, Intl.DateTimeFormat>()

function format(language: string, timeZone: string, moment: Date | string, style: Intl.DateTimeFormatOptions): string {
  const name = [language, timeZone, JSON.stringify(style)].join(' ')
  let made = formats.get(name)
  if (!made) formats.set(name, (made = new Intl.DateTimeFormat(language, { ...style, timeZone })))
  return made.format(new Date(moment))
}

function refuse(error: unknown, visit: AnyVisit | Visit): Reply {
  const { language, root, here, form } = visit
  const isForm = Object.keys(form).length > 0
  if (error instanceof SignInNeeded) {
    const login = `/oauth/login?return_to=${encodeURIComponent(here)}${error.again ? '&again=1' : ''}`
    if (error.again && 'store' in visit) return againPage(visit, root + login)
    return isForm ? endedPage(visit, root + login) : { to: login }
  }
  if (error instanceof SecondFactorNeeded && 'store' in visit) {
    return { location: `${visit.base}/settings/security?first=1` }
  }
  const refusal = refusalOf(error)
  const { status } = refusal
  const general = refusalText(language, refusal)
  if ('store' in visit) {
    const isLacking = error instanceof ApiError && error.code === 'FEATURE_ACCESS_DENIED'
    const forbidden = visit.say(isLacking ? 'refused_feature' : 'refused_role')
    const { title } = general
    const heading = status === 403 ? forbidden : title
    const text = status === 403 ? visit.say('ask_owner') : general.text
    const content = html`<p>${text}</p>`
    return { status, page: frame(visit, { path: '', title: 'home', section: 'home' }, { title: heading, content }) }
  }
  const say = sayIn(language)
  const title = status === 404 ? say('no_store') : general.title
  const text = status === 404 ? say('no_store_text') : general.text
  const back = html`<p><a href="${root}/dashboard">${say('to_your_stores')}</a></p>`
  return { status, page: card(language, title, html`<h1>${title}</h1><p>${text}</p>${back}`) }
}

/** What was typed waits here until its author has signed in again. */
function endedPage(visit: AnyVisit, login: string): Reply {
  const { language } = visit
  const title = sayIn(language)('session_ended')
  const content = html`<h1>${title}</h1>${waitingForm(visit, login, 'session_ended_text')}`
  return { status: 401, page: card(language, title, content) }
}

/** The same, for what is delicate: whoever is signed in proves once more that it is them. */
function againPage(visit: Visit, login: string): Reply {
  const content = html`<div class="card">${waitingForm(visit, login, 'sign_in_again_text')}</div>`
  const screen = { path: '/settings', title: 'sign_in_again', section: 'settings' } as const
  return { status: 403, page: frame(visit, screen, { content }) }
}

function waitingForm({ language, here, form }: AnyVisit, login: string, text: Word): Html {
  const say = sayIn(language)
  const fields = Object.entries(form).flatMap(([name, value]) => [value ?? []].flat().map((one) => hidden(name, one)))
  return html`<p>${say(text)}</p>
<form method="post" action="${here}">${fields}
<div class="pair"><a class="button" href="${login}" target="_blank">${say('sign_in_tab')}</a>
<button class="quiet">${say('send_again')}</button></div></form>`
}
