// The filters of a list are the API's own parameters, in the URL. Each active filter is a chip that can be
// removed.
import { html } from 'hono/html'
import type { JsonSchema, ReadContext } from '../../kit/declare/field.ts'
import type { AnyResource, ListQuery } from '../../kit/declare/resource.ts'
import { ApiError } from '../../kit/values/errors.ts'
import { startOfDay } from '../../kit/values/timezone.ts'
import { isPlain } from '../../platform/pages/form.ts'
import { addressWith } from '../../platform/pages/address.ts'
import { attributes, hidden } from '../../platform/pages/parts.ts'
import { formatNumber, readNumber } from '../assets/numbers.ts'
import type { CustomFieldKind } from '../../tenancy/stores/customfieldkind.ts'
import { listCustomFields, type InputTerms } from './customfields.ts'
import { formatInputLabel } from './form.ts'
import { icon } from './icons.ts'
import { getSchemaType, listSchemaChoices } from './inputs.ts'
import type { Choices, Html, PageContext } from './screen.ts'
import { messageOr, type MessageKey } from './messages.ts'

export type ListFilter = {
  /** The API's parameter. Ranges use it for their label only. */
  name: string
  label?: MessageKey
  labelText?: string
  /** Stands for the custom fields of this kind, each a filter. */
  custom?: CustomFieldKind
  /** A range has two parameters. */
  range?: readonly [least: string, most: string]
  /** The kind of input; `moment` is a day that is sent as a timestamp. */
  as?: 'day' | 'moment' | 'amount' | 'number'
  /** Allows several of these values, separated by commas. */
  several?: readonly string[]
  /** Prefix of the messages of its values, if not its own name. */
  words?: string
  /** The choices, if they differ from the schema's. */
  options?: (context: PageContext) => Choices | Promise<Choices>
  /** Its values are searched by name: `options` returns the chosen and the found ones. */
  isFound?: boolean
  /** Only links set it. Its chip shows and removes it. */
  isChip?: boolean
  choices?: Choices
}

/** Adds the current choices, and the filters of the store's custom fields. */
export async function withChoices(context: PageContext, filters: readonly ListFilter[]): Promise<ListFilter[]> {
  const all = await Promise.all(
    filters.map(async (filter) => {
      if (filter.custom) return (await listCustomFields(context, filter.custom)).flatMap(toCustomFilter(context))
      return filter.options ? { ...filter, choices: await filter.options(context) } : filter
    }),
  )
  return all.flat()
}

/** Those whose values are short: a list is narrowed by a whole value. */
const toCustomFilter =
  ({ t }: PageContext) =>
  ({ key, label, type, choices: values }: InputTerms): ListFilter[] => {
    const filter = { name: `custom_fields[${key}]`, labelText: label }
    if (type === 'choice') return [{ ...filter, choices: values.map((one) => [one, one]) }]
    if (type !== 'boolean') return type === 'text' || type === 'color' || type === 'date' ? [filter] : []
    return [
      {
        ...filter,
        choices: [
          ['true', t('yes')],
          ['false', t('no')],
        ],
      },
    ]
  }

export type FilterQuery = ListQuery

/** Reads the API's query from the URL. Invalid parameters are listed and left out. */
export function readFilterQuery(
  context: PageContext,
  resource: AnyResource,
  filters: readonly ListFilter[],
): { query: FilterQuery; wrong: string[] } {
  const { store } = context
  const parameters = readFilterParameters(context, resource)
  const moments = new Map(filters.filter(({ as }) => as === 'moment').flatMap(({ range }) => range!.map(markRangeEnd)))
  for (const [name, isLast] of moments)
    if (parameters[name]) parameters[name] = toFilterTime(parameters[name], isLast, store)
  try {
    return { query: resource.query.read(parameters, store) as FilterQuery, wrong: [] }
  } catch (error) {
    if (!(error instanceof ApiError) || error.faults.length === 0) throw error
    const wrong = error.faults.map(({ field }) => field)
    const isWrong = (name: string) => wrong.includes(name) || wrong.includes(name.split('[')[0]!)
    const rest = Object.fromEntries(Object.entries(parameters).filter(([name]) => !isWrong(name)))
    return { query: resource.query.read(rest, store) as FilterQuery, wrong }
  }
}

const markRangeEnd = (name: string, index: number): [string, boolean] => [name, index === 1]

