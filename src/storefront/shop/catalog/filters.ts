// Filters of a list: their state is in the URL, and the form works without a script.
import { html } from 'hono/html'
import { encodeOptionPair, readOptions } from '../../../commerce/catalog/options.ts'
import type { Facets } from '../../../commerce/catalog/facets.ts'
import type { CustomFieldType } from '../../../tenancy/stores/customfield.ts'
import type { TranslateTerm } from '../../../tenancy/stores/terms.ts'
import { addressWith } from '../../../platform/pages/address.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import type { Html, ShopContext, ShopVisit } from '../frame/page.ts'
import { swatch } from './customfacts.ts'

const parameters = ['min', 'max', 'stock', 'o', 'f']
const maxPairs = 20

/** Reads filters of publicProduct from the URL. */
export function readShopFilters(context: ShopVisit): Record<string, string> {
  const { query } = context
  const normalizeAmount = (text: string | undefined) =>
    /^\d{1,9}([.,]\d{1,4})?$/.test(text ?? '') ? text!.replace(',', '.') : ''
  const filters = {
    'price[gte]': normalizeAmount(query.min),
    'price[lte]': normalizeAmount(query.max),
    in_stock: query.stock === '1' ? 'true' : '',
    options: readPairs(context, 'o').join(','),
    fields: readPairs(context, 'f').join(','),
  }
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''))
}

/** The checked options or custom fields as encoded title:value pairs. */
function readPairs({ here }: ShopVisit, parameter: 'o' | 'f'): string[] {
  const pairs = new URL(here, 'http://here').searchParams.getAll(parameter).slice(0, maxPairs)
  const isPair = (pair: string) => pair.length <= 200 && !pair.includes(',') && readOptions(pair).size === 1
  return pairs.filter((pair) => pair.isWellFormed() && !pair.includes('\0') && isPair(pair))
}

export function isNarrowed(context: ShopVisit): boolean {
  return Object.keys(readShopFilters(context)).length > 0
}

/** The URL of the list without filters. */
function buildUnfilteredUrl({ here }: ShopContext): string {
  return addressWith(here, Object.fromEntries([...parameters, 'page'].map((name) => [name, null])))
}

/** `called` translates titles and values of options. */
export function filterForm(context: ShopContext, facets: Facets | null, translateTerm: TranslateTerm): Html {
  const { t, query } = context
  const count = Object.keys(readShopFilters(context)).length
  return html`<details class="filters"><summary>${t('filter')}${count > 0 ? ` (${count})` : ''}</summary>
<form>
${query.q ? html`<input type="hidden" name="q" value="${query.q}">` : ''}
${query.sort ? html`<input type="hidden" name="sort" value="${query.sort}">` : ''}
${priceRange(context, facets)}
${stockBox(context, facets)}
${groupOptions(facets, translateTerm).map((group) => pairGroup(context, group))}
${groupFields(context, facets).map((group) => pairGroup(context, group))}
<div class="pair"><button>${t('show')}</button>
${isNarrowed(context) ? unfilteredLink(context) : ''}</div>
</form></details>`
}

function priceRange({ t, price, query }: ShopContext, facets: Facets | null): Html {
  const range =
    facets && facets.highest > 0 ? html`<p class="soft">${price(facets.lowest)} – ${price(facets.highest)}</p>` : ''
  const amount = (name: 'min' | 'max', key: 'price_from' | 'price_to') => {
    const input = { id: name, name, inputmode: 'decimal', value: query[name] ?? '', maxlength: 14 }
    return html`<p class="field short"><label for="${name}">${t(key)}</label>
<input${attributes({ ...input, autocomplete: 'off' })}></p>`
  }
  return html`<fieldset><legend>${t('price')}</legend>${range}
<div class="range">${amount('min', 'price_from')}${amount('max', 'price_to')}</div></fieldset>`
}

function stockBox(context: ShopContext, facets: Facets | null): Html {
  const { t, query } = context
  return html`<fieldset><legend>${t('availability')}</legend>
${box({ name: 'stock', value: '1', isTicked: query.stock === '1', text: t('in_stock'), count: facets?.in_stock })}
</fieldset>`
}

/** The boxes of an option or a custom field; each sends a pair. */
type PairGroup = { parameter: 'o' | 'f'; title: string; values: { pair: string; text: Html | string; count: number }[] }

function groupOptions(facets: Facets | null, translateTerm: TranslateTerm): PairGroup[] {
  const groups = Map.groupBy(facets?.options ?? [], ({ title }) => title)
  return [...groups].map(([title, values]) => ({
    parameter: 'o',
    title: translateTerm(title),
    values: values.map(({ value, count }) => ({
      pair: encodeOptionPair(title, value),
      text: translateTerm(value),
      count,
    })),
  }))
}

function groupFields(context: ShopContext, facets: Facets | null): PairGroup[] {
  const groups = Map.groupBy(facets?.fields ?? [], ({ key }) => key)
  return [...groups].map(([key, values]) => ({
    parameter: 'f',
    title: values[0]!.label,
    values: values.map(({ type, value, count }) => ({
      pair: encodeOptionPair(key, value),
      text: formatFilterValue(context, type, value),
      count,
    })),
  }))
}

function formatFilterValue({ t }: ShopContext, type: CustomFieldType, value: string): Html | string {
  if (type === 'boolean') return t(value === 'true' ? 'yes' : 'no')
  return type === 'color' ? html`${swatch(value)} ${value}` : value
}

function pairGroup(context: ShopContext, { parameter, title, values }: PairGroup): Html {
  const ticked = new Set(readPairs(context, parameter))
  const boxes = values.map(({ pair, text, count }) =>
    box({ name: parameter, value: pair, isTicked: ticked.has(pair), text, count }),
  )
  return html`<fieldset><legend>${title}</legend><div class="boxes">${boxes}</div></fieldset>`
}

type Box = { name: string; value: string; isTicked: boolean; text: Html | string; count: number | undefined }

function box({ name, value, isTicked, text, count }: Box): Html {
  return html`<label class="box"><input${attributes({ type: 'checkbox', name, value, checked: isTicked })}>
<span>${text}${count === undefined ? '' : html` <small>(${count})</small>`}</span></label>`
}

function unfilteredLink(context: ShopContext): Html {
  return html`<a class="button quiet" href="${buildUnfilteredUrl(context)}">${context.t('filters_off')}</a>`
}
