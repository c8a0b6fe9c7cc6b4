// The frame of every page and its recurring parts: plain HTML that needs no JavaScript.
import { html } from 'hono/html'
import type { Html, Reply, Visit } from './screen.ts'

/** `wide` for lists; the rest is a card in the middle. */
export function frame(
  { language, root }: Pick<Visit, 'language' | 'root'>,
  title: string,
  content: Html,
  { wide = false } = {},
): Html {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="${root}/oauth/style.css">
</head>
<body>
<main class="${wide ? 'wide' : 'card'}">
${content}
</main>
</body>
</html>`
}

export function notice(kind: 'error' | 'warning' | 'done', text: string): Html {
  return html`<p class="notice ${kind}" role="${kind === 'error' ? 'alert' : 'status'}">${text}</p>`
}

export function input(
  label: string,
  attributes: {
    name: string
    type: 'email' | 'password' | 'text'
    autocomplete: string
    value?: string
    hint?: string
    min?: number
    focus?: boolean
  },
): Html {
  const { name, type, autocomplete, value, hint, min, focus } = attributes
  return html`<p class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" required maxlength="254"
${value ? html` value="${value}"` : ''}${min ? html` minlength="${min}"` : ''}${focus ? html` autofocus` : ''}
${hint ? html` aria-describedby="${name}-hint"` : ''}>
${hint ? html`<span class="hint" id="${name}-hint">${hint}</span>` : ''}
</p>`
}

/** A page that only says something. */
export function message(
  visit: Pick<Visit, 'language' | 'root' | 'say'>,
  title: string,
  text: string,
  more: Html | '' = '',
): Html {
  return frame(visit, title, html`<h1>${title}</h1>${text ? html`<p>${text}</p>` : ''}${more}`)
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`
}

type Policy = Pick<Reply, 'formTo' | 'imagesFrom'> & {
  /** Scripts of this site; without, there are none at all. */
  scripts?: boolean
}

/** No frame around it, no script but our own, and forms that lead nowhere else than said. */
export function pageHeaders({ formTo = [], imagesFrom = [], scripts = false }: Policy = {}): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    ['img-src', "'self'", ...imagesFrom].join(' '),
    ...(scripts ? ["script-src 'self'", "connect-src 'self'"] : []),
    ['form-action', "'self'", ...formTo].join(' '),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
  }
}