/** Converts a day to its first or last moment in the store's time zone. */
function toFilterTime(text: string, isLast: boolean, { timezone }: ReadContext): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return text
  const day = startOfDay(text, timezone, isLast ? 1 : 0)
  return new Date(day.getTime() - (isLast ? 1 : 0)).toISOString()
}

function readFilterParameters({ here }: PageContext, resource: AnyResource): Record<string, string> {
  const { searchParams } = new URL(here, 'http://here')
  const schemas = resource.query.schema.properties as Record<string, JsonSchema>
  // `custom_fields[key]`, of any key.
  const keyed = [...searchParams.keys()].filter((name) => schemas[name.split('[')[0]!]?.type === 'object')
  const names = new Set([...Object.keys(schemas), ...keyed])
  const parameters = [...names].map((name) => [name, searchParams.getAll(name).filter(Boolean).join(',')] as const)
  return Object.fromEntries(parameters.filter(([, value]) => value !== '' && isPlain(value)))
}

function getFilterSchema(resource: AnyResource, name: string): JsonSchema {
  return (resource.query.schema.properties as Record<string, JsonSchema>)[name] ?? {}
}

const listFilterNames = ({ name, range }: ListFilter) => range ?? [name]

type FilterChip = { text: string; names: readonly string[] }

export function chips(
  context: PageContext,
  resource: AnyResource,
  filters: readonly ListFilter[],
  query: FilterQuery,
): { count: number; html: Html | '' } {
  const { t, here } = context
  const parameters = readFilterParameters(context, resource)
  const search = parameters.search ? [{ text: `“${parameters.search}”`, names: ['search'] }] : []
  const all: FilterChip[] = [
    ...search,
    ...filters.flatMap((filter) => buildFilterChips(context, resource, filter, parameters)),
  ]
  if (all.length === 0 || !query) return { count: 0, html: '' }
  const without = (names: readonly string[]) =>
    addressWith(here, Object.fromEntries([...names, 'page'].map((name) => [name, null])))
  const every = all.flatMap(({ names }) => names)
  const items = all.map(
    ({ text, names }) =>
      html`<li><a class="chip" href="${without(names)}"><span class="hidden">${t('remove_filter', {
        filter: '',
      })}</span>${text} ${icon('close')}</a></li>`,
  )
  const clear = all.length > 1 ? html`<li><a href="${without(every)}">${t('clear_filters')}</a></li>` : ''
  return { count: all.length, html: html`<ul class="chips" aria-label="${t('filters')}">${items}${clear}</ul>` }
}

function buildFilterChips(
  context: PageContext,
  resource: AnyResource,
  filter: ListFilter,
  parameters: Record<string, string>,
): FilterChip[] {
  const { t } = context
  const label = formatInputLabel(context, filter)
  return listFilterNames(filter).flatMap((name, index) => {
    const value = parameters[name]
    if (value === undefined || value === getFilterSchema(resource, name).default) return []
    const title = filter.range ? t(index === 0 ? 'range_from' : 'range_to', { name: label }) : label
    return { text: `${title}: ${chipValue(context, filter, value)}`, names: [name] }
  })
}

function chipValue({ t, price }: PageContext, { name, words = name, as, choices }: ListFilter, value: string): string {
  const choice = choices?.find(([id]) => id === value)
  if (choice) return choice[1]
  if (as === 'amount') return Number.isFinite(Number(value)) ? price(value) : value
  if (as) return value
  return value
    .split(',')
    .map((one) =>
      messageOr(t, `${words}_${one}`, messageOr(t, one === 'true' ? 'yes' : one === 'false' ? 'no' : '', one)),
    )
    .join(', ')
}

