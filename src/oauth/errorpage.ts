// The page for what goes wrong before there is an address that may be told of it.
import { html } from 'hono/html'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { frame, pageHeaders } from '../accounts/view.ts'
import { languageOf, sayIn } from '../accounts/words.ts'
import type { Issuer } from './issuer.ts'

export function errorPage(issuer: Issuer) {
  return async (context: KoaContextWithOIDC, out: { error: string; error_description?: string }): Promise<void> => {
    // At the endpoints that programs call, whatever they claim to accept.
    if (!['authorization', 'resume'].includes(context.oidc.route)) {
      context.body = out
      return
    }
    const language = languageOf(context.get('accept-language'))
    const say = sayIn(language)
    const page = frame(
      { language, root: issuer.path },
      say('error_title'),
      html`
<h1>${say('error_title')}</h1>
<p>${say('error_back')}</p>
<p class="hint"><code>${out.error}</code>${out.error_description ? html`<br>${out.error_description}` : ''}</p>`,
    )
    context.set(pageHeaders())
    context.body = String(await page)
  }
}
