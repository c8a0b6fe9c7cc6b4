// The page on which a shopper requests a return of shipped items, for anyone with the order's link.
import { html } from 'hono/html'
import { ApiError, invalid, notFound } from '../../../kit/values/errors.ts'
import { publicId, toUuid } from '../../../kit/values/ids.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import { translateLines } from '../../../commerce/catalog/linenames.ts'
import { order as orders, type Order } from '../../../commerce/orders/order.ts'
import { namePiece, readPieceKey, toPieceKey } from '../../../commerce/orders/parts.ts'
import { cancelReturnRequest, requestReturn } from '../../../commerce/returns/requests.ts'
import { returnRequest } from '../../../commerce/returns/return.ts'
import {
  listReturnablePieces,
  readReturnable,
  type Returnable,
  type ReturnablePiece,
} from '../../../commerce/returns/returnable.ts'
import { returnReasons } from '../../../commerce/returns/states.ts'
import { fault, generalFaults, type Fault } from '../../../kit/values/faults.ts'
import { aboutField, attributes, renderFieldFault, hidden, notice } from '../../../platform/pages/parts.ts'
import { fieldErrors } from '../frame/fielderrors.ts'
import { field, fieldsNamed, type Html, type ShopContext, type ShopResult } from '../frame/page.ts'
import { frame, note, renderParts } from '../frame/view.ts'
import { dateIn } from './countries.ts'
import { orderOfLink, orderPath } from './orderlink.ts'

export async function showReturnForm(context: ShopContext): Promise<ShopResult> {
  return { page: await renderReturnPage(context, orderIn(context)) }
}

export async function sendReturnRequest(context: ShopContext): Promise<ShopResult> {
  const { db, store, guard } = context
  const id = orderIn(context)
  const lines = chosenLines(context)
  try {
    if (lines.length === 0) throw invalid(fault('items', generalFaults.required))
    const request = returnRequest.read({ items: lines.map(({ line }) => line) }, store)
    await guard.requestReturn(store.id)
    await db.transaction((tx) => requestReturn(tx, store, id, request))
    return { to: orderPath(context, publicId('ord', id)) }
  } catch (error) {
    if (!(error instanceof ApiError) || ![422, 429].includes(error.status)) throw error
    const faults = error.faults.map((one) => ({ ...one, field: toReturnField(one.field, lines) }))
    const page = await renderReturnPage(context, id, { faults, isTooOften: error.status === 429 })
    return { status: error.status, headers: error.headers, page }
  }
}

/** The order's page shows the result, even if the store was faster. */
export async function cancelRequest(context: ShopContext): Promise<ShopResult> {
  const { db, store, form } = context
  const [order, id] = [orderIn(context), toUuid('ret', field(form, 'return_id'))]
  if (!id) throw notFound('Return')
  await db
    .transaction((tx) => cancelReturnRequest(tx, store, order, id))
    .catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 422) throw error
    })
  return { to: orderPath(context, publicId('ord', order)) }
}

function orderIn(context: ShopContext): string {
  const id = orderOfLink(context, context.params.link!)
  if (!id) throw notFound('Order')
  return id
}

type ChosenLine = { at: number; line: object }

/** Lines with units, each with its index in the form. */
function chosenLines({ form }: ShopContext): ChosenLine[] {
  return fieldsNamed(form, 'item_id').flatMap((key, at) => {
    const text = field(form, `items.${at}.quantity`)
    if (text === '' || text === '0') return []
    const [reason, note] = [field(form, `items.${at}.reason`), field(form, `items.${at}.note`)]
    const quantity = /^\d{1,7}$/.test(text) ? Number(text) : text
    return {
      at,
      line: { ...readPieceKey(key), quantity, ...(reason ? { reason } : {}), ...(note ? { note: note } : {}) },
    }
  })
}

/** Maps a field of the request to its field in the form. */
function toReturnField(name: string, lines: readonly ChosenLine[]): string {
  const [, index, part = 'quantity'] = /^items\.(\d+)(?:\.(\w+))?$/.exec(name) ?? []
  if (index === undefined) return name
  return `items.${lines[Number(index)]?.at ?? index}.${part === 'item_id' ? 'quantity' : part}`
}

