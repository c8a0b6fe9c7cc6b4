// What is shown when there is no page: an unknown store, one that is shut for now, a page that is not there.
import { html } from 'hono/html'
import type { ApiError } from '../../../kit/values/errors.ts'
import type { Language } from '../../../kit/values/language.ts'
import { errorText } from '../../../platform/pages/errorpage.ts'
import type { Html, Visit } from './page.ts'
import { bareFrame, note } from './view.ts'
import { sayIn, type Word } from './words.ts'

type Text = { title: Word; text: Word }

const texts: Record<number, Text> = {
  404: { title: 'not_found', text: 'not_found_text' },
  410: { title: 'expired', text: 'expired_text' },
}
const noStore: Text = { title: 'no_store', text: 'no_store_text' }

/** In the store's frame. */
export function refusalPage(visit: Visit, error: ApiError): Html {
  return note(visit, inWords(visit.language, error, texts[error.status]))
}

/** Without a store: `name` is that of one that is shut for now. */
export function closedPage(language: Language, error: ApiError, name: string | null): Html {
  const say = sayIn(language)
  if (error.code === 'STORE_UNAVAILABLE') {
    const title = name ?? say('shut')
    const content = html`<h1>${title}</h1><p class="lead">${say('shut')}</p><p>${say('shut_text')}</p>`
    return bareFrame(language, title, content)
  }
  const { title, text } = inWords(language, error, error.status === 404 ? noStore : texts[error.status])
  return bareFrame(language, title, html`<h1>${title}</h1><p>${text}</p>`)
}

/** What a store says in its own way, else what every page says. */
function inWords(language: Language, error: ApiError, own: Text | undefined): { title: string; text: string } {
  if (!own) return errorText(language, error)
  const say = sayIn(language)
  return { title: say(own.title), text: say(own.text) }
}
