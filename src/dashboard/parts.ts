// Recurring parts of screens.
import { html } from 'hono/html'
import type { Html } from './page.ts'

/** A state in a word; its colour only repeats what the word says. */
export function mark(text: string, tone: 'good' | 'warn' | 'bad' | 'plain'): Html {
  return html`<span class="mark ${tone}">${text}</span>`
}

export function panel(title: string, content: Html | Html[], more: Html | '' = ''): Html {
  return html`<section class="panel"><div class="head"><h2>${title}</h2>${more}</div>${content}</section>`
}
