// What a list is narrowed by: the API's own parameters, in the address. Each that says something is a chip that can be
// taken away.
import { html } from 'hono/html'
import type { JsonSchema, ReadContext } from '../../kit/declare/field.ts'
import type { AnyResource, ListQuery } from '../../kit/declare/resource.ts'
import { ApiError } from '../../kit/values/errors.ts'
import { startOfDay } from '../../kit/values/timezone.ts'
import { isPlain } from '../../platform/pages/form.ts'
import { addressWith } from '../../platform/pages/address.ts'
import { attributes, hidden } from '../../platform/pages/parts.ts'
import { labelOf } from './form.ts'
import { choicesOf } from './inputs.ts'
import type { Choices, Html, Visit } from './page.ts'
import { wordIn, type Word } from './words.ts'

export type Filter = {
  /** The API's parameter; of a range, what its words are called. */
  name: string
  label?: Word
  /** The least and the most: two parameters. */
  range?: readonly [least: string, most: string]
  /** How it is typed: a day, a day that stands for a moment, an amount, a number. */
  as?: 'day' | 'moment' | 'amount' | 'number'
  /** Several of these, with commas between. */
  several?: readonly string[]
  /** The name of the words of its values, where that is not its own. */
  words?: string
  /** What may be chosen, where that is not what the schema lists. */
  options?: (visit: Visit) => Choices | Promise<Choices>
  /** Links set it, and its chip shows and removes it: nobody types it. */
  isChip?: boolean
  choices?: Choices
}

/** With what each may be now. */
export function withChoices(visit: Visit, filters: readonly Filter[]): Promise<Filter[]> {
  return Promise.all(
    filters.map(async (filter) => (filter.options ? { ...filter, choices: await filter.options(visit) } : filter)),
  )
}

export type Query = ListQuery

/** What the address asks for, as the API reads it; what it does not understand is named and left out. */
export function queryOf(
  visit: Visit,
  resource: AnyResource,
  filters: readonly Filter[],
): { query: Query; wrong: string[] } {
  const { store, db } = visit
  const context = { ...store, now: db.clock.now() }
  const asked = parametersOf(visit, resource)
  const moments = new Map(filters.filter(({ as }) => as === 'moment').flatMap(({ range }) => range!.map(endOf)))
  for (const [name, isLast] of moments) if (asked[name]) asked[name] = momentOf(asked[name], isLast, context)
  try {
    return { query: resource.query.read(asked, context) as Query, wrong: [] }
  } catch (error) {
    if (!(error instanceof ApiError) || error.faults.length === 0) throw error
    const wrong = error.faults.map(({ field }) => field)
    const rest = Object.fromEntries(Object.entries(asked).filter(([name]) => !wrong.includes(name)))
    return { query: resource.query.read(rest, context) as Query, wrong }
  }
}

const endOf = (name: string, index: number): [string, boolean] => [name, index === 1]

/** A day, in the time zone of the store, from its beginning or to its end. */
function momentOf(text: string, isLast: boolean, { timezone }: ReadContext): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return text
  const day = startOfDay(text, timezone, isLast ? 1 : 0)
  return new Date(day.getTime() - (isLast ? 1 : 0)).toISOString()
}

function parametersOf({ here }: Visit, resource: AnyResource): Record<string, string> {
  const { searchParams } = new URL(here, 'http://here')
  const names = Object.keys(resource.query.schema.properties as object)
  const asked = names.map((name) => [name, searchParams.getAll(name).filter(Boolean).join(',')] as const)
  return Object.fromEntries(asked.filter(([, value]) => value !== '' && isPlain(value)))
}

function schemaOf(resource: AnyResource, name: string): JsonSchema {
  return (resource.query.schema.properties as Record<string, JsonSchema>)[name] ?? {}
}

const namesOf = ({ name, range }: Filter) => range ?? [name]

type Chip = { text: string; names: readonly string[] }

export function chips(
  visit: Visit,
  resource: AnyResource,
  filters: readonly Filter[],
  query: Query,
): { count: number; drawn: Html | '' } {
  const { say, here } = visit
  const asked = parametersOf(visit, resource)
  const search = asked.search ? [{ text: `“${asked.search}”`, names: ['search'] }] : []
  const all: Chip[] = [...search, ...filters.flatMap((filter) => chipOf(visit, resource, filter, asked))]
  if (all.length === 0 || !query) return { count: 0, drawn: '' }
  const without = (names: readonly string[]) =>
    addressWith(here, Object.fromEntries([...names, 'page'].map((name) => [name, null])))
  const every = all.flatMap(({ names }) => names)
  const drawn = all.map(
    ({ text, names }) =>
      html`<li><a class="chip" href="${without(names)}"><span class="hidden">${say('remove_filter', {
        filter: '',
      })}</span>${text} <span aria-hidden="true">×</span></a></li>`,
  )
  const clear = all.length > 1 ? html`<li><a href="${without(every)}">${say('clear_filters')}</a></li>` : ''
  return { count: all.length, drawn: html`<ul class="chips" aria-label="${say('filters')}">${drawn}${clear}</ul>` }
}

function chipOf(visit: Visit, resource: AnyResource, filter: Filter, asked: Record<string, string>): Chip[] {
  const { say } = visit
  const label = labelOf(visit, filter)
  return namesOf(filter).flatMap((name, index) => {
    const value = asked[name]
    if (value === undefined || value === schemaOf(resource, name).default) return []
    const title = filter.range ? say(index === 0 ? 'range_from' : 'range_to', { name: label }) : label
    return { text: `${title}: ${shown(visit, filter, value)}`, names: [name] }
  })
}