/** `more`: further popovers of the form. */
export function filterForm(
  context: PageContext,
  resource: AnyResource,
  filters: readonly ListFilter[],
  query: FilterQuery,
  more: Html | '' = '',
): Html {
  const { t, here } = context
  const parameters = readFilterParameters(context, resource)
  const action = new URL(here, 'http://here').pathname
  const sorts = listSchemaChoices(getFilterSchema(resource, 'sort'))
  if (filters.length === 0 && sorts.length < 2 && !resource.filters.search) return html``
  const inputs = filters.filter(({ isChip }) => !isChip)
  const isOpen = inputs.some((filter) => isSearched(context, filter))
  const [only] = inputs
  const title = inputs.length === 1 ? formatInputLabel(context, only!) : html`${icon('add')} ${t('filter_add')}`
  const sections = inputs.map((filter) => filterSection(context, resource, filter, parameters))
  const content = inputs.length === 1 ? withButton(context, control(context, resource, only!, parameters)) : sections
  return html`<form class="find" role="search" action="${action}" data-find>
${parameters.per_page ? hidden('per_page', parameters.per_page) : ''}
<div class="searchline">${resource.filters.search ? searchField(context, parameters) : ''}
${filters.filter(({ isChip }) => isChip).map((filter) => hiddenFilter(filter, parameters))}
${inputs.length > 0 ? popover(title, content, isOpen) : ''}
${sorts.length > 1 ? popover(t('sort'), withButton(context, sorting(context, sorts, query))) : ''}${more}</div></form>`
}

/** Checkboxes of the form's further popover. */
export function boxPopover(
  context: PageContext,
  title: string,
  name: string,
  choices: Choices,
  values: readonly string[],
): Html {
  return popover(title, withButton(context, checkboxes(name, title, choices, values)))
}

function checkboxes(name: string, label: string, choices: Choices, values: readonly string[]): Html {
  const boxes = choices.map(([value, text]) => {
    const about = attributes({ type: 'checkbox', name, value, checked: values.includes(value) })
    return html`<label class="choice"><input${about}> <span>${text}</span></label>`
  })
  return html`<fieldset class="field"><legend>${label}</legend><div class="boxes">${boxes}</div></fieldset>`
}

/** Only one popover is open at a time. */
function popover(title: Html | string, content: Html | Html[], isOpen = false): Html {
  return html`<details class="filters" name="filters"${attributes({ open: isOpen })}>
<summary class="button quiet">${title}</summary><div class="panel">${content}</div></details>`
}

/** One filter of the popover; open ones close each other. */
function filterSection(
  context: PageContext,
  resource: AnyResource,
  filter: ListFilter,
  parameters: Record<string, string>,
): Html {
  const isSet = buildFilterChips(context, resource, filter, parameters).length > 0
  const about = attributes({ name: 'filter', class: isSet && 'set', open: isSearched(context, filter) })
  return html`<details${about}><summary>${formatInputLabel(context, filter)}</summary>
${withButton(context, control(context, resource, filter, parameters))}</details>`
}

/** A script applies choices at once; texts wait for the button. */
function withButton({ t }: PageContext, content: Html): Html {
  return html`${content}<p class="send"><button class="quiet">${t('show')}</button></p>`
}

/** The search text for the choices of a filter. */
export function typedFor({ here }: Pick<PageContext, 'here'>, name: string): string {
  return new URL(here, 'http://here').searchParams.get(`find.${name}`)?.trim() ?? ''
}

function isSearched(context: PageContext, { name, isFound = false }: ListFilter): boolean {
  return isFound && typedFor(context, name) !== ''
}

/** A search field, and the choices that match. */
function foundControl(context: PageContext, { name, choices = [] }: ListFilter, label: string, value = ''): Html {
  const { t } = context
  const input = typedFor(context, name)
  const search = { id: `find-${name}`, type: 'search', name: `find.${name}`, value: input, maxlength: 200 }
  const boxes = choices.map(([id, text]) => {
    const about = attributes({ type: 'radio', name, value: id, checked: id === value })
    return html`<label class="choice"><input${about}> <span>${text}</span></label>`
  })
  const none = input !== '' && choices.length === 0 ? html`<p class="hint" role="status">${t('find_none')}</p>` : ''
  return html`<p class="field"><label for="find-${name}">${label}</label>
<input${attributes({ ...search, autocomplete: 'off' })}></p>
${boxes.length > 0 ? html`<fieldset class="field"><legend class="hidden">${label}</legend>${boxes}</fieldset>` : none}`
}

/** Keeps filters that a link has set. */
function hiddenFilter({ name }: ListFilter, parameters: Record<string, string>): Html | '' {
  return parameters[name] === undefined ? '' : hidden(name, parameters[name])
}

function searchField({ t }: PageContext, { search = '' }: Record<string, string>): Html {
  const input = { type: 'search', name: 'search', value: search, placeholder: t('search'), 'aria-label': t('search') }
  return html`<input id="search"${attributes({ ...input, maxlength: 200, autocomplete: 'off' })}>`
}

