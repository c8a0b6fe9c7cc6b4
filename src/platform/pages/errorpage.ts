// Converts anything thrown to an API error, and shows it as a page if no site has its own.
import type { FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { isDatabaseAway } from '../../kit/database/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { ApiError, internal, invalid, tooLarge, unavailable, unknownRoute } from '../../kit/values/errors.ts'
import { preferredLanguage, type Language } from '../../kit/values/language.ts'
import { maxFormBytes } from './form.ts'
import { card } from './frame.ts'
import type { Html, PageResult } from './page.ts'
import { pageTranslator, type PageMessageKey } from './messages.ts'

export function toPageError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const { statusCode = 500 } = error as { statusCode?: number }
  if (statusCode === 413) return tooLarge(maxFormBytes)
  if (statusCode < 500) return invalid(fault('body', generalFaults.unreadable))
  return isDatabaseAway(error) ? unavailable() : internal()
}

// prettier-ignore
const byStatus: Record<number, PageMessageKey> = {
  400: 'bad',
  403: 'foreign',
  404: 'not_found',
  413: 'too_large',
  422: 'bad',
  429: 'too_many',
  503: 'busy',
}

export function errorText(language: Language, { status }: ApiError): { title: string; text: string } {
  const say = pageTranslator(language)
  const word = byStatus[status] ?? 'broken'
  return { title: say(word), text: say(`${word}_text` as PageMessageKey) }
}

/** Browsers accept HTML; programs get the API's envelope. */
export function isBrowser({ headers }: FastifyRequest): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? '')
}

/** The page for addresses without a site, or unknown to it. */
export function notFoundPage(request: FastifyRequest): PageResult {
  const refusal = unknownRoute(request.method, request.url.split('?')[0]!)
  const language = preferredLanguage(request.headers['accept-language']) ?? 'en'
  const answer = isBrowser(request) ? { page: errorPage(language, refusal) } : { json: refusal.body }
  return { status: refusal.status, ...answer }
}

/** A page of no site, which leads to the start. */
export function errorPage(language: Language, error: ApiError): Html {
  const { title, text } = errorText(language, error)
  const home = html`<p><a href="/">${pageTranslator(language)('home')}</a></p>`
  return card(language, title, html`<h1>${title}</h1><p>${text}</p>${home}`)
}