function shown({ say, price }: Visit, { name, words = name, as, choices }: Filter, value: string): string {
  const chosen = choices?.find(([id]) => id === value)
  if (chosen) return chosen[1]
  if (as === 'amount') return Number.isFinite(Number(value)) ? price(value) : value
  if (as) return value
  return value
    .split(',')
    .map((one) =>
      wordIn(say, `${words}_${one}`, wordIn(say, one === 'true' ? 'yes' : one === 'false' ? 'no' : '', one)),
    )
    .join(', ')
}

export function filterForm(visit: Visit, resource: AnyResource, filters: readonly Filter[], query: Query): Html {
  const { say, here } = visit
  const asked = parametersOf(visit, resource)
  const action = new URL(here, 'http://here').pathname
  const sorts = choicesOf(schemaOf(resource, 'sort'))
  if (filters.length === 0 && sorts.length < 2 && !resource.filters.search) return html``
  return html`<form class="find" role="search" action="${action}" data-find>
<div class="searchline">${resource.filters.search ? searchField(visit, asked) : ''}
<details class="filters"><summary class="button quiet">${say('filter')}</summary><div class="panel">
${filters.map((filter) => (filter.isChip ? kept(filter, asked) : control(visit, resource, filter, asked)))}
${sorts.length > 1 ? sorting(visit, sorts, query) : ''}
<p class="send"><button>${say('show')}</button></p></div></details></div></form>`
}

/** Narrowing further keeps what a link has set. */
function kept({ name }: Filter, asked: Record<string, string>): Html | '' {
  return asked[name] === undefined ? '' : hidden(name, asked[name])
}

function searchField({ say }: Visit, { search = '' }: Record<string, string>): Html {
  const input = {
    type: 'search',
    name: 'search',
    value: search,
    placeholder: say('search'),
    'aria-label': say('search'),
  }
  const attached = attributes({ ...input, maxlength: 200, autocomplete: 'off' })
  return html`<input id="search"${attached}><button class="quiet">${say('search')}</button>`
}

function sorting({ say }: Visit, sorts: string[], { sort, order }: Query): Html {
  const select = (name: string, label: Word, values: string[], current: string, words = '') =>
    html`<p class="field half"><label for="by-${name}">${say(label)}</label>
<select id="by-${name}" name="${name}">${values.map((value) =>
      option(value, wordIn(say, words + value, value), value === current),
    )}</select></p>`
  return html`${select('sort', 'sort', sorts, sort)}${select('order', 'direction', ['desc', 'asc'], order, 'order_')}`
}

function option(value: string, text: string, isChosen: boolean): Html {
  return html`<option value="${value}"${isChosen ? html` selected` : ''}>${text}</option>`
}

function control(visit: Visit, resource: AnyResource, filter: Filter, asked: Record<string, string>): Html {
  const { say } = visit
  const { name, several, words = name, as, choices } = filter
  const label = labelOf(visit, filter)
  if (several) {
    const ticked = new Set((asked[name] ?? '').split(','))
    const boxes = several.map((value) => {
      const about = attributes({ type: 'checkbox', name, value, checked: ticked.has(value) })
      const text = wordIn(say, `${words}_${value}`, value)
      return html`<label class="choice"><input${about}> <span>${text}</span></label>`
    })
    return html`<fieldset class="field"><legend>${label}</legend><div class="boxes">${boxes}</div></fieldset>`
  }
  return html`${namesOf(filter).map((parameter, index) => {
    const title = filter.range ? say(index === 0 ? 'range_from' : 'range_to', { name: label }) : label
    const id = `filter-${parameter}`
    const input = valueInput(visit, schemaOf(resource, parameter), { id, name: parameter, words, as, asked, choices })
    return html`<p class="field${filter.range ? ' half' : ''}"><label for="${id}">${title}</label>${input}</p>`
  })}`
}

type ValueInput = {
  id: string
  name: string
  words: string
  as: Filter['as'] | undefined
  asked: Record<string, string>
  choices: Choices | undefined
}

function valueInput({ say }: Visit, schema: JsonSchema, of: ValueInput): Html {
  const { id, name, words, as, asked, choices: offered } = of
  const value = asked[name] ?? String(schema.default ?? '')
  if (offered) {
    const any = option('', say('any'), value === '')
    const all = offered.map(([one, text]) => option(one, text, one === value))
    return html`<select id="${id}" name="${name}">${any}${all}</select>`
  }
  const choices = schema.type === 'boolean' ? ['true', 'false'] : choicesOf(schema)
  if (choices.length === 0) {
    const type = as === 'day' || as === 'moment' ? 'date' : 'text'
    const inputmode = as === 'amount' ? 'decimal' : as === 'number' ? 'numeric' : null
    return html`<input${attributes({ id, name, type, inputmode, value, maxlength: 200, autocomplete: 'off' })}>`
  }
  const wordOf = (one: string) =>
    wordIn(say, `${words}_${one}`, one === 'true' ? say('yes') : one === 'false' ? say('no') : say('any'))
  const any = choices.includes('all') || schema.default !== undefined ? '' : option('', say('any'), value === '')
  const drawn = choices.map((one) => option(one, wordOf(one), one === value))
  return html`<select id="${id}" name="${name}">${any}${drawn}</select>`
}
