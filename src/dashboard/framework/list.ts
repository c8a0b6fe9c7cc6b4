// Declares a list by its resource, columns and filters. The API's own query reads it, and its whole state is
// in the URL, as parameters of the API.
import { Readable } from 'node:stream'
import { html } from 'hono/html'
import { entityPage, find, type RecordPage } from '../../kit/declare/page.ts'
import type { Entity, Fields } from '../../kit/declare/field.ts'
import { withoutExactTotal, type ResourceOf } from '../../kit/declare/resource.ts'
import type { Route } from '../../kit/declare/route.ts'
import type { Sql } from '../../kit/database/sql.ts'
import type { Feature } from '../../tenancy/plans/plan.ts'
import { addressWith } from '../../platform/pages/address.ts'
import { attributes, notice } from '../../platform/pages/parts.ts'
import { addedButtons } from './addedbuttons.ts'
import { bulkForm, tick, type BulkActions } from './bulkform.ts'
import { mayUse } from '../../identity/accounts/roles.ts'
import { buildCsvFile, csvReply } from './csv.ts'
import { scopesOfRole } from './call.ts'
import { chips, filterForm, readFilterQuery, withChoices, type ListFilter, type FilterQuery } from './filters.ts'
import type { ScreenAction, Html, Screen, Section, ScreenContent, PageContext, PageResult } from './screen.ts'
import { icon } from './icons.ts'
import { pageLinks, pageSizes } from './pagination.ts'
import { formatTotal } from './total.ts'
import { firstView, isTab, viewActions, viewTabs, type ListTab, type ListWithViews } from './viewtabs.ts'
import type { MessageKey } from './messages.ts'
import { emptyState } from './parts.ts'

type ListColumn<E> = {
  title: MessageKey
  cell: (row: E, context: PageContext) => Html | string
  /** The cell in the CSV file, if it differs. */
  csv?: (row: E, context: PageContext) => string | number | null
  /** The API's sort key. */
  sort?: string
  /** Hidden on phones. */
  isWide?: boolean
  /** Also hidden on tablets. */
  isSpare?: boolean
  isNumber?: boolean
}

/** The link to create the first record, for roles with the scope: a path below the store's URL. */
type FirstRecord = { path: string; button: MessageKey; scope: string }

/** `R`: the rows with their additional fields. */
export type ListProps<F extends Fields, R extends Entity<F> = Entity<F>> = {
  path: string
  section: Section
  nav?: Screen['nav']
  within?: Screen['within']
  params?: Screen['params']
  /** Restricts the list to the path's record. */
  narrow?: (context: PageContext) => Sql
  scope: Screen['scope']
  feature?: Feature
  title: MessageKey
  resource: ResourceOf<F>
  columns: readonly ListColumn<R>[]
  /** The API's list: its file, if it has one, replaces that of the columns. */
  exports?: Route
  /** Adds fields to the rows of a page with one read. */
  more?: (context: PageContext, rows: Entity<F>[]) => Promise<R[]>
  filters: readonly ListFilter[]
  /** The query if the URL has no filter. */
  unfiltered?: Record<string, unknown>
  empty: { title: MessageKey; text: MessageKey; first?: FirstRecord }
  /** Actions on the selected rows, and the label of a checkbox. */
  bulk?: BulkActions<Entity<F>>
  /** Saved views; built-in ones come first. */
  views?: ListWithViews
  tabs?: readonly ListTab[]
  limits?: Screen['limits']
  actions?: Record<string, ScreenAction>
  buttons?: (context: PageContext) => Html | ''
  /** Content before everything else. */
  lead?: (context: PageContext) => Promise<Html>
}

export function list<F extends Fields, R extends Entity<F> = Entity<F>>(props: ListProps<F, R>): Screen {
  const { path, section, nav, within, scope, feature, title, columns, params, views, limits } = props
  const all = buildListActions(props)
  return {
    path,
    section,
    scope,
    title,
    ...(nav ? { nav } : {}),
    ...(within ? { within } : {}),
    ...(feature ? { feature } : {}),
    ...(params ? { params } : {}),
    ...(limits ? { limits } : {}),
    ...(Object.keys(all).length > 0 ? { actions: all } : {}),
    show: (context) => show(context, props),
    ...(views ? { redirect: (context) => firstView(context, views) } : {}),
    files: Object.fromEntries(
      otherFiles(props.exports).map(([form, type]) => [form, (context) => sendList(context, props, form, type)]),
    ),
    async csv(context) {
      await requireParents(context, props)
      const { query } = queryFor(context, props)
      const name = path.split('/').at(-1)!
      const file = props.exports?.csv?.({ ...context, query, params: {}, scopes: scopesOfRole(context) })
      if (file) return buildCsvFile(name, file)
      const readCsvRows = async (page: number) =>
        rowsFor(context, props, (await read(context, props, { ...query, page, per_page: 100 })).data)
      const cells = columns.map(({ title: word, cell, csv = cell }) => [
        context.t(word),
        (row: R) => csv(row, context),
      ]) as [string, (row: R) => string | number | null][]
      return csvReply(name, cells, readCsvRows)
    },
  }
}

