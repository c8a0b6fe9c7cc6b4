// Sorting of a list, and the form that changes it.
import { html } from 'hono/html'
import { attributes } from '../../../platform/pages/parts.ts'
import type { Html, ShopContext, ShopVisit } from '../frame/page.ts'

// ?sort= → the API's sort. Manual order exists only in collections, relevance only in searches.
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

/** The sorting in the URL, or the default. */
export function readSort(visit: ShopVisit, usual: Sort = 'newest'): Sort {
  const { query } = visit
  const initial = isSearch(visit) ? 'relevance' : usual
  const sort = Object.hasOwn(sorts, query.sort ?? '') ? (query.sort as Sort) : initial
  return isAvailable(visit, sort) ? sort : initial
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

/** Hidden inputs for the other parameters of the URL. */
function renderKeptInputs({ here }: ShopContext): Html[] {
  const others = [...new URL(here, 'http://here').searchParams].filter(([name]) => name !== 'sort' && name !== 'page')
  return others.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
}
