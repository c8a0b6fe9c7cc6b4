// The saved views above a list: each is the list's address under a name that its person has given it.
import { html } from 'hono/html'
import { attributes } from '../../platform/pages/parts.ts'
import { field } from '../../platform/pages/form.ts'
import { viewsOf } from '../savedviews/operations.ts'
import type { SavedView, lists } from '../savedviews/view.ts'
import { endpoint } from './api.ts'
import { button, form } from './form.ts'
import type { Action, Html, Visit } from './page.ts'

export type ViewedList = (typeof lists)[number]

const change = endpoint('PATCH /saved-views/{view}')

export const viewActions = (list: ViewedList): Record<string, Action> => ({
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

const passing = ['page', 'view']

/** What an address asks a list for, in one order, without what passes. */
function queryIn(here: string): string {
  const { searchParams } = new URL(here, 'http://here')
  for (const name of passing) searchParams.delete(name)
  const empty = [...searchParams].filter(([, value]) => value === '')
  for (const [name] of empty) searchParams.delete(name, '')
  searchParams.sort()
  return searchParams.toString()
}

/** Where somebody is led who asks for the list and says nothing else. */
export async function firstView({ db, store, actor, here, base }: Visit, list: ViewedList): Promise<string | null> {
  if (new URL(here, 'http://here').search !== '') return null
  const first = (await viewsOf(db, store, list, actor)).find(({ is_default }) => is_default)
  return first ? `${base}/${list}?${first.query}` : null
}

export async function viewTabs(visit: Visit, list: ViewedList): Promise<Html> {
  const { db, store, actor, say, here, base } = visit
  const views = await viewsOf(db, store, list, actor)
  const current = queryIn(here)
  const open = views.find(({ query }) => query === current)
  const tab = (to: string, text: string, isCurrent: boolean) =>
    html`<li><a href="${base}/${list}?${to}"${attributes({ 'aria-current': isCurrent && 'page' })}>${text}</a></li>`
  const tabs = views.map(({ name, query }) => tab(query, name, query === current))
  const all = tab('view=all', say('view_all'), current === '')
  const nav = html`<nav class="pages" aria-label="${say('views')}"><ul>${all}${tabs}</ul></nav>`
  if (open) return html`<div class="viewline">${nav}${await own(visit, list, open)}</div>`
  if (current === '') return views.length > 0 ? html`<div class="viewline">${nav}</div>` : html``
  const drawn = await form(visit, {
    act: 'view_save',
    action: viewActions(list).view_save!,
    button: 'save',
    isQuiet: true,
  })
  const isOpen = visit.refused?.act === 'view_save'
  return html`<div class="viewline">${views.length > 0 ? nav : ''}<details class="menu"${attributes({ open: isOpen })}>
<summary class="button quiet">${say('view_save')}</summary><div class="panel">${drawn}</div></details></div>`
}

async function own(visit: Visit, list: ViewedList, { id, name, is_default }: SavedView): Promise<Html> {
  const { say } = visit
  const fixed = { view: id }
  const action = viewActions(list).view_rename!
  const renaming = { act: 'view_rename', action, fixed, button: 'rename', values: { name }, isQuiet: true } as const
  const isOpen = visit.refused !== null && field(visit.form, 'view') === id
  const turn = is_default ? 'view_plain' : 'view_first'
  return html`<details class="menu"${attributes({ open: isOpen })}>
<summary class="button quiet">${say('view_change')}<span class="hidden"> ${name}</span></summary>
<div class="panel">${await form(visit, renaming)}<div class="pair">
${button(visit, { act: turn, fixed, text: turn })}
${button(visit, { act: 'view_delete', fixed, text: 'view_delete', kind: 'quiet danger' })}</div></div></details>`
}
