// The bar below a list, with actions on the selected rows.
import { html } from 'hono/html'
import { addressWith } from '../../platform/pages/address.ts'
import { attributes, choice, hidden } from '../../platform/pages/parts.ts'
import { mayCall } from './call.ts'
import { fields, form } from './form.ts'
import { resolveInputs } from './inputs.ts'
import type { MessageKey } from './messages.ts'
import { countAttributes } from './parts.ts'
import type { Html, PageContext, ScreenAction } from './screen.ts'
import { formatTotal } from './total.ts'

export type BulkActions<E> = {
  act: string
  action: ScreenAction
  /** Default: Apply. */
  button?: MessageKey
  nameOf: (row: E) => string
  /** Submitted value; defaults to the ID. */
  sentAs?: (row: E) => string
  /** The selection spans pages and may be the whole filter. Buttons that are not main are in a menu. */
  selectsAll?: boolean
  /** More controls, before the buttons. */
  more?: (context: PageContext) => Html
  /** Further actions, each with its own button. */
  beside?: Record<string, { action: ScreenAction; button: MessageKey; isMain?: boolean }>
  /** Screens that show the selected rows: path below the store's URL, with a query. */
  links?: readonly { path: string; what: string; button: MessageKey; isMain?: boolean }[]
}

export function tick<E>({ t }: PageContext, row: E, { nameOf, sentAs }: BulkActions<E>): Html {
  const value = sentAs?.(row) ?? (row as { id: string }).id
  const box = { type: 'checkbox', name: 'ticked', value, form: 'bulk' }
  const own = attributes({ ...box, 'aria-label': t('tick', { name: nameOf(row) }) })
  return html`<td class="tick"><label><input${own}></label></td>`
}

/** `total`: the matches of the filter, if they do not fit on the page. */
export async function bulkForm(context: PageContext, bulk: BulkActions<any>, total: number): Promise<Html> {
  const { t } = context
  const { act, action, button = 'apply', selectsAll = false } = bulk
  const { others, main, rest } = renderBulkButtons(context, bulk)
  const common = { id: 'bulk', act, action, button, isQuiet: true, isLoose: true } as const
  const isMany = main.length + rest.length > 0
  const props = isMany ? { ...common, others, beside: html`${main}${rest}` } : common
  const content = selectsAll ? await foldedActions(context, bulk, total) : null
  const formHtml = await form(context, content ? { ...common, others, content } : props)
  const count = html`<p>${t('selected')}:</p>`
  const words = { ...countAttributes('count', (count) => t('selected_count', { count })), clear: t('clear_selection') }
  const notice = selectsAll
    ? html`<list-selection of="${filterIn(context)}"${attributes(words)}>${count}</list-selection>`
    : count
  return html`<section class="bulk" aria-label="${t('selected')}">${notice}${formHtml}</section>`
}

function renderBulkButtons({ t, base, role }: PageContext, { beside = {}, links = [] }: BulkActions<any>) {
  const open = Object.entries(beside).filter(([, other]) => mayCall(role, other.action.route))
  const buttons = [
    ...links.map(({ path, what, button, isMain = false }) => {
      const about = { formmethod: 'get', formaction: base + path, name: 'what', value: what }
      return { isMain, button, about: { ...about, class: !isMain && 'quiet' } }
    }),
    ...open.map(([name, { button, isMain = false }]) => {
      return { isMain, button, about: { name: 'act', value: name, class: 'quiet' } }
    }),
  ]
  const renderForm = (areMain: boolean) =>
    buttons
      .filter(({ isMain }) => isMain === areMain)
      .map(({ button, about }) => html`<button${attributes(about)}>${t(button)}</button>`)
  return { others: open.map(([name]) => name), main: renderForm(true), rest: renderForm(false) }
}

async function foldedActions(context: PageContext, bulk: BulkActions<any>, total: number): Promise<Html> {
  const { t, rejection } = context
  const { act, action, button = 'apply', more } = bulk
  const { others, main, rest } = renderBulkButtons(context, bulk)
  const inputs = await fields(context, { act, action, button, others }, resolveInputs(action, context))
  // A single action needs no menu.
  if (!more && main.length + rest.length === 0) {
    return html`${allOfFilter(context, total)}<div class="pair">${inputs}
<button class="quiet" name="act" value="${act}">${t(button)}</button></div>`
  }
  const isOpen = rejection !== null && [act, ...others].includes(rejection.act)
  return html`${allOfFilter(context, total)}<p class="send">${main}</p>
<details class="more"${attributes({ open: isOpen })}><summary>${t('more_actions')}</summary>
<div class="pair">${inputs}<button class="quiet" name="act" value="${act}">${t(button)}</button></div>
${more?.(context) ?? ''}<p class="send">${rest}</p></details>`
}

/** The query of the list, for screens that read all matches. */
function filterIn({ here }: PageContext): string {
  return new URL(addressWith(here, { page: null, view: null }), 'http://here').search.slice(1)
}

function allOfFilter(context: PageContext, total: number): Html {
  const box = { type: 'checkbox', name: 'all', value: '1' } as const
  return html`${hidden('filter', filterIn(context))}${
    total > 0 ? choice(box, context.t('select_all_of', { count: formatTotal(context, total) })) : ''
  }`
}