const otherForms = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'shopify.csv': 'text/csv; charset=utf-8',
} as const
type OtherForm = keyof typeof otherForms

/** The files beside CSV that the API has of the list. */
function otherFiles(route: Route | undefined): [form: OtherForm, type: string][] {
  return (Object.entries(otherForms) as [OtherForm, string][]).filter(([form]) => route?.[form] !== undefined)
}

function exportMenu(route: Route | undefined, t: PageContext['t'], address: (ending: string) => string): Html {
  const own = html`<a class="button quiet" href="${address('csv')}" download>${icon('download')} ${t('export_csv')}</a>`
  const others = otherFiles(route)
  if (others.length === 0) return own
  const names = { xlsx: 'export_xlsx', 'shopify.csv': 'export_shopify' } as const
  const links = others.map(([form]) => html`<p><a href="${address(form)}" download>${t(names[form])}</a></p>`)
  return html`${own}<details class="menu"><summary class="button quiet">${t('export_as')}</summary>
<div class="panel">${links}</div></details>`
}

async function sendList<F extends Fields>(
  context: PageContext,
  props: ListProps<F, any>,
  form: OtherForm,
  type: string,
): Promise<PageResult> {
  await requireParents(context, props)
  const { query } = queryFor(context, props)
  const rows = props.exports![form]!({ ...context, query, params: {}, scopes: scopesOfRole(context) } as never)
  const headers = { 'content-disposition': `attachment; filename="${props.path.split('/').at(-1)!}.${form}"` }
  return { file: { type, body: Readable.from(rows) }, headers }
}

function buildListActions<F extends Fields>({ actions, bulk, views }: ListProps<F, any>): Record<string, ScreenAction> {
  const beside = Object.entries(bulk?.beside ?? {}).map(([act, { action }]) => [act, action])
  return {
    ...actions,
    ...(bulk ? { [bulk.act]: bulk.action, ...Object.fromEntries(beside) } : {}),
    ...(views ? viewActions(views) : {}),
  }
}

async function show<F extends Fields>(context: PageContext, props: ListProps<F, any>): Promise<ScreenContent> {
  await requireParents(context, props)
  const { t, here } = context
  const { resource } = props
  const { query, wrong } = queryFor(context, props)
  const [page, filters, lead, tabs] = await Promise.all([
    readListPage(context, props, query),
    withChoices(context, props.filters),
    props.lead?.(context) ?? '',
    props.views ? viewTabs(context, props.views, { resource, tabs: props.tabs ?? [] }) : '',
  ])
  const chipList = chips(context, resource, filters, query)
  const all = new URL(addressWith(here, { page: null }), 'http://here')
  const { total } = page.pagination
  const isNarrowed = chipList.count > 0
  const every = [...filters.flatMap((filter) => filter.range ?? [filter.name]), 'search', 'page']
  const plain = addressWith(here, Object.fromEntries(every.map((name) => [name, null])))
  const rows = total === 0 ? empty(context, props, isNarrowed ? plain : null) : await table(context, props, page, query)
  return {
    buttons: html`${props.buttons?.(context) ?? ''}${addedButtons(context, props.path)}${
      total > 0 ? exportMenu(props.exports, t, (ending) => `${all.pathname}.${ending}${all.search}`) : ''
    }`,
    content: html`${lead}
${tabs}
${wrong.length > 0 ? notice('warning', t('bad_filter', { names: wrong.join(', ') })) : ''}
${filterForm(context, resource, filters, query)}
${isTab(context, props.tabs ?? []) ? '' : chipList.html}
<div id="rows">${rows}</div>`,
  }
}

function queryFor<F extends Fields>(
  context: PageContext,
  { resource, filters, unfiltered }: ListProps<F, any>,
): ReturnType<typeof readFilterQuery> {
  const read = readFilterQuery(context, resource, filters)
  const { searchParams } = new URL(context.here, 'http://here')
  const isFiltered = Object.keys(resource.filters).some((name) => searchParams.get(name))
  return isFiltered ? read : { ...read, query: { ...read.query, ...unfiltered } }
}