/** The maximum of a cart; with four fields each, the limit of a form. */
const maxLines = 50

type RefusedForm = { faults: readonly Fault[]; isTooOften: boolean }

async function renderReturnPage(context: ShopContext, id: string, refusal?: RefusedForm): Promise<Html> {
  const { db, store, t, translation } = context
  const [{ entity: order }, returnable] = await Promise.all([
    findRecord(db, orders, store.id, id),
    readReturnable(db, store, id, db.clock.now()),
  ])
  const items = await translateLines(db, store.id, translation, order.items)
  const back = html`<p><a class="button" href="${context.root}${orderPath(context, order.id)}">
${t('order', { number: order.order_number })}</a></p>`
  if (!returnable.is_open && !refusal) {
    return note(context, { title: t('return_request'), text: t('return_not_now'), more: back })
  }
  return form(context, { ...order, items }, returnable, refusal)
}

function form(context: ShopContext, order: Order, { items, until }: Returnable, refusal?: RefusedForm): Html {
  const { t, root, language, store } = context
  const errors = fieldErrors(context, refusal?.faults ?? [])
  const remaining = new Map(items.map((item) => [item.id, item]))
  const lines = order.items.flatMap((item) => {
    const left = remaining.get(toUuid('item', item.id)!)
    return left ? listReturnablePieces(left).map((piece) => ({ ...piece, item })) : []
  })
  return frame(context, {
    title: t('return_request'),
    content: html`<div class="ask"><h1>${t('return_request')}</h1>
<p>${t('order', { number: order.order_number })}. ${t('return_text')}</p>
${until ? html`<p class="soft">${t('return_until', { date: dateIn(language, store, until) })}</p>` : ''}
${refusal?.isTooOften ? notice('error', t('return_too_often')) : ''}
${errors.items ? notice('error', errors.items) : ''}
<form method="post" action="${root}${orderPath(context, order.id)}/return" novalidate data-once>
${lines.slice(0, maxLines).map((piece, at) => line(context, errors, { ...piece, at }))}
<button class="full">${t('return_send')}</button>
</form></div>`,
  })
}

type FormLine = ReturnablePiece & { item: Order['items'][number]; at: number }

function line(context: ShopContext, errors: Record<string, string>, { item, part, max, at }: FormLine): Html {
  const { t, form: input } = context
  const name = (part: string) => `items.${at}.${part}`
  const value = (part: string) => field(input, name(part))
  const about = (part: string, more: Record<string, string | number> = {}) => {
    const focus = Object.keys(errors).find((one) => one.startsWith('items.')) === name(part)
    const own = attributes({ id: name(part), name: name(part), ...more })
    return html`${own}${aboutField(name(part), { fault: errors[name(part)], focus })}`
  }
  const number = { value: value('quantity'), inputmode: 'numeric', autocomplete: 'off', maxlength: 7 }
  const options = returnReasons.map(
    (reason) => html`<option value="${reason}"${attributes({ selected: value('reason') === reason })}>
${t(`return_reason_${reason}`)}</option>`,
  )
  const rows = [
    [
      'quantity',
      html`${t('return_units')} <small>${t('return_of', { count: max })}</small>`,
      html`
<input${about('quantity', number)}>`,
    ],
    [
      'reason',
      t('return_why'),
      html`<select${about('reason')}><option value="">${t('return_choose')}</option>
${options}</select>`,
    ],
    [
      'note',
      html`${t('return_note')} <small>${t('optional')}</small>`,
      html`
<input${about('note', { value: value('note'), maxlength: 500, autocomplete: 'off' })}>`,
    ],
  ] as const
  return html`<fieldset><legend>${namePiece(item, part)}</legend>${part === null ? renderParts(item.parts) : ''}
${hidden('item_id', toPieceKey(item.id, part))}
${rows.map(
  ([part, label, control]) => html`<p class="field"><label for="${name(part)}">${label}</label>
${control}</p>${renderFieldFault(name(part), errors[name(part)])}`,
)}</fieldset>`
}
