// Fulfills many orders with their tracking numbers, which are typed into a grid or pasted. All of it is in the form, so
// nothing is lost when the form is shown again.
import { html } from 'hono/html'
import { carriers } from '../../../../commerce/fulfillments/carriers.ts'
import { maxFulfilled } from '../../../../commerce/fulfillments/batch.ts'
import { field, fieldsNamed, type Form } from '../../../../platform/pages/form.ts'
import { attributes, hidden } from '../../../../platform/pages/parts.ts'
import { endpoint } from '../../../framework/api.ts'
import { renderCell } from '../../../framework/cell.ts'
import { form } from '../../../framework/form.ts'
import { countAttributes, emptyState, panel } from '../../../framework/parts.ts'
import { placeBelow } from '../../../framework/placement.ts'
import type { Html, PageContext, Screen, ScreenAction } from '../../../framework/screen.ts'
import { orders } from '../orders.ts'
import { readFulfillGrid, type FulfillGrid, type GridOrder } from './grid.ts'
import { countDone, renderFailures } from './report.ts'
import { selectedOrders } from './selection.ts'

const send: ScreenAction = {
  route: endpoint('POST /fulfillments/batch'),
  isOfSelection: true,
  body: async (context) => ({ orders: await rowsSent(context) }),
  fieldOf: toGridField,
  countOf: countDone,
  renderResult: renderFailures,
  done: 'sent_count',
  to: (_, context) => `/orders?${readListFilter(context)}`,
}

export const fulfillScreen: Screen = {
  path: '/orders/fulfill',
  ...placeBelow(orders),
  scope: 'write:orders',
  title: 'bulk_fulfil',
  isUnlisted: true,
  // A row has four fields.
  limits: { fields: maxFulfilled * 4 + 50, bytes: 256 * 1024 },
  actions: { send },
  async show(context) {
    const grid = await readFulfillGrid(context)
    const { t } = context
    const table = grid.rows.length > 0 ? cells(context, grid) : emptyState(t, 'print_none', 'bulk_fulfil_none')
    const content = await form(context, {
      id: 'grid',
      act: 'send',
      action: send,
      button: 'bulk_fulfil',
      content: html`${grid.wrong}${renderLeftOutOrders(context, grid)}${table}${pasteField(context)}${
        grid.rows.length > 0 ? sendButton(context, grid) : ''
      }`,
    })
    return { content: content }
  },
}

/** The list where the orders were ticked. */
function readListFilter({ form: submission, here }: PageContext): string {
  return field(submission, 'filter') || new URL(here, 'http://here').searchParams.get('filter') || 'view=all'
}

/** The ticked rows as the API's body. */
async function rowsSent(context: PageContext): Promise<object[]> {
  const { form: submission } = context
  const common = field(submission, 'carrier')
  return (await selectedOrders(context, maxFulfilled)).map(({ id, order_number }) => {
    const carrier = field(submission, `carrier.${order_number}`) || common
    const tracking_number = field(submission, `tracking.${order_number}`)
    return { id, ...(carrier ? { carrier } : {}), ...(tracking_number ? { tracking_number } : {}) }
  })
}

/** Maps an error of the body to its cell. The ticked orders are sent sorted by number. */
function toGridField(name: string, submission: Form): string {
  const [, index, column] = /^orders\.(\d+)\.(\w+)$/.exec(name) ?? []
  const numbers = fieldsNamed(submission, 'ticked')
    .map(Number)
    .sort((a, b) => a - b)
  return index === undefined ? name : `${column === 'carrier' ? 'carrier' : 'tracking'}.${numbers[Number(index)]}`
}

function renderLeftOutOrders({ t }: PageContext, { leftOut }: FulfillGrid): Html | '' {
  if (leftOut.length === 0) return ''
  return html`<div class="notice warning" role="status"><p>${t('grid_left_out', { count: leftOut.length })}</p>
<ul>${leftOut.slice(0, 100).map((line) => html`<li>${line}</li>`)}</ul></div>`
}

function cells(context: PageContext, { rows }: FulfillGrid): Html {
  const { t, form: submission } = context
  const head = (text: string) => html`<th scope="col">${text}</th>`
  const datalist = carriers.map((name) => html`<option value="${name}"></option>`)
  const common = {
    id: 'carrier',
    name: 'carrier',
    value: field(submission, 'carrier'),
    list: 'carriers',
    maxlength: 100,
  }
  return html`<p class="field"><label for="carrier">${t('carrier_of_all')}</label>
<input${attributes({ ...common, autocomplete: 'off' })}></p><datalist id="carriers">${datalist}</datalist>
<edit-grid><div class="scroll" role="region" tabindex="0" aria-label="${t('bulk_fulfil')}">
<table class="matrix stock" aria-label="${t('bulk_fulfil')}"><thead><tr><td></td>${head(t('order_number'))}
${head(t('tracking_number'))}${head(t('carrier'))}${head(t('customer_name'))}${head(t('item_count'))}</tr></thead>
<tbody>${rows.map((row) => line(context, row))}</tbody></table></div></edit-grid>`
}

function line(context: PageContext, { id, order_number, customer_name, item_count, isTicked, ...typed }: GridOrder) {
  const { t, base } = context
  const number = `#${order_number}`
  const box = { type: 'checkbox', name: 'ticked', value: order_number, checked: isTicked }
  return html`<tr><td class="tick">${hidden('row', String(order_number))}
<input${attributes({ ...box, 'aria-label': t('tick', { name: number }) })}></td>
<th scope="row"><a href="${base}/orders/${id}">${number}</a></th>
${cell(context, `tracking.${order_number}`, typed.tracking, `${t('tracking_number')} ${number}`)}
${cell(context, `carrier.${order_number}`, typed.carrier, `${t('carrier')} ${number}`, 'carriers')}
<td class="wrap">${customer_name ?? '–'}</td><td class="number">${item_count}</td></tr>`
}

function cell(context: PageContext, name: string, value: string, label: string, list?: string): Html {
  return html`<td>${renderCell(context, { name, type: 'text', value, list, 'aria-label': label, size: 18 })}</td>`
}

function pasteField({ t, form: submission }: PageContext): Html {
  return panel(
    t('tracking_paste'),
    html`<p class="field"><label for="pasted">${t('tracking_pasted')}</label>
<textarea id="pasted" name="pasted" rows="5" autofocus data-fills="pick" aria-describedby="pasted-hint">${
      field(submission, 'pick') === '' ? field(submission, 'pasted') : ''
    }</textarea>
<span class="hint" id="pasted-hint">${t('tracking_paste_hint')}</span></p>
<p><button class="quiet" name="pick" value="1">${t('tracking_fill')}</button></p>`,
  )
}

function sendButton({ t }: PageContext, { rows }: FulfillGrid): Html {
  const count = rows.filter(({ isTicked }) => isTicked).length
  return html`<p class="send save"><button${attributes(
    countAttributes('ticked', (count) => t('bulk_fulfil_count', { count: count })),
  )}>${t('bulk_fulfil_count', { count })}</button></p>`
}