/** NOT_FOUND if the parent does not exist. */
async function requireParents({ db, store, ids }: PageContext, { params = {} }: Pick<Screen, 'params'>): Promise<void> {
  await Promise.all(Object.entries(params).map(([name, resource]) => find(db, resource, store.id, ids[name]!)))
}

function read<F extends Fields>(
  context: PageContext,
  { resource, narrow }: ListProps<F, any>,
  query: FilterQuery,
): Promise<RecordPage<Entity<F>>> {
  const list = withoutExactTotal(resource)
  return entityPage(context.db, list, context.store, query, ...(narrow ? [narrow(context)] : []))
}

async function rowsFor<F extends Fields, R extends Entity<F>>(
  context: PageContext,
  { more }: Pick<ListProps<F, R>, 'more'>,
  rows: Entity<F>[],
): Promise<R[]> {
  return more ? more(context, rows) : (rows as R[])
}

/** The last page, if the URL asks for a later one. */
async function readListPage<F extends Fields>(
  context: PageContext,
  props: ListProps<F, any>,
  query: FilterQuery,
): Promise<RecordPage<Entity<F>>> {
  const page = await read(context, props, query)
  const { total, total_pages } = page.pagination
  const isBeyond = page.data.length === 0 && total > 0
  return isBeyond ? read(context, props, { ...query, page: total_pages }) : page
}

/** `plain`: the URL without filters. */
function empty<F extends Fields>(
  { t, base, role }: PageContext,
  { empty: { title, text, first }, section }: ListProps<F, any>,
  plain: string | null,
): Html {
  if (plain !== null) {
    const clear = html`<a class="button quiet" href="${plain}">${t('clear_filters')}</a>`
    return emptyState(t, 'nothing_found', 'nothing_found_text', { icon: 'search', action: clear })
  }
  const isOpen = first && mayUse(role, first.scope)
  const action = isOpen ? html`<a class="button" href="${base}${first.path}">${t(first.button)}</a>` : ''
  return emptyState(t, title, text, { icon: section, action })
}

async function table<F extends Fields>(
  context: PageContext,
  props: ListProps<F, any>,
  { data, pagination }: RecordPage<Entity<F>>,
  query: FilterQuery,
): Promise<Html> {
  const { t } = context
  const { columns, bulk, title } = props
  const { page, per_page, total } = pagination
  const first = (page - 1) * per_page + 1
  const rows = await rowsFor(context, props, data)
  const lines = rows.map((row) => html`<tr>${bulk ? tick(context, row, bulk) : ''}${cells(context, columns, row)}</tr>`)
  const range = t('rows_of', { from: first, to: first + data.length - 1, total: formatTotal(context, total) })
  return html`<table class="list" aria-label="${t(title)}">
<thead><tr>${bulk ? html`<th class="tick"><tick-all label="${t('tick_all')}"></tick-all></th>` : ''}${columns.map(
    (column) => heading(context, column, query),
  )}</tr></thead>
<tbody>${lines}</tbody>
</table>
${bulk ? await bulkForm(context, bulk, total > data.length ? total : 0) : ''}
<div class="under"><p class="hint">${range}</p>${pageLinks(context, pagination)}
${pageSizes(context, pagination)}</div>`
}

function heading(
  { t, here }: PageContext,
  { title, sort, isWide, isSpare, isNumber }: ListColumn<any>,
  query: FilterQuery,
): Html {
  const isCurrent = sort !== undefined && query.sort === sort
  const order = isCurrent && query.order === 'desc' ? 'asc' : 'desc'
  const about = {
    class: [isWide && 'wide', isSpare && 'spare', isNumber && 'number'].filter(Boolean).join(' '),
    'aria-sort': isCurrent && (query.order === 'asc' ? 'ascending' : 'descending'),
  }
  const arrow = isCurrent ? icon(query.order === 'asc' ? 'up' : 'down') : ''
  const to = sort ? addressWith(here, { sort, order, page: null }) : ''
  const text = to ? html`<a href="${to}">${t(title)}${arrow}</a>` : t(title)
  return html`<th scope="col"${attributes(about)}>${text}</th>`
}

function cells<E>(context: PageContext, columns: readonly ListColumn<E>[], row: E): Html[] {
  return columns.map(({ cell, isWide, isSpare, isNumber }) => {
    const content = cell(row, context)
    const kinds = [isWide && 'wide', isSpare && 'spare', isNumber && 'number', hasLongWord(content) && 'long']
    return html`<td${attributes({ class: kinds.filter(Boolean).join(' ') })}>${content}</td>`
  })
}

/** A word that may be broken, because no column has to be as wide as it. */
function hasLongWord(content: unknown): boolean {
  return /[^\s-]{16}/.test(String(content).replaceAll(/<[^<>]*>/g, ' '))
}
