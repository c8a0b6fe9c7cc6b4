// Error pages: an unknown store, a closed one, and a missing page.
import { html } from 'hono/html'
import type { ApiError } from '../../../kit/values/errors.ts'
import type { Language } from '../../../kit/values/language.ts'
import { errorText } from '../../../platform/pages/errorpage.ts'
import type { Html, ShopContext } from './page.ts'
import { bareFrame, note } from './view.ts'
import { shopTranslator, type ShopMessageKey } from './messages.ts'

type ErrorText = { title: ShopMessageKey; text: ShopMessageKey }

const errorTexts: Record<number, ErrorText> = {
  404: { title: 'not_found', text: 'not_found_text' },
  410: { title: 'expired', text: 'expired_text' },
}
const noStore: ErrorText = { title: 'no_store', text: 'no_store_text' }

/** An error in the store's frame. */
export function errorPage(context: ShopContext, error: ApiError): Html {
  return note(context, getErrorTexts(context.language, error, errorTexts[error.status]))
}

/** An error without a store's frame; `name` is that of a store that is closed for now. */
export function closedPage(language: Language, error: ApiError, name: string | null): Html {
  const t = shopTranslator(language)
  if (error.code === 'STORE_UNAVAILABLE') {
    const title = name ?? t('shut')
    const content = html`<h1>${title}</h1><p class="lead">${t('shut')}</p><p>${t('shut_text')}</p>`
    return bareFrame(language, title, content)
  }
  const { title, text } = getErrorTexts(language, error, error.status === 404 ? noStore : errorTexts[error.status])
  return bareFrame(language, title, html`<h1>${title}</h1><p>${text}</p>`)
}

/** The shop's own text for the error, or the general one. */
function getErrorTexts(
  language: Language,
  error: ApiError,
  ownText: ErrorText | undefined,
): { title: string; text: string } {
  if (!ownText) return errorText(language, error)
  const t = shopTranslator(language)
  return { title: t(ownText.title), text: t(ownText.text) }
}
