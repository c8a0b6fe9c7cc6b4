// The site of the people who work in stores: signing in and connecting apps, all behind one cookie.
import type { Database } from '../../kit/database/database.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import type { Site } from '../../platform/pages/mount.ts'
import { ForeignForm } from '../../platform/pages/origin.ts'
import type { PageResult, PageVisit as AnyVisit } from '../../platform/pages/page.ts'
import { toPageError, errorText } from '../../platform/pages/errorpage.ts'
import type { RateLimiter } from '../../platform/ratelimit/ratelimit.ts'
import { deviceCookie, deviceLifeSeconds } from '../accounts/device.ts'
import { findSession, lifeSeconds, sessionCookie } from '../accounts/session.ts'
import { pendingLoginCookie, pendingLoginSeconds } from './pendinglogin.ts'
import { message, sealAppName, SignInNeeded, type SignInPage, type SignInVisit } from './page.ts'
import { refusalIn } from './refusal.ts'
import { signInTranslator } from './messages.ts'
import { userActor } from '../accounts/user.ts'

export type SignInOptions = {
  db: Database
  limiter: RateLimiter
  vault: Vault
  /** AUTH_URL: scheme and host of the cookie, and the base path of the pages. */
  siteUrl: string
  baseUrl: string
  /** False for hosts of online stores: a store's owner could read a cookie set there. */
  isAt(host: string): boolean
}

export function signInSite(pages: readonly SignInPage[], options: SignInOptions): Site<SignInVisit> {
  const { db, siteUrl } = options
  const { origin, pathname, protocol } = new URL(siteUrl)
  const root = pathname.replace(/\/$/, '')
  const cookies = {
    session: { name: sessionCookie(siteUrl), path: '/', maxAge: lifeSeconds },
    device: { name: deviceCookie(siteUrl), path: '/', maxAge: deviceLifeSeconds },
    half: { name: pendingLoginCookie, path: `${root}/oauth`, maxAge: pendingLoginSeconds },
  }
  return {
    prefix: root,
    pages,
    isForStaff: true,
    isAt: options.isAt,
    isSecure: protocol === 'https:',
    rootOf: () => root,
    originsOf: () => [origin],
    cookieOf: (name) => cookies[name as keyof typeof cookies],
    visitOf: async (_request, visit) => {
      const value = visit.cookies[sessionCookie(siteUrl)]
      const session = value ? await findSession(db, value) : null
      const actor = session ? userActor(session.user_id) : ({ kind: 'system', id: 'signin' } as const)
      const { requestId, operation, language } = visit
      return {
        ...visit,
        ...options,
        db: db.because({ requestId, actor, operation }),
        session,
        say: signInTranslator(language),
      }
    },
    refuse: async (error, request, visit) => refuse(error, request.method, visit, options.vault),
  }
}

function refuse(error: unknown, method: string, visit: AnyVisit, vault: Vault): PageResult {
  const { language, root, here } = visit
  if (error instanceof SignInNeeded) {
    const next = method === 'GET' ? here : `${root}/dashboard`
    const app = error.app === null ? '' : `&app=${encodeURIComponent(sealAppName(vault, error.app))}`
    return { to: `/oauth/login?return_to=${encodeURIComponent(next)}${error.again ? '&again=1' : ''}${app}` }
  }
  const refusal = toPageError(error)
  const { status } = refusal
  const say = signInTranslator(language)
  const general = errorText(language, refusal)
  const isGeneral = error instanceof ForeignForm || [404, 413, 429].includes(status) || status >= 500
  const { title, text } = isGeneral ? general : { title: say('error_title'), text: refusalIn(say, refusal) }
  return { status, page: message(visit, title, text) }
}
