// The page numbers of a list.
import { html } from 'hono/html'
import { addressWith, numbersAround } from '../../platform/pages/address.ts'
import { attributes } from '../../platform/pages/parts.ts'
import { iconAlone } from './icons.ts'
import type { Html, PageContext } from './screen.ts'

export function pageLinks(
  { t, here }: PageContext,
  { page, total_pages }: { page: number; total_pages: number },
): Html | '' {
  if (total_pages < 2) return ''
  const buildPageUrl = (to: number) => addressWith(here, { page: to > 1 ? String(to) : null })
  const step = (to: number, rel: string, content: Html) =>
    to >= 1 && to <= total_pages ? html`<li><a rel="${rel}" href="${buildPageUrl(to)}">${content}</a></li>` : ''
  const number = (to: number | null) => {
    if (to === null) return html`<li aria-hidden="true">…</li>`
    const about = { 'aria-current': to === page && 'page', 'aria-label': t('page_number', { page: to }) }
    return html`<li><a href="${buildPageUrl(to)}"${attributes(about)}>${to}</a></li>`
  }
  const numbers = numbersAround(page, total_pages).map(number)
  return html`<nav class="pages" aria-label="${t('pages')}"><ul>
${step(page - 1, 'prev', iconAlone('back', t('previous')))}${numbers}
${step(page + 1, 'next', iconAlone('next', t('next')))}</ul></nav>`
}

const sizes = [25, 50, 100]

/** The choice of the page size, if the list is longer than the smallest one. */
export function pageSizes(
  { t, here }: PageContext,
  { per_page, total }: { per_page: number; total: number },
): Html | '' {
  if (total <= sizes[0]!) return ''
  const links = sizes.map((size) => {
    const to = addressWith(here, { per_page: size === sizes[0] ? null : String(size), page: null })
    return html`<li><a href="${to}"${attributes({ 'aria-current': size === per_page && 'true' })}>${size}</a></li>`
  })
  return html`<nav class="pages sizes" aria-label="${t('rows_per_page')}"><span class="hint" aria-hidden="true">${t(
    'rows_per_page',
  )}</span><ul>${links}</ul></nav>`
}
