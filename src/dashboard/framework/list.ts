// A list is declared: which resource, which columns and filters. The API's own query reads it, and all of its state is
// in the address, in the API's words.
import { html } from 'hono/html'
import { entityPage, find, type Page } from '../../kit/declare/page.ts'
import type { Entity, Fields } from '../../kit/declare/field.ts'
import type { ResourceOf } from '../../kit/declare/resource.ts'
import type { Sql } from '../../kit/database/sql.ts'
import type { Feature } from '../../tenancy/plans/plan.ts'
import { addressWith } from '../../platform/pages/address.ts'
import { attributes, notice } from '../../platform/pages/parts.ts'
import { csvReply } from './csv.ts'
import { mayCall } from './call.ts'
import { form } from './form.ts'
import { chips, filterForm, queryOf, withChoices, type Filter, type Query } from './filters.ts'
import type { Action, Html, Screen, Section, Shown, Visit } from './page.ts'
import { pageLinks } from './pagination.ts'
import { firstView, viewActions, viewTabs, type ViewedList } from './views.ts'
import type { Word } from './words.ts'

type Column<E> = {
  title: Word
  cell: (row: E, visit: Visit) => Html | string
  /** In the table for spreadsheets, where that is another. */
  plain?: (row: E, visit: Visit) => string | number | null
  /** The API's name for sorting by it. */
  sort?: string
  /** Left out on a phone. */
  isWide?: boolean
  isNumber?: boolean
}

/** `R`: its rows, with what they are shown with beside their own fields. */
export type List<F extends Fields, R extends Entity<F> = Entity<F>> = {
  path: string
  section: Section
  nav?: Screen['nav']
  within?: Screen['within']
  params?: Screen['params']
  /** Of all records, those of the one in the path. */
  narrow?: (visit: Visit) => Sql
  scope: string
  feature?: Feature
  title: Word
  resource: ResourceOf<F>
  columns: readonly Column<R>[]
  /** What else is read for a page of rows, at once. */
  more?: (visit: Visit, rows: Entity<F>[]) => Promise<R[]>
  filters: readonly Filter[]
  empty: { title: Word; text: Word }
  /** What is done to those that are ticked, and what a box is called. */
  bulk?: Bulk<Entity<F>>
  /** People may save how they like to see it. */
  views?: ViewedList
  actions?: Record<string, Action>
  buttons?: (visit: Visit) => Html | ''
  /** Before all else. */
  lead?: (visit: Visit) => Promise<Html>
}

export function list<F extends Fields, R extends Entity<F> = Entity<F>>(of: List<F, R>): Screen {
  const { path, section, nav, within, scope, feature, title, resource, columns, params, views } = of
  const all = actionsOf(of)
  return {
    path,
    section,
    scope,
    title,
    ...(nav ? { nav } : {}),
    ...(within ? { within } : {}),
    ...(feature ? { feature } : {}),
    ...(params ? { params } : {}),
    ...(Object.keys(all).length > 0 ? { actions: all } : {}),
    show: (visit) => show(visit, of),
    ...(views ? { leads: (visit) => firstView(visit, views) } : {}),
    async csv(visit) {
      await demandParents(visit, of)
      const { query } = queryOf(visit, resource, of.filters)
      const rowsOf = async (page: number) =>
        rowsFor(visit, of, (await read(visit, of, { ...query, page, per_page: 100 })).data)
      const cells = columns.map(({ title: word, cell, plain = cell }) => [
        visit.say(word),
        (row: R) => plain(row, visit),
      ]) as [string, (row: R) => string | number | null][]
      return csvReply(path.split('/').at(-1)!, cells, rowsOf)
    },
  }
}

function actionsOf<F extends Fields>({ actions, bulk, views }: List<F, any>): Record<string, Action> {
  const beside = Object.entries(bulk?.beside ?? {}).map(([act, { action }]) => [act, action])
  return {
    ...actions,
    ...(bulk ? { [bulk.act]: bulk.action, ...Object.fromEntries(beside) } : {}),
    ...(views ? viewActions(views) : {}),
  }
}

async function show<F extends Fields>(visit: Visit, of: List<F, any>): Promise<Shown> {
  await demandParents(visit, of)
  const { say, here } = visit
  const { resource } = of
  const { query, wrong } = queryOf(visit, resource, of.filters)
  const [page, filters, lead] = await Promise.all([
    pageOf(visit, of, query),
    withChoices(visit, of.filters),
    of.lead?.(visit) ?? '',
  ])
  const narrowed = chips(visit, resource, filters, query)
  const all = new URL(addressWith(here, { page: null }), 'http://here')
  const download = `${all.pathname}.csv${all.search}`
  const { total } = page.pagination
  return {
    buttons: html`${of.buttons?.(visit) ?? ''}${
      total > 0 ? html`<a class="button quiet" href="${download}" download>${say('export_csv')}</a>` : ''
    }`,
    content: html`${lead}
${of.views ? await viewTabs(visit, of.views) : ''}
${wrong.length > 0 ? notice('warning', say('bad_filter', { names: wrong.join(', ') })) : ''}
${filterForm(visit, resource, filters, query)}
${narrowed.drawn}
<div id="rows">${total === 0 ? empty(visit, of, narrowed.count > 0) : await table(visit, of, page, query)}</div>`,
  }
}