function sorting({ t }: PageContext, sorts: string[], { sort, order }: FilterQuery): Html {
  const select = (name: string, label: MessageKey, values: string[], current: string) =>
    html`<p class="field half"><label for="by-${name}">${t(label)}</label>
<select id="by-${name}" name="${name}">${values.map((value) =>
      option(value, messageOr(t, `${name}_${value}`, messageOr(t, value, value)), value === current),
    )}</select></p>`
  return html`${select('sort', 'sort', sorts, sort)}${select('order', 'direction', ['desc', 'asc'], order)}`
}

function option(value: string, text: string, isChosen: boolean): Html {
  return html`<option value="${value}"${isChosen ? html` selected` : ''}>${text}</option>`
}

function control(
  context: PageContext,
  resource: AnyResource,
  filter: ListFilter,
  parameters: Record<string, string>,
): Html {
  const { t } = context
  const { name, several, words = name, as, choices, isFound } = filter
  const label = formatInputLabel(context, filter)
  if (isFound) return foundControl(context, filter, label, parameters[name])
  if (several) {
    const all = several.map((value): Choices[number] => [value, messageOr(t, `${words}_${value}`, value)])
    return checkboxes(name, label, all, (parameters[name] ?? '').split(','))
  }
  return html`${listFilterNames(filter).map((parameter, index) => {
    const title = filter.range ? t(index === 0 ? 'range_from' : 'range_to', { name: label }) : label
    const id = `filter-${parameter}`
    const input = valueInput(context, getFilterSchema(resource, parameter), {
      id,
      name: parameter,
      words,
      as,
      parameters,
      choices,
    })
    return html`<p class="field${filter.range ? ' half' : ''}"><label for="${id}">${title}</label>${input}</p>`
  })}`
}

type ValueInputProps = {
  id: string
  name: string
  words: string
  as: ListFilter['as'] | undefined
  parameters: Record<string, string>
  choices: Choices | undefined
}

/** `price[gte]:de`: typed in a language. */
const typedName = (name: string, language: string) => `${name}:${language}`

/** The address with typed numbers as the API's, under the names of its parameters. */
export function withPlainNumbers(here: string): string {
  const url = new URL(here, 'http://here')
  const typed = [...url.searchParams].filter(([name]) => /:[a-z]{2}$/.test(name))
  for (const [name, text] of typed) {
    const [plain, language] = [name.slice(0, -3), name.slice(-2)]
    url.searchParams.delete(name)
    if (text !== '') url.searchParams.set(plain, String(readNumber(text, language)))
  }
  return typed.length > 0 ? url.pathname + url.search : here
}

function valueInput({ t, language }: PageContext, schema: JsonSchema, props: ValueInputProps): Html {
  const { id, name, words, as, parameters, choices: options } = props
  const value = parameters[name] ?? String(schema.default ?? '')
  if (options) {
    const any = option('', t('any'), value === '')
    const all = options.map(([one, text]) => option(one, text, one === value))
    return html`<select id="${id}" name="${name}">${any}${all}</select>`
  }
  const choices = schema.type === 'boolean' ? ['true', 'false'] : listSchemaChoices(schema)
  if (choices.length === 0) {
    const type = as === 'day' || as === 'moment' ? 'date' : 'text'
    const isNumber = ['number', 'integer'].includes(getSchemaType(schema))
    const shown =
      isNumber && value !== '' && Number.isFinite(Number(value)) ? formatNumber(Number(value), language) : value
    const own = { id, name: isNumber ? typedName(name, language) : name, type, value: shown }
    const inputmode = as === 'amount' ? 'decimal' : as === 'number' ? 'numeric' : null
    return html`<input${attributes({ ...own, inputmode, maxlength: 200, autocomplete: 'off' })}>`
  }
  const formatFilterValue = (one: string) =>
    messageOr(t, `${words}_${one}`, one === 'true' ? t('yes') : one === 'false' ? t('no') : t('any'))
  const any = choices.includes('all') || schema.default !== undefined ? '' : option('', t('any'), value === '')
  const optionList = choices.map((one) => option(one, formatFilterValue(one), one === value))
  return html`<select id="${id}" name="${name}">${any}${optionList}</select>`
}
