// A list whose rows people put in order: by dragging, or with buttons, which work without a script too.
import { html } from 'hono/html'
import { randomUUID } from 'node:crypto'
import { entityPage } from '../../kit/declare/page.ts'
import type { AnyResource } from '../../kit/declare/resource.ts'
import { field, fieldsNamed } from '../../platform/pages/form.ts'
import { attributes, hiddenFields } from '../../platform/pages/parts.ts'
import { endpoint } from './api.ts'
import { icon, iconAlone } from './icons.ts'
import type { ActionCall, Html, PageContext, ScreenAction } from './screen.ts'

/** A store has at most one page of what people put in order. */
const maxRows = 100

type Ordered = { id: string; position: number }

/** The records in their order. */
export async function listInOrder({ db, store }: PageContext, resource: AnyResource): Promise<any[]> {
  const query = { page: 1, per_page: maxRows, sort: 'position', order: 'asc' } as const
  return (await entityPage(db, resource, store, query)).data
}

/** A new record comes last. */
export async function nextPosition(context: PageContext, resource: AnyResource): Promise<number> {
  const last: Ordered | undefined = (await listInOrder(context, resource)).at(-1)
  return last ? last.position + 1 : 0
}

/** Gives the records of the list their places. Only records whose position changes are written. */
export function sortAction(api: string, resource: AnyResource): ScreenAction {
  const route = endpoint(`PATCH ${api}/{id}`)
  return {
    route,
    done: 'order_saved',
    calls: async (context) => {
      const records: Ordered[] = await listInOrder(context, resource)
      const ids = readOrder(context)
      const sorted = [
        ...ids.flatMap((id) => records.find((record) => record.id === id) ?? []),
        ...records.filter(({ id }) => !ids.includes(id)),
      ]
      // The API says of a record that is gone meanwhile that it does not exist.
      const gone = ids.flatMap((id): [string, number][] => (records.some((one) => one.id === id) ? [] : [[id, 0]]))
      return [...buildPositions(sorted), ...gone].map(([id, position]): ActionCall => ({
        route,
        params: { id },
        body: { position },
        field: id,
      }))
    },
  }
}

/** The IDs as they were shown, after the move of the pressed button. */
export function readOrder({ form }: Pick<PageContext, 'form'>): string[] {
  const ids = fieldsNamed(form, 'order').filter(Boolean).slice(0, maxRows)
  const { from, to } = readMove(ids, field(form, 'move'))
  if (from < 0 || to < 0 || to >= ids.length) return ids
  return ids.with(from, ids[to]!).with(to, ids[from]!)
}

/** `to` is outside of the list if the row leaves its page. */
export function readMove(ids: readonly string[], move: string): { from: number; to: number } {
  const [id = '', step = ''] = move.split(' ')
  const from = ids.indexOf(id)
  return { from, to: from + (step === 'up' ? -1 : 1) }
}

function buildPositions(records: readonly Ordered[]): [id: string, position: number][] {
  return records.flatMap(({ id, position }, index): [string, number][] => (position === index ? [] : [[id, index]]))
}

/** `more`: further buttons. */
type SortRow = { id: string; name: string; content: Html; more?: Html }

type SortListProps = {
  rows: readonly SortRow[]
  label: string
  kind?: 'records' | 'rows'
  /** The place of the first row, and the number of all, if the list has pages. */
  first?: number
  total?: number
}

/** Its form stands beside it, so that rows can have forms of their own. */
export function sortList(
  context: Pick<PageContext, 't' | 'here'>,
  { rows, label, kind = 'records', first = 0, total = rows.length }: SortListProps,
): Html {
  const { here, t } = context
  const items = rows.map((row, index) => renderSortRow(context, row, first + index, total, kind))
  return html`<form id="sort" method="post" action="${here}" data-leaves>
${hiddenFields({ act: 'sort', once: randomUUID() })}</form>
<sort-list><ol class="${kind}" aria-label="${label}">${items}</ol>
<p class="hint" data-script hidden>${t('sort_hint')}</p></sort-list>`
}

function renderSortRow(
  { t }: Pick<PageContext, 't'>,
  { id, name, content, more }: SortRow,
  place: number,
  total: number,
  kind: SortListProps['kind'],
): Html {
  const move = (step: 'up' | 'down', isEnd: boolean) => {
    const own = { id: `${step}-${id}`, form: 'sort', name: 'move', value: `${id} ${step}`, class: 'quiet' }
    const text = iconAlone(step, `${t(`move_${step}`)}: ${name}`)
    return html`<button${attributes({ ...own, disabled: isEnd })}>${text}</button>`
  }
  const row = attributes({ id: `row-${id}`, class: kind === 'records' && 'whole-row' })
  return html`<li${row}><input type="hidden" form="sort" name="order" value="${id}">
<span data-handle data-script hidden aria-hidden="true">${icon('drag')}</span>${content}
<div class="tools">${move('up', place === 0)}${move('down', place === total - 1)}${more ?? ''}</div></li>`
}
