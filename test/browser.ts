// A browser without JavaScript, for tests: cookies, redirects one by one, and forms filled in by their fields' names.

import { noticeCookie } from '../src/dashboard/framework/frame.ts'

export type Page = {
  status: number
  url: string
  headers: Headers
  text: string
  /** Of the first form: where it goes and what is in its fields. */
  form: Form | null
  location: string | null
  /** What the next page confirms; see noticeCookie. */
  notice: string
}
export type Form = { action: string; fields: Record<string, string> }

export type Browser = {
  cookies: Map<string, { value: string; path: string; attributes: string }>
  /** One request, no redirect followed. */
  visit(
    url: string,
    init?: { method?: string; body?: URLSearchParams | string; headers?: Record<string, string> },
  ): Promise<Page>
  /** Follows redirects until there is a page, or an address that `until` accepts. */
  go(url: string, until?: (url: string) => boolean): Promise<Page>
  submit(page: Page, fields: Record<string, string>, until?: (url: string) => boolean): Promise<Page>
}

const maximumRedirects = 10

export function openBrowser(headers: Record<string, string> = {}): Browser {
  const cookies: Browser['cookies'] = new Map()

  const visit: Browser['visit'] = async (url, { method = 'GET', body, headers: more = {} } = {}) => {
    const { pathname, origin } = new URL(url)
    const sent = [...cookies].filter(
      ([, { path }]) => pathname === path || pathname.startsWith(path.replace(/\/?$/, '/')),
    )
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
      headers: {
        ...(sent.length > 0 ? { cookie: sent.map(([name, { value }]) => `${name}=${value}`).join('; ') } : {}),
        ...(method === 'GET' ? {} : { origin: origin, 'sec-fetch-site': 'same-origin' }),
        ...headers,
        ...more,
      },
    })
    for (const line of response.headers.getSetCookie()) keep(cookies, line, pathname)
    const text = await response.text()
    const location = response.headers.get('location')
    return {
      status: response.status,
      url,
      headers: response.headers,
      text,
      form: formOf(text, url),
      location: location === null ? null : new URL(location, url).href,
      notice: cookies.get(noticeCookie)?.value ?? '',
    }
  }

  const follow = async (first: Page, until?: (url: string) => boolean): Promise<Page> => {
    let page = first
    for (let count = 0; page.location !== null; count++) {
      if (count >= maximumRedirects) throw new Error(`more than ${maximumRedirects} redirects`)
      if (until?.(page.location)) return page
      page = await visit(page.location)
    }
    return page
  }

  return {
    cookies,
    visit,
    go: async (url, until) => follow(await visit(url), until),
    async submit(page, fields, until) {
      if (!page.form) throw new Error(`there is no form on ${page.url}: ${page.status} ${page.text.slice(0, 500)}`)
      const body = new URLSearchParams({ ...page.form.fields, ...fields })
      return follow(await visit(page.form.action, { method: 'POST', body }), until)
    },
  }
}

function keep(cookies: Browser['cookies'], line: string, pathname: string): void {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
  const [name = '', ...value] = pair.split('=')
  const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? pathname.replace(/\/[^/]*$/, '')
  const isGone = attributes.some((one) => /^max-age=0$/i.test(one) || /^expires=Thu, 01 Jan 1970/i.test(one))
  if (isGone) cookies.delete(name)
  else cookies.set(name, { value: value.join('='), path, attributes: attributes.join('; ') })
}

function formOf(text: string, url: string): Form | null {
  const [, action, inside = ''] = /<form method="post" action="([^"]*)">([\s\S]*?)<\/form>/.exec(text) ?? []
  if (action === undefined) return null
  const inputs = [...inside.matchAll(/<input([^>]*)>/g)].map(([, attributes = '']) => ({
    name: /name="([^"]*)"/.exec(attributes)?.[1],
    value: /value="([^"]*)"/.exec(attributes)?.[1] ?? '',
    type: /type="([^"]*)"/.exec(attributes)?.[1],
  }))
  const filled = inputs.filter(({ name, type }) => name && type !== 'radio' && type !== 'checkbox')
  return {
    action: new URL(unescape(action), url).href,
    fields: Object.fromEntries(filled.map(({ name, value }) => [name!, unescape(value)])),
  }
}

function unescape(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
