// What is shown when there is no page: an unknown store, one that is shut for now, a page that is not there.
import { html } from 'hono/html'
import type { ApiError } from '../kit/values/errors.ts'
import type { Language } from '../kit/values/language.ts'
import type { Html, Visit } from './page.ts'
import { bareFrame, note } from './view.ts'
import { sayIn, type Word } from './words.ts'

type Text = { title: Word; text: Word }

const texts: Record<number, Text> = {
  403: { title: 'elsewhere', text: 'elsewhere_text' },
  404: { title: 'not_found', text: 'not_found_text' },
  410: { title: 'expired', text: 'expired_text' },
  429: { title: 'too_many', text: 'too_many_text' },
  503: { title: 'busy', text: 'busy_text' },
}
const noStore: Text = { title: 'no_store', text: 'no_store_text' }
const broken: Text = { title: 'broken', text: 'broken_text' }

/** In the store's frame. */
export function refusalPage(visit: Visit, error: ApiError): Html {
  const { say } = visit
  const { title, text } = texts[error.status] ?? broken
  return note(visit, { title: say(title), text: say(text) })
}

/** Without a store: `name` is that of one that is shut for now. */
export function closedPage(language: Language, error: ApiError, name: string | null): Html {
  const say = sayIn(language)
  if (error.code === 'STORE_UNAVAILABLE') {
    const title = name ?? say('shut')
    const content = html`<h1>${title}</h1><p class="lead">${say('shut')}</p><p>${say('shut_text')}</p>`
    return bareFrame(language, title, content)
  }
  const { title, text } = error.status === 404 ? noStore : (texts[error.status] ?? broken)
  return bareFrame(language, say(title), html`<h1>${say(title)}</h1><p>${say(text)}</p>`)
}
