// The pages of a list by number.
import { html } from 'hono/html'
import { addressWith, numbersAround } from '../../platform/pages/address.ts'
import { attributes } from '../../platform/pages/parts.ts'
import type { Html, PageContext } from './screen.ts'

export function pageLinks(
  { t, here }: PageContext,
  { page, total_pages }: { page: number; total_pages: number },
): Html | '' {
  if (total_pages < 2) return ''
  const addressOf = (to: number) => addressWith(here, { page: to > 1 ? String(to) : null })
  const step = (to: number, rel: string, text: string) =>
    to >= 1 && to <= total_pages ? html`<li><a rel="${rel}" href="${addressOf(to)}">${text}</a></li>` : ''
  const number = (to: number | null) => {
    if (to === null) return html`<li aria-hidden="true">…</li>`
    const about = { 'aria-current': to === page && 'page', 'aria-label': t('page_number', { page: to }) }
    return html`<li><a href="${addressOf(to)}"${attributes(about)}>${to}</a></li>`
  }
  const numbers = numbersAround(page, total_pages).map(number)
  return html`<nav class="pages" aria-label="${t('pages')}"><ul>
${step(page - 1, 'prev', t('previous'))}${numbers}${step(page + 1, 'next', t('next'))}</ul></nav>`
}
