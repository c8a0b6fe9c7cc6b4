// Saved views above a list: each is the list's URL under a person's own name.
import { html } from 'hono/html'
import { join, raw, sql } from '../../kit/database/sql.ts'
import { countUpTo } from '../../kit/declare/page.ts'
import { maxCounted, type AnyResource } from '../../kit/declare/resource.ts'
import { attributes } from '../../platform/pages/parts.ts'
import { field } from '../../platform/pages/form.ts'
import { listViews } from '../savedviews/operations.ts'
import type { SavedView, lists } from '../savedviews/savedview.ts'
import { endpoint } from './api.ts'
import { button, form } from './form.ts'
import type { MessageKey } from './messages.ts'
import type { ScreenAction, Html, PageContext } from './screen.ts'
import { formatTotal } from './total.ts'

export type ListWithViews = (typeof lists)[number]

/** A built-in view; its count stops at a limit. */
export type ListTab = { title: MessageKey; query: Record<string, string> }

type Presets = { resource: AnyResource; tabs: readonly ListTab[] }

const change = endpoint('PATCH /saved-views/{view}')

export const viewActions = (list: ListWithViews): Record<string, ScreenAction> => ({
  view_save: {
    route: endpoint('POST /saved-views'),
    inputs: [
      { name: 'name', label: 'view_name' },
      { name: 'is_default', label: 'view_default' },
    ],
    body: ({ here }) => ({ list, query: queryIn(here) }),
    done: 'view_saved',
  },
  view_rename: { route: change, inputs: [{ name: 'name', label: 'view_name' }], done: 'view_saved' },
  view_first: { route: change, body: { is_default: true }, done: 'view_saved' },
  view_plain: { route: change, body: { is_default: false }, done: 'view_saved' },
  view_delete: { route: endpoint('DELETE /saved-views/{view}'), done: 'view_deleted', to: () => `/${list}?view=all` },
})

const transientParameters = ['page', 'view', 'per_page']

/** The list's query in a fixed order, without transient parameters. */
function queryIn(here: string): string {
  const { searchParams } = new URL(here, 'http://here')
  for (const name of transientParameters) searchParams.delete(name)
  const empty = [...searchParams].filter(([, value]) => value === '')
  for (const [name] of empty) searchParams.delete(name, '')
  searchParams.sort()
  return searchParams.toString()
}

/** The redirect for a list without parameters. */
export async function firstView(
  { db, store, actor, here, base }: PageContext,
  list: ListWithViews,
): Promise<string | null> {
  if (new URL(here, 'http://here').search !== '') return null
  const first = (await listViews(db, store, list, actor)).find(({ is_default }) => is_default)
  return first ? `${base}/${list}?${first.query}` : null
}

/** True if the list shows exactly what one of its tabs does. */
export function isTab({ here }: PageContext, tabs: readonly ListTab[]): boolean {
  return tabs.some(({ query }) => queryIn(`/?${new URLSearchParams(query)}`) === queryIn(here))
}

export async function viewTabs(context: PageContext, list: ListWithViews, presets: Presets): Promise<Html> {
  const { db, store, actor, t, here, base } = context
  const [views, counts] = await Promise.all([listViews(db, store, list, actor), countTabs(context, presets)])
  const current = queryIn(here)
  const open = views.find(({ query }) => query === current)
  const own = presets.tabs.map(({ title, query }, index) => ({
    query: queryIn(`/?${new URLSearchParams(query)}`),
    text: `${t(title)} ${counts[index]}`,
  }))
  const tab = (to: string, text: string, isCurrent: boolean) =>
    html`<li><a href="${base}/${list}?${to}"${attributes({ 'aria-current': isCurrent && 'page' })}>${text}</a></li>`
  const tabs = [
    ...own.map(({ query, text }) => tab(query, text, query === current)),
    ...views.map(({ name, query }) => tab(query, name, query === current)),
  ]
  const all = tab('view=all', t('view_all'), current === '')
  const nav = html`<nav class="pages" aria-label="${t('views')}"><ul>${all}${tabs}</ul></nav>`
  if (open) return html`<div class="viewline">${nav}${await viewMenu(context, list, open)}</div>`
  if (current === '' || isTab(context, presets.tabs)) {
    return tabs.length > 0 ? html`<div class="viewline">${nav}</div>` : html``
  }
  const content = await form(context, {
    act: 'view_save',
    action: viewActions(list).view_save!,
    button: 'save',
    isQuiet: true,
  })
  const isOpen = context.rejection?.act === 'view_save'
  return html`<div class="viewline">${tabs.length > 0 ? nav : ''}<details class="menu"${attributes({ open: isOpen })}>
<summary class="button quiet">${t('view_save')}</summary><div class="panel">${content}</div></details></div>`
}

/** Counts all tabs with one statement. */
async function countTabs(context: PageContext, { resource, tabs }: Presets): Promise<string[]> {
  const { db, store } = context
  if (tabs.length === 0) return []
  const counts = tabs.map(({ query }, index) => {
    const read = resource.query.read(query, store) as Record<string, unknown>
    return sql`(${countUpTo(maxCounted + 1, resource, store, read)}) as ${raw(`tab_${index}`)}`
  })
  const row = await db.one<Record<string, number>>(sql`select ${join(counts, ', ')}`)
  return tabs.map((_, index) => formatTotal(context, row![`tab_${index}`]!))
}

async function viewMenu(context: PageContext, list: ListWithViews, { id, name, is_default }: SavedView): Promise<Html> {
  const { t } = context
  const fixed = { view: id }
  const action = viewActions(list).view_rename!
  const renaming = { act: 'view_rename', action, fixed, button: 'rename', values: { name }, isQuiet: true } as const
  const isOpen = context.rejection !== null && field(context.form, 'view') === id
  const turn = is_default ? 'view_plain' : 'view_first'
  return html`<details class="menu"${attributes({ open: isOpen })}>
<summary class="button quiet">${t('view_change')}<span class="hidden"> ${name}</span></summary>
<div class="panel">${await form(context, renaming)}<div class="pair">
${button(context, { act: turn, fixed, text: turn })}
${button(context, { act: 'view_delete', fixed, text: 'view_delete', kind: 'quiet danger' })}</div></div></details>`
}
