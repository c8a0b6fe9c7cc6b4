// What a browser is shown is data: method, path, and what it answers. mount.ts hangs it up.
import type { Readable } from 'node:stream'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { FileSent } from '../../kit/declare/route.ts'
import type { Language } from '../../kit/values/language.ts'
import type { Form, FormLimits } from './form.ts'
import type { FileField } from './upload.ts'

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** What every page knows of a request; each site adds its own. */
export type PageVisit = {
  /** What the answer says in X-Request-Id. */
  requestId: string
  /** Method and path of the page, as it is declared. */
  operation: string
  params: Record<string, string>
  query: Record<string, string>
  /** Of the form that was sent. */
  form: Form
  /** The file of a form that takes one; it may be too large to be taken. */
  file?: FileSent | 'too_large' | null
  cookies: Record<string, string | undefined>
  language: Language
  ip: string
  userAgent: string
  /** What addresses of this site begin with: /s/{slug}, the path of AUTH_URL, or nothing. */
  root: string
  /** Path and query of this very request. */
  here: string
}

export type ContentPolicy = {
  /** Origins beside this one that a form on the page may lead to, or an image may come from. */
  formTo?: string[]
  imagesFrom?: string[]
  /** From where films may come; without, there are none at all. */
  mediaFrom?: string[]
  /** Scripts of this site; without, there are none at all. */
  scripts?: boolean
  /** It shows other pages of this site in frames of its own. */
  frames?: boolean
  /** It may be in such a frame. */
  isFramed?: boolean
  /** A letter, which says itself how it looks, and does nothing. */
  isLetter?: boolean
}

export type PageResult = ContentPolicy & {
  status?: number
  page?: Html
  /** 303, to a path below the site's root: '/cart'. */
  to?: string
  /** 303, to a whole path or address. */
  location?: string
  /** For programs. */
  json?: string
  /** For search engines and other programs; a stream is sent as it comes. */
  file?: { type: string; body: string | Readable }
  /** For a mail program, which shows nothing: 204. */
  empty?: boolean
  headers?: Record<string, string>
  /** A value, or null for a cookie that goes. */
  cookies?: Record<string, string | null>
}

export type Page<V extends PageVisit = PageVisit> = {
  method: 'GET' | 'POST'
  path: string
  /** The same for everybody with the same cookies; the browser asks again each time but may show it on the way back. */
  isCatalogue?: boolean
  /** Its address alone entitles, not a cookie: a form may come from anywhere. */
  fromAnywhere?: boolean
  /** Of its form, where it needs more than others. */
  limits?: FormLimits | undefined
  /** The file that may come with its form. */
  file?: FileField | undefined
  run: (visit: V) => PageResult | Promise<PageResult>
}