/** What the path names is there. */
async function demandParents({ db, store, ids }: Visit, { params = {} }: Pick<Screen, 'params'>): Promise<void> {
  await Promise.all(Object.entries(params).map(([name, resource]) => find(db, resource, store.id, ids[name]!)))
}

function read<F extends Fields>(
  visit: Visit,
  { resource, narrow }: List<F, any>,
  query: Query,
): Promise<Page<Entity<F>>> {
  return entityPage(visit.db, resource, visit.store, query, ...(narrow ? [narrow(visit)] : []))
}

async function rowsFor<F extends Fields, R extends Entity<F>>(
  visit: Visit,
  { more }: Pick<List<F, R>, 'more'>,
  rows: Entity<F>[],
): Promise<R[]> {
  return more ? more(visit, rows) : (rows as R[])
}

/** The last page where the address asks for one beyond it. */
async function pageOf<F extends Fields>(visit: Visit, of: List<F, any>, query: Query): Promise<Page<Entity<F>>> {
  const page = await read(visit, of, query)
  const { total, total_pages } = page.pagination
  const isBeyond = page.data.length === 0 && total > 0
  return isBeyond ? read(visit, of, { ...query, page: total_pages }) : page
}

function empty<F extends Fields>({ say }: Visit, { empty }: List<F, any>, isNarrowed: boolean): Html {
  const [title, text] = isNarrowed
    ? (['nothing_found', 'nothing_found_text'] as const)
    : ([empty.title, empty.text] as const)
  return html`<div class="empty"><h2>${say(title)}</h2><p>${say(text)}</p></div>`
}

async function table<F extends Fields>(
  visit: Visit,
  of: List<F, any>,
  { data, pagination }: Page<Entity<F>>,
  query: Query,
): Promise<Html> {
  const { say } = visit
  const { columns, bulk, title } = of
  const { page, per_page, total } = pagination
  const first = (page - 1) * per_page + 1
  const rows = await rowsFor(visit, of, data)
  const range = say('rows_of', { from: first, to: first + data.length - 1, total })
  return html`<table class="list" aria-label="${say(title)}">
<thead><tr>${bulk ? html`<th class="tick"><tick-all label="${say('tick_all')}"></tick-all></th>` : ''}${columns.map(
    (column) => heading(visit, column, query),
  )}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${bulk ? tick(visit, row, bulk) : ''}${cells(visit, columns, row)}</tr>`)}</tbody>
</table>
${bulk ? await bulkForm(visit, bulk) : ''}
<div class="under"><p class="hint">${range}</p>${pageLinks(visit, pagination)}</div>`
}

function heading({ say, here }: Visit, { title, sort, isWide, isNumber }: Column<any>, query: Query): Html {
  const isCurrent = sort !== undefined && query.sort === sort
  const order = isCurrent && query.order === 'desc' ? 'asc' : 'desc'
  const about = {
    class: [isWide && 'wide', isNumber && 'number'].filter(Boolean).join(' '),
    'aria-sort': isCurrent && (query.order === 'asc' ? 'ascending' : 'descending'),
  }
  const text = sort ? html`<a href="${addressWith(here, { sort, order, page: null })}">${say(title)}</a>` : say(title)
  return html`<th scope="col"${attributes(about)}>${text}</th>`
}

function cells<E>(visit: Visit, columns: readonly Column<E>[], row: E): Html[] {
  return columns.map(({ cell, isWide, isNumber }) => {
    const name = [isWide && 'wide', isNumber && 'number'].filter(Boolean).join(' ')
    return html`<td${attributes({ class: name })}>${cell(row, visit)}</td>`
  })
}

type Bulk<E> = {
  act: string
  action: Action
  /** Default: Apply. */
  button?: Word
  nameOf: (row: E) => string
  /** What else is done to them by a button of its own. */
  beside?: Record<string, { action: Action; button: Word }>
  /** Screens that show them together: below the store's address, with a query. */
  shownAt?: readonly { path: string; what: string; button: Word }[]
}

function tick<E>({ say }: Visit, row: E, { nameOf }: Bulk<E>): Html {
  const box = { type: 'checkbox', name: 'ticked', value: (row as { id: string }).id, form: 'bulk' }
  return html`<td class="tick"><input${attributes({ ...box, 'aria-label': say('tick', { name: nameOf(row) }) })}></td>`
}

async function bulkForm(
  visit: Visit,
  { act, action, button = 'apply', beside = {}, shownAt = [] }: Bulk<any>,
): Promise<Html> {
  const { say, base, role } = visit
  const open = Object.entries(beside).filter(
    ([
      ,
      {
        action: { route },
      },
    ]) => mayCall(role, route),
  )
  const buttons = open.map(
    ([name, { button: text }]) => html`<button class="quiet" name="act" value="${name}">${say(text)}</button>`,
  )
  const links = shownAt.map(({ path, what, button }) => {
    const about = { class: 'quiet', formmethod: 'get', formaction: base + path, name: 'what', value: what }
    return html`<button${attributes(about)}>${say(button)}</button>`
  })
  const isMany = buttons.length + links.length > 0
  const more = isMany ? { others: open.map(([name]) => name), beside: html`${buttons}${links}` } : {}
  const drawn = await form(visit, { id: 'bulk', act, action, button, isQuiet: true, ...more })
  return html`<section class="bulk" aria-label="${say('selected')}"><p>${say('selected')}:</p>${drawn}</section>`
}
