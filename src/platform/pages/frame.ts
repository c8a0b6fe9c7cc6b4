// The HTML document around every page, and its Content-Security-Policy.
import { html, raw } from 'hono/html'
import type { Language } from '../../kit/values/language.ts'
import { assetPath, fontPath } from './assets.ts'
import type { Html, ContentPolicy } from './page.ts'

type Document = {
  title: string
  /** Style sheets beside base.css. */
  styles: readonly string[]
  body: Html
  /** Meta tags for search engines and previews; without them the page is not indexed. */
  head?: Html | undefined
  script?: string
  /** Scripts that load others, after `script`. */
  module?: string
  /** True if it uses the font of the staff pages. */
  hasFont?: boolean
  /** The favicon, if it differs from the default. */
  icon?: string | null
}

export function document(
  language: Language,
  { title, styles, body, head, script, module, icon, hasFont }: Document,
): Html {
  const sheets = [assetPath('base.css'), ...(hasFont ? [assetPath('font.css')] : []), ...styles]
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${hasFont ? html`<link rel="preload" href="${fontPath()}" as="font" type="font/woff2" crossorigin>` : ''}
${sheets.map((path) => html`<link rel="stylesheet" href="${path}">`)}
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
  return document(language, { title, styles: [assetPath('card.css')], body, hasFont: true })
}

/** Links of a framed page open outside of the frame, as no other page may be in it. */
export function inFrame(page: string): Html {
  return raw(page.replace('<head>', '<head><base target="_blank">'))
}

/** Allows only our own scripts, no embedding unless stated, and forms that lead only to the stated origins. */
export function pageHeaders(policyChanges: ContentPolicy = {}): Record<string, string> {
  const { formTo = [], imagesFrom = [], mediaFrom = [] } = policyChanges
  const { scripts = false, frames = false, isFramed = false, isLetter = false } = policyChanges
  const policy = [
    "default-src 'none'",
    `style-src 'self'${isLetter ? " 'unsafe-inline'" : ''}`,
    ['img-src', "'self'", ...imagesFrom].join(' '),
    ...(isLetter ? [] : ["font-src 'self'"]),
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
