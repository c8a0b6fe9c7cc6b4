// Sorting of a list, and the form that changes it.
import { html } from 'hono/html'
import { attributes } from '../../../platform/pages/parts.ts'
import type { Html, ShopContext, ShopVisit } from '../frame/page.ts'

// ?sort= → how the list is asked for; by hand are only the products of a collection, by relevance those of a search.
// prettier-ignore
export const sorts = {
  relevance:  {},
  manual:     {},
  newest:     { sort: 'created_at', order: 'desc' },
  price_up:   { sort: 'price', order: 'asc' },
  price_down: { sort: 'price', order: 'desc' },
  name:       { sort: 'name', order: 'asc' },
} as const

export type Sort = keyof typeof sorts

/** The sorting that the address names, else the usual one. */
export function readSort(visit: ShopVisit, usual: Sort = 'newest'): Sort {
  const { query } = visit
  const initial = isSearch(visit) ? 'relevance' : usual
  const requested = Object.hasOwn(sorts, query.sort ?? '') ? (query.sort as Sort) : initial
  return isAvailable(visit, requested) ? requested : initial
}

function isSearch({ query }: ShopVisit): boolean {
  return (query.q ?? '').trim() !== ''
}

function isAvailable(visit: ShopVisit, sort: Sort): boolean {
  if (sort === 'relevance') return isSearch(visit)
  return sort !== 'manual' || visit.params.collection !== undefined
}

export function sorting(context: ShopContext, current: Sort): Html {
  const { t } = context
  const available = (Object.keys(sorts) as Sort[]).filter((sort) => isAvailable(context, sort))
  const options = available.map(
    (sort) => html`<option${attributes({ value: sort, selected: sort === current })}>${t(`sort_${sort}`)}</option>`,
  )
  return html`<form class="sort" data-send>
${renderKeptInputs(context)}
<label for="sort">${t('sort')}</label>
<select id="sort" name="sort">${options}</select>
<button class="quiet">${t('show')}</button>
</form>`
}

/** Everything else that the address says. */
function renderKeptInputs({ here }: ShopContext): Html[] {
  const others = [...new URL(here, 'http://here').searchParams].filter(([name]) => name !== 'sort' && name !== 'page')
  return others.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
}
