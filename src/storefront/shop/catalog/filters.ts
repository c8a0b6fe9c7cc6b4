// What a list is narrowed by: all of it stands in the address, and the form works without a script.
import { html } from 'hono/html'
import { pairOf, readOptions } from '../../../commerce/catalog/options.ts'
import type { Facets } from '../../../commerce/catalog/facets.ts'
import type { TranslateTerm } from '../../../tenancy/stores/terms.ts'
import { addressWith } from '../../../platform/pages/address.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import type { Html, Visit } from '../frame/page.ts'

const parameters = ['min', 'max', 'stock', 'o']
const maximumPairs = 20

/** Whatever somebody writes into the address, as filters of publicProduct. */
export function filtersOf(visit: Visit): Record<string, string> {
  const { query } = visit
  const amountOf = (text: string | undefined) =>
    /^\d{1,9}([.,]\d{1,4})?$/.test(text ?? '') ? text!.replace(',', '.') : ''
  const filters = {
    'price[gte]': amountOf(query.min),
    'price[lte]': amountOf(query.max),
    in_stock: query.stock === '1' ? 'true' : '',
    options: pairsOf(visit).join(','),
  }
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''))
}

/** Of all boxes that are ticked: title:value, encoded. */
function pairsOf({ here }: Visit): string[] {
  const pairs = new URL(here, 'http://here').searchParams.getAll('o').slice(0, maximumPairs)
  const isPair = (pair: string) => pair.length <= 200 && !pair.includes(',') && readOptions(pair).size === 1
  return pairs.filter((pair) => pair.isWellFormed() && !pair.includes('\0') && isPair(pair))
}

export function isNarrowed(visit: Visit): boolean {
  return Object.keys(filtersOf(visit)).length > 0
}

/** The same list with nothing left out. */
function widened({ here }: Visit): string {
  return addressWith(here, Object.fromEntries([...parameters, 'page'].map((name) => [name, null])))
}

/** `called`: what titles and values of options are in the reader's language. */
export function filterForm(visit: Visit, facets: Facets | null, called: TranslateTerm): Html {
  const { say, query } = visit
  const count = Object.keys(filtersOf(visit)).length
  return html`<details class="filters"><summary>${say('filter')}${count > 0 ? ` (${count})` : ''}</summary>
<form>
${query.q ? html`<input type="hidden" name="q" value="${query.q}">` : ''}
${query.sort ? html`<input type="hidden" name="sort" value="${query.sort}">` : ''}
${priceRange(visit, facets)}
${stockBox(visit, facets)}
${groupsOf(facets).map(([title, values]) => optionGroup(visit, called, { title, values }))}
<div class="pair"><button>${say('show')}</button>
${isNarrowed(visit) ? html`<a class="button quiet" href="${widened(visit)}">${say('filters_off')}</a>` : ''}</div>
</form></details>`
}

function priceRange({ say, price, query }: Visit, facets: Facets | null): Html {
  const range =
    facets && facets.highest > 0 ? html`<p class="soft">${price(facets.lowest)} – ${price(facets.highest)}</p>` : ''
  const amount = (name: 'min' | 'max', word: 'price_from' | 'price_to') => {
    const input = { id: name, name, inputmode: 'decimal', value: query[name] ?? '', maxlength: 14 }
    return html`<p class="field short"><label for="${name}">${say(word)}</label>
<input${attributes({ ...input, autocomplete: 'off' })}></p>`
  }
  return html`<fieldset><legend>${say('price')}</legend>${range}
<div class="range">${amount('min', 'price_from')}${amount('max', 'price_to')}</div></fieldset>`
}

function stockBox(visit: Visit, facets: Facets | null): Html {
  const { say, query } = visit
  return html`<fieldset><legend>${say('availability')}</legend>
${box({ name: 'stock', value: '1', isTicked: query.stock === '1', text: say('in_stock'), count: facets?.in_stock })}
</fieldset>`
}

type Value = Facets['options'][number]

function groupsOf(facets: Facets | null): [string, Value[]][] {
  return Object.entries(Object.groupBy(facets?.options ?? [], ({ title }) => title)) as [string, Value[]][]
}

type Group = { title: string; values: readonly Value[] }

function optionGroup(visit: Visit, called: TranslateTerm, { title, values }: Group): Html {
  const ticked = new Set(pairsOf(visit))
  const boxes = values.map(({ value, count }) => {
    const pair = pairOf(title, value)
    return box({ name: 'o', value: pair, isTicked: ticked.has(pair), text: called(value), count })
  })
  return html`<fieldset><legend>${called(title)}</legend><div class="boxes">${boxes}</div></fieldset>`
}

type Box = { name: string; value: string; isTicked: boolean; text: string; count: number | undefined }

function box({ name, value, isTicked, text, count }: Box): Html {
  return html`<label class="box"><input${attributes({ type: 'checkbox', name, value, checked: isTicked })}>
<span>${text}${count === undefined ? '' : html` <small>(${count})</small>`}</span></label>`
}
