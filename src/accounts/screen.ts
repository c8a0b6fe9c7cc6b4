// What people look at in a browser is data too: method, path and what it answers. http/screens.ts hangs it up behind
// the session's cookie.
import type { HtmlEscapedString } from 'hono/utils/html'
import type { Database } from '../kit/database/database.ts'
import type { Vault } from '../kit/values/secrets.ts'
import type { Mail } from '../platform/outbound/mail.ts'
import type { RateLimiter } from '../ratelimit/ratelimit.ts'
import type { Session } from './session.ts'
import type { Language, Say } from './words.ts'

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

export type Visit = {
  db: Database
  limiter: RateLimiter
  mail: Mail
  vault: Vault
  params: Record<string, string>
  query: Record<string, string>
  /** Of a form or a JSON body. */
  body: Record<string, unknown>
  cookies: Record<string, string | undefined>
  session: Session | null
  ip: string
  userAgent: string
  language: Language
  say: Say
  /** What addresses on this site begin with: '' or the path of AUTH_URL. */
  root: string
  /** For links in mail. */
  siteUrl: string
  /** Path and query of this very request. */
  here: string
}

export type Reply = {
  status?: number
  page?: Html
  json?: unknown
  /** 303, to a path of this site or an absolute address. */
  location?: string
  headers?: Record<string, string>
  /** The value of a new session, or null: the cookie goes. */
  session?: string | null
  /** The value by which this browser is known from now on. */
  device?: string
  /** Origins beside this one that a form on the page may lead to, or an image may come from. */
  formTo?: string[]
  imagesFrom?: string[]
}

export type Screen = {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  /** What a refusal looks like. */
  kind: 'page' | 'json'
  run: (visit: Visit) => Promise<Reply>
}

export function page(method: 'GET' | 'POST', path: string, run: (visit: Visit) => Promise<Reply>): Screen {
  return { method, path: `/oauth${path}`, kind: 'page', run }
}

/** An endpoint of the portal's API, for the dashboard: what `run` answers is the body's `data`. */
export function api(
  method: Screen['method'],
  path: string,
  work: (visit: Visit) => Promise<unknown>,
  status = 200,
): Screen {
  const run = async (visit: Visit) => ({ status, json: { data: await work(visit) } })
  return { method, path: `/oauth/portal/api${path}`, kind: 'json', run }
}

/** Somebody must sign in, or `again` because what follows is delicate. */
export class SignInNeeded extends Error {
  readonly again: boolean

  constructor(again = false) {
    super('sign in')
    this.again = again
  }
}

export function signedIn({ session }: Visit): Session {
  if (!session) throw new SignInNeeded()
  return session
}

const recentMs = 3600_000

/** Signed in within the last hour: for what hands out secrets. */
export function signedInLately(visit: Visit): Session {
  const session = signedIn(visit)
  if (session.created_at.getTime() < visit.db.clock.now().getTime() - recentMs) throw new SignInNeeded(true)
  return session
}

/** A text of a form or JSON body; what is no text is none. */
export function field({ body }: Visit, name: string): string {
  const value = body[name]
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0') ? value : ''
}
