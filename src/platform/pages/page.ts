// A page for browsers is data: method, path, and a function that returns the result. mount.ts registers it.
import type { Readable } from 'node:stream'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { FileSent } from '../../kit/declare/route.ts'
import type { Language } from '../../kit/values/language.ts'
import type { Form, FormLimits } from './form.ts'
import type { FileField } from './upload.ts'

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** The request as every page sees it; each site adds its own properties. */
export type PageVisit = {
  /** The X-Request-Id of the response. */
  requestId: string
  /** The method and the path of the page, as declared. */
  operation: string
  params: Record<string, string>
  query: Record<string, string>
  /** The fields of the form. */
  form: Form
  /** The file of a form that accepts one. */
  file?: FileSent | 'too_large' | null
  cookies: Record<string, string | undefined>
  language: Language
  ip: string
  userAgent: string
  /** The start of the addresses of this site: /s/{slug}, the path of AUTH_URL, or nothing. */
  root: string
  /** The path and the query of this request. */
  here: string
}

export type ContentPolicy = {
  /** Origins beside this one to which a form on the page may lead, or from which images may come. */
  formTo?: string[]
  imagesFrom?: string[]
  /** The origins of videos; by default there are none. */
  mediaFrom?: string[]
  /** Allows scripts of this site; by default there are none. */
  scripts?: boolean
  /** It embeds other pages of this site in frames. */
  frames?: boolean
  /** It may be embedded in such a frame. */
  isFramed?: boolean
  /** An email with inline styles, and without actions. */
  isLetter?: boolean
}

export type PageResult = ContentPolicy & {
  status?: number
  page?: Html
  /** Redirects (303) to a path below the site's root: '/cart'. */
  to?: string
  /** Redirects (303) to a whole path or address. */
  location?: string
  /** JSON for programs. */
  json?: string
  /** A file for search engines and other programs; a stream is sent as it arrives. */
  file?: { type: string; body: string | Readable }
  /** An empty response (204) for a mail program. */
  empty?: boolean
  headers?: Record<string, string>
  /** The value, or null to delete the cookie. */
  cookies?: Record<string, string | null>
}

/** A page as it is sent. */
export type PageText = { html: string; headers: Record<string, string> }

/** A page and its entity tag; one in memory is also compressed. */
export type TaggedPage = {
  headers: Record<string, string>
  etag: string | null
  body: string | Buffer
  gzip: Buffer | null
}

/** A page in memory, or the visit to make it with. */
export type RecalledPage =
  | { kept: TaggedPage }
  | { kept: null; visit: PageVisit; keep(page: PageText): Promise<TaggedPage> }

export type Page<V extends PageVisit = PageVisit> = {
  method: 'GET' | 'POST'
  path: string
  /** A page that depends only on cookies: its text is kept in memory, and the browser may show it on the way back. */
  isCatalogue?: boolean
  /** The address authorizes the request instead of a cookie, so a form may come from anywhere. */
  fromAnywhere?: boolean
  /** The limits of its form, if it needs more than others. */
  limits?: FormLimits | undefined
  /** The file that its form accepts. */
  file?: FileField | undefined
  /** Reads that its site begins before the visit is complete, so that they share an exchange with the site's own. */
  begin?: (visit: any) => Promise<unknown>
  run: (visit: V) => PageResult | Promise<PageResult>
}
