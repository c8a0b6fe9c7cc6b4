// The document around every page, and the policy that guards it.
import { html, raw } from 'hono/html'
import type { Language } from '../../kit/values/language.ts'
import { assetPath } from './assets.ts'
import type { Html, ContentPolicy } from './page.ts'

type Document = {
  title: string
  /** Style sheets beside base.css. */
  styles: readonly string[]
  body: Html
  /** Meta tags for search engines and previews; without, the page is not to be listed. */
  head?: Html | undefined
  script?: string
  /** Scripts that load others, after `script`. */
  module?: string
  /** The little picture of the tab, where it is not the usual one. */
  icon?: string | null
}

export function document(language: Language, { title, styles, body, head, script, module, icon }: Document): Html {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${[assetPath('base.css'), ...styles].map((path) => html`<link rel="stylesheet" href="${path}">`)}
${head ?? html`<meta name="robots" content="noindex">`}
<link rel="icon" href="${icon ?? assetPath('icon.svg')}">
${script ? html`<script src="${script}" defer></script>` : ''}
${module ? html`<script type="module" src="${module}"></script>` : ''}
</head>
<body>
${body}
</body>
</html>
`
}

/** A card in the middle. */
export function card(language: Language, title: string, content: Html): Html {
  const body = html`<main class="card">
${content}
</main>`
  return document(language, { title, styles: [assetPath('card.css')], body })
}

/** In a frame its links open beside it: no page that they lead to may be there. */
export function inFrame(page: string): Html {
  return raw(page.replace('<head>', '<head><base target="_blank">'))
}

/** No script but our own, no frame around it unless said, and forms that lead nowhere else than said. */
export function pageHeaders(allowed: ContentPolicy = {}): Record<string, string> {
  const { formTo = [], imagesFrom = [], mediaFrom = [] } = allowed
  const { scripts = false, frames = false, isFramed = false, isLetter = false } = allowed
  const policy = [
    "default-src 'none'",
    `style-src 'self'${isLetter ? " 'unsafe-inline'" : ''}`,
    ['img-src', "'self'", ...imagesFrom].join(' '),
    ...(mediaFrom.length > 0 ? [['media-src', ...mediaFrom].join(' ')] : []),
    ...(scripts && !isLetter ? ["script-src 'self'", "connect-src 'self'"] : []),
    ...(frames ? ["frame-src 'self'"] : []),
    ['form-action', "'self'", ...formTo].join(' '),
    `frame-ancestors '${isFramed ? 'self' : 'none'}'`,
    "base-uri 'none'",
    ...(isLetter ? ['sandbox allow-popups allow-popups-to-escape-sandbox'] : []),
  ]
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'x-frame-options': isFramed ? 'SAMEORIGIN' : 'DENY',
    'cache-control': 'no-store',
  }
}
