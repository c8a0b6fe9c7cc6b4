// Page links of a list: by number, previous and next.
import { html } from 'hono/html'
import { addressWith, numbersAround } from '../../../platform/pages/address.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import type { Html, ShopContext } from '../frame/page.ts'

type PagePosition = { page: number; total_pages: number }

export function pageLinks({ t, here }: ShopContext, { page, total_pages }: PagePosition): Html | '' {
  if (total_pages < 2) return ''
  const buildPageUrl = (to: number) => addressWith(here, { page: to > 1 ? String(to) : null })
  const step = (to: number, rel: 'prev' | 'next', text: string) =>
    html`<a class="button quiet" rel="${rel}" href="${buildPageUrl(to)}">${text}</a>`
  const number = (to: number) => {
    const link = {
      href: buildPageUrl(to),
      'aria-current': to === page && 'page',
      'aria-label': t('page_number', { page: to }),
    }
    return html`<li><a${attributes(link)}>${to}</a></li>`
  }
  return html`<nav class="pages" aria-label="${t('pages')}">
${page > 1 ? step(page - 1, 'prev', t('previous')) : html`<span></span>`}
<ol>${numbersAround(page, total_pages).map((to) => (to === null ? gap : number(to)))}</ol>
${page < total_pages ? step(page + 1, 'next', t('next')) : html`<span></span>`}
</nav>`
}

const gap = html`<li aria-hidden="true">…</li>`
