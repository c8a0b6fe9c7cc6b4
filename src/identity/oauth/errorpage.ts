// The page for what goes wrong before there is an address that may be told of it.
import { html } from 'hono/html'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { languageCookie, personLanguage } from '../../platform/pages/language.ts'
import { card, pageHeaders } from '../../platform/pages/frame.ts'
import { signInTranslator } from '../signin/messages.ts'

export async function showError(
  context: KoaContextWithOIDC,
  out: { error: string; error_description?: string },
): Promise<void> {
  // At the endpoints that programs call, whatever they claim to accept.
  if (!['authorization', 'resume'].includes(context.oidc.route)) {
    context.body = out
    return
  }
  const choice = context.cookies.get(languageCookie.name, { signed: false })
  const language = personLanguage({ [languageCookie.name]: choice }, context.get('accept-language'))
  const say = signInTranslator(language)
  const content = html`
<h1>${say('error_title')}</h1>
<p>${say('error_back')}</p>
<p class="hint"><code>${out.error}</code>${out.error_description ? html`<br>${out.error_description}` : ''}</p>`
  context.set(pageHeaders())
  context.body = String(await card(language, say('error_title'), content))
}
