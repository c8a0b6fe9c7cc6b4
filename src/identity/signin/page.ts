// The context of pages behind the session cookie.
import type { Database } from '../../kit/database/database.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import { card } from '../../platform/pages/frame.ts'
import { languageLinks } from '../../platform/pages/language.ts'
import type { Html, Page as AnyPage, PageResult, PageVisit as AnyVisit } from '../../platform/pages/page.ts'
import type { RateLimiter } from '../../platform/ratelimit/ratelimit.ts'
import type { UserSession } from '../accounts/session.ts'
import { html } from 'hono/html'
import type { SignInTranslate } from './messages.ts'

import { field, secret } from '../../platform/pages/form.ts'
export { field, secret }
export type { Html, PageResult }

export type SignInVisit = AnyVisit & {
  db: Database
  limiter: RateLimiter
  vault: Vault
  session: UserSession | null
  say: SignInTranslate
  /** The base of links in emails. */
  siteUrl: string
  /** The address of the API and the shops. */
  baseUrl: string
}

export type SignInPage = AnyPage<SignInVisit>

export function page(method: SignInPage['method'], path: string, run: SignInPage['run']): SignInPage {
  return { method, path: `/oauth${path}`, run }
}

/** The person must sign in, or `again` before a sensitive change. */
export class SignInNeeded extends Error {
  readonly again: boolean
  /** The name of the app that asks for access. */
  readonly app: string | null

  constructor({ again = false, app = null }: { again?: boolean; app?: string | null } = {}) {
    super('sign in')
    this.again = again
    this.app = app
  }
}

export function requireSession({ session }: Pick<SignInVisit, 'session'>): UserSession {
  if (!session) throw new SignInNeeded()
  return session
}

const appPlace = 'app at sign-in'

/** Sealed, so that no link can put words of its own on the page. */
export function sealAppName(vault: Vault, name: string): string {
  return vault.seal(name, appPlace)
}

export function openAppName({ vault, query, form }: SignInVisit): string | null {
  const ciphertext = query.app ?? field(form, 'app')
  try {
    return ciphertext === '' ? null : vault.open(ciphertext, appPlace)
  } catch {
    return null
  }
}

const recentMs = 3600_000

/** True within an hour of signing in: required to show secrets. */
export function isRecent({ created_at }: UserSession, now: Date): boolean {
  return created_at.getTime() >= now.getTime() - recentMs
}

/** A card with its title. */
export function titledCard(
  { here, language }: Pick<SignInVisit, 'here' | 'language'>,
  title: string,
  content: Html,
): Html {
  const heading = html`
<h1>${title}</h1>`
  return card(language, title, html`${heading}${content}${languageLinks({ here, language })}`)
}

/** Headers and status of a reply that asks the client to wait. */
export function tooMany(waitSeconds: number): PageResult {
  return { status: 429, headers: { 'retry-after': String(waitSeconds) } }
}

/** A page with a message only. */
export function message(
  { language }: Pick<SignInVisit, 'language'>,
  title: string,
  text: string,
  more: Html | '' = '',
): Html {
  return card(language, title, html`<h1>${title}</h1>${text ? html`<p>${text}</p>` : ''}${more}`)
}
